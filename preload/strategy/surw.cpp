// SPDX-License-Identifier: Apache-2.0
// See surw.h.
#include "preload/strategy/surw.h"

namespace esox {

Surw::Surw(const StrategySpec& spec, const StrategyTape&)
    : wanted_(std::min(spec.objects, kMaxObjects)) {}

void Surw::begin(const ExecutionInfo& info) {
  Walk::begin(info);
  next_ = kNoThread;
  draw_objects(info.objects);
  expect_interesting(info);
}

// Without repetition, each set equally likely: of the objects to come, as many are taken as are
// still wanted (Knuth, The Art of Computer Programming, algorithm 3.4.2 S).
void Surw::draw_objects(std::span<const ObjectPoints> objects) {
  drawn_count_ = 0;
  for (size_t i = 0; i < objects.size() && drawn_count_ < wanted_; ++i) {
    if (rng_.below(objects.size() - i) < wanted_ - drawn_count_)
      drawn_[drawn_count_++] = objects[i];
  }
}

void Surw::expect_interesting(const ExecutionInfo& info) {
  if (drawn_count_ == 0) {
    remaining_.begin_estimated(info.points_of_thread);
    return;
  }
  std::array<uint32_t, kMaxClients> expected{};
  for (uint32_t i = 0; i < drawn_count_; ++i) {
    for (uint32_t thread = 0; thread < kMaxClients; ++thread) {
      expected[thread] += drawn_[i].of_thread[thread];
    }
  }
  remaining_.begin_exact(expected);
}

bool Surw::interesting(const Pending& pending) const {
  if (drawn_count_ != 0 && is_release(pending.kind)) return false;
  for (uint32_t i = 0; i < drawn_count_; ++i) {
    if (pending.object == drawn_[i].object) return true;
  }
  return drawn_count_ == 0;
}

bool Surw::may_run(const Pending& pending, ThreadId passed_over) const {
  if (pending.thread == passed_over) return false;
  return pending.thread == next_ || !interesting(pending);
}

ThreadId Surw::choose(std::span<const Pending> enabled, ThreadId /*current*/) {
  const ThreadId passed_over = demotion_.take(enabled);
  if (next_ == kNoThread) next_ = remaining_.draw(enabled, passed_over, rng_);
  const Pending* chosen = draw_free(enabled, passed_over);
  if (chosen == nullptr) {
    next_ = remaining_.draw(enabled, passed_over, rng_);
    chosen = find_enabled(enabled, next_);
  }
  if (interesting(*chosen)) {
    remaining_.pass(chosen->thread);
    next_ = kNoThread;
  }
  return chosen->thread;
}

// Uniform among those that may run now; null if there are none.
const Pending* Surw::draw_free(std::span<const Pending> enabled, ThreadId passed_over) {
  uint64_t count = 0;
  for (const Pending& pending : enabled) count += may_run(pending, passed_over);
  if (count == 0) return nullptr;
  uint64_t ticket = rng_.below(count);
  for (const Pending& pending : enabled) {
    if (may_run(pending, passed_over) && ticket-- == 0) return &pending;
  }
  return nullptr;
}

}  // namespace esox
