// SPDX-License-Identifier: Apache-2.0
#include "harness/search/exhaustive/step_precedence.h"

#include <algorithm>

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

// Null: there is none.
template <typename Value>
const Value* found(const std::unordered_map<uint64_t, Value>& map, uint64_t key) {
  const auto it = map.find(key);
  return it == map.end() ? nullptr : &it->second;
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

// Calls `mark` with each list of steps that ends with this one from then on.
void StepPrecedence::leave_marks(const Step& step, auto mark) {
  mark(by_thread_[step.thread], step.thread, Effect::kNone);
  for (const Pending& one : step.operations) {
    const Effect effect = effect_of(one.kind);
    if (one.kind == OpKind::kThreadJoin || one.kind == OpKind::kThreadCreate) {
      mark(for_thread_[one.object], step.thread, Effect::kNone);
    } else if (one.kind == OpKind::kProcessExit) {
      mark(exits_, step.thread, Effect::kNone);
    } else if (effects::border(effect, Effect::kEnter) || effects::border(effect, Effect::kLeave)) {
      mark(borders_, step.thread, effect);
    }
    if (one.object != 0 && effect != Effect::kNone) {
      mark(by_object_[one.object], step.thread, effect);
    }
  }
}

void StepPrecedence::push(const Step& step) {
  Clock clock = clock_of(step);
  const uint64_t name = name_of(step, clock);
  const uint32_t number = static_cast<uint32_t>(entries_.size());
  entries_.push_back({step, std::move(clock), name});
  leave_marks(step, [&](Lasts& lasts, ThreadId thread, Effect effect) {
    const auto found = std::ranges::find_if(
        lasts, [&](const Last& one) { return one.thread == thread && one.effect == effect; });
    Last& last = found != lasts.end() ? *found : lasts.emplace_back(Last{thread, effect, {}});
    last.steps.push_back(number);
  });
}

void StepPrecedence::shorten(size_t length) {
  while (entries_.size() > length) {
    const uint32_t number = static_cast<uint32_t>(entries_.size() - 1);
    leave_marks(entries_.back().step, [&](Lasts& lasts, ThreadId thread, Effect effect) {
      for (Last& last : lasts) {
        if (last.thread != thread || last.effect != effect) continue;
        if (!last.steps.empty() && last.steps.back() == number) last.steps.pop_back();
      }
    });
    entries_.pop_back();
  }
}

// Of equal effects of one thread on one object the last has the others before it.
StepPrecedence::Clock StepPrecedence::clock_of(const Step& step) const {
  Clock clock(step.thread + size_t{1});
  const auto come_after = [&](const Lasts* lasts, auto holds) {
    if (lasts == nullptr) return;
    for (const Last& last : *lasts) {
      if (!last.steps.empty() && holds(last.effect))
        raise(clock, entries_[last.steps.back()].clock);
    }
  };
  const auto always = [](Effect /*effect*/) { return true; };
  come_after(found(by_thread_, step.thread), always);
  come_after(found(for_thread_, step.thread), always);
  come_after(&exits_, always);
  for (const Pending& one : step.operations) {
    const Effect effect = effect_of(one.kind);
    if (one.kind == OpKind::kThreadJoin || one.kind == OpKind::kThreadCreate) {
      come_after(found(by_thread_, one.object), always);
    }
    if (one.kind == OpKind::kProcessExit) {
      for (const auto& [thread, lasts] : by_thread_) come_after(&lasts, always);
    }
    come_after(&borders_, [&](Effect other) { return effects::border(other, effect); });
    if (one.object == 0) continue;
    come_after(found(by_object_, one.object),
               [&](Effect other) { return !effects::commute(other, effect); });
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
