// SPDX-License-Identifier: Apache-2.0
#include "harness/search/exhaustive/step_precedence.h"

#include <algorithm>

#include "preload/strategy/conflict.h"
#include "preload/strategy/rng.h"

namespace esox::exhaustive {
namespace {

uint32_t count_of(const std::vector<uint32_t>& clock, ThreadId thread) {
  return thread < clock.size() ? clock[thread] : 0;
}

bool joins(const Pending& operation, ThreadId thread) {
  return operation.kind == OpKind::kThreadJoin && operation.object == thread;
}

// It lets the thread go on, which was not there or waited (protocol/waiting.h).
bool lets_go_on(const Pending& operation, ThreadId thread) {
  return operation.kind == OpKind::kThreadCreate && operation.object == thread;
}

// Whoever waits for a lock cannot go before its release.
bool waits_for(const Pending& release, const Pending& acquisition) {
  return effects::releases(effect_of(release.kind)) && effects::waits(effect_of(acquisition.kind));
}

void raise(std::vector<uint32_t>& clock, const std::vector<uint32_t>& other) {
  if (clock.size() < other.size()) clock.resize(other.size());
  for (size_t i = 0; i < other.size(); ++i) clock[i] = std::max(clock[i], other[i]);
}

}  // namespace

bool lets_go_on(const Step& step, ThreadId thread) {
  return std::ranges::any_of(step.operations,
                             [&](const Pending& one) { return lets_go_on(one, thread); });
}

bool independent(const Step& a, const Pending& b) {
  if (joins(b, a.thread) || lets_go_on(b, a.thread)) return false;
  return std::ranges::none_of(a.operations, [&](const Pending& one) {
    return joins(one, b.thread) || lets_go_on(one, b.thread) || dependent(one, b);
  });
}

bool independent(const Step& a, const Step& b) {
  return std::ranges::all_of(b.operations, [&](const Pending& one) { return independent(a, one); });
}

bool reversible(const Step& step, const Pending& operation) {
  if (joins(operation, step.thread)) return false;
  return std::ranges::any_of(step.operations, [&](const Pending& one) {
    return dependent(one, operation) && !waits_for(one, operation);
  });
}

bool reversible(const Step& step, const Step& other) {
  return std::ranges::any_of(other.operations,
                             [&](const Pending& one) { return reversible(step, one); });
}

void StepPrecedence::push(const Step& step) {
  Clock clock = clock_of(step);
  const uint64_t name = name_of(step, clock);
  entries_.push_back({step, std::move(clock), name});
}

void StepPrecedence::shorten(size_t length) {
  if (length < entries_.size()) entries_.resize(length);
}

// From the last step back, so that most are known to be before already.
StepPrecedence::Clock StepPrecedence::clock_of(const Step& step) const {
  Clock clock(step.thread + size_t{1});
  for (size_t i = entries_.size(); i-- > 0;) {
    const Entry& entry = entries_[i];
    const ThreadId thread = entry.step.thread;
    if (count_of(clock, thread) >= count_of(entry.clock, thread)) continue;
    if (thread == step.thread || !independent(entry.step, step)) raise(clock, entry.clock);
  }
  ++clock[step.thread];
  return clock;
}

// A sum over steps, so that the order in which independent ones came does not show. The clock tells
// a step's place in the partial order.
uint64_t StepPrecedence::name_of(const Step& step, const Clock& clock) const {
  uint64_t hash = step.thread;
  const auto add = [&](uint64_t word) {
    hash ^= word;
    hash = splitmix64(hash);
  };
  for (size_t thread = 0; thread < clock.size(); ++thread) {
    if (clock[thread] != 0) add(thread << 32 | clock[thread]);
  }
  for (const Pending& operation : step.operations) {
    add(static_cast<uint64_t>(operation.kind));
    add(operation.object);
  }
  return name() + hash;
}

uint64_t StepPrecedence::name_with(const Step& step) const {
  return name_of(step, clock_of(step));
}

bool StepPrecedence::before(size_t i, size_t j) const {
  const ThreadId thread = entries_[i].step.thread;
  return count_of(entries_[j].clock, thread) >= count_of(entries_[i].clock, thread);
}

bool StepPrecedence::before_next_of(ThreadId thread, size_t i, size_t end) const {
  for (size_t last = end; last-- > i;) {
    if (entries_[last].step.thread == thread) return before(i, last);
    if (lets_go_on(entries_[last].step, thread) && before(i, last)) return true;
  }
  return false;
}

}  // namespace esox::exhaustive
