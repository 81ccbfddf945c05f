// SPDX-License-Identifier: Apache-2.0
// SURW, the selectively uniform random walk: Zhao, Wolff, Mathur, Roychoudhury (ASPLOS 2025).
//
//   Some operations are *interesting*: here those on one shared object (`objects=N`: on N), drawn
//   for each execution. A thread is drawn with a weight of the interesting operations it has left;
//   it is the one to do the next of them. Until then all threads run, drawn uniformly at each
//   point, but any other thread that comes to an interesting operation waits before it.
//
// So every interleaving of the interesting operations is equally likely (remaining.h), however many
// other operations lie between them, and all interleavings of those remain possible. Threads that
// block, or have another number of interesting operations than expected, make it less than exact.
// Where the thread drawn cannot run and all others wait, another one is drawn.
//
// A release is not interesting: its point lies after it, and not all of them are offered.
//
// Objects must come from earlier executions of the input: ExecutionInfo.objects holds those that
// more than one thread used, with the number of operations of each thread. Where there are none,
// and with `objects=0`, all operations are interesting: then each point draws anew, weighted by
// what is left of each thread. (In a prototype on MariaDB that hit next to nothing; with one
// object, 0.7 to 2.6 times as often as `pct:d=3`.)
#pragma once

#include <array>

#include "preload/protocol/object_points.h"
#include "preload/strategy/parameter.h"
#include "preload/strategy/remaining.h"
#include "preload/strategy/walk.h"

namespace esox {

class Surw final : public Walk {
 public:
  static constexpr StrategyKind kKind = StrategyKind::kSurw;
  static constexpr std::string_view kName = "surw";
  static constexpr uint32_t kMaxObjects = 8;
  static constexpr std::array kParameters = {
      Parameter{.key = "objects", .whole = &StrategySpec::objects, .most = kMaxObjects}};

  Surw(const StrategySpec& spec, const StrategyTape&)
      : wanted_(std::min(spec.objects, kMaxObjects)) {}

  void begin(const ExecutionInfo& info) override {
    Walk::begin(info);
    next_ = kNoThread;
    draw_objects(info.objects);
    expect_interesting(info);
  }

  ThreadId choose(std::span<const Pending> enabled, ThreadId /*current*/) override {
    if (next_ == kNoThread) next_ = remaining_.draw(enabled, rng_);
    const Pending* chosen = draw_free(enabled);
    if (chosen == nullptr) {
      next_ = remaining_.draw(enabled, rng_);
      chosen = find_enabled(enabled, next_);
    }
    if (interesting(*chosen)) {
      remaining_.pass(chosen->thread);
      next_ = kNoThread;
    }
    return chosen->thread;
  }

 private:
  // Without repetition, each set equally likely: of the objects to come, as many are taken as are
  // still wanted (Knuth, The Art of Computer Programming, algorithm 3.4.2 S).
  void draw_objects(std::span<const ObjectPoints> objects) {
    drawn_count_ = 0;
    for (size_t i = 0; i < objects.size() && drawn_count_ < wanted_; ++i) {
      if (rng_.below(objects.size() - i) < wanted_ - drawn_count_)
        drawn_[drawn_count_++] = objects[i];
    }
  }

  void expect_interesting(const ExecutionInfo& info) {
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

  bool interesting(const Pending& pending) const {
    if (drawn_count_ != 0 && is_release(pending.kind)) return false;
    for (uint32_t i = 0; i < drawn_count_; ++i) {
      if (pending.object == drawn_[i].object) return true;
    }
    return drawn_count_ == 0;
  }

  bool may_run(const Pending& pending) const {
    return pending.thread == next_ || !interesting(pending);
  }

  // Uniform among those that may run now; null if there are none.
  const Pending* draw_free(std::span<const Pending> enabled) {
    uint64_t count = 0;
    for (const Pending& pending : enabled) count += may_run(pending);
    if (count == 0) return nullptr;
    uint64_t ticket = rng_.below(count);
    for (const Pending& pending : enabled) {
      if (may_run(pending) && ticket-- == 0) return &pending;
    }
    return nullptr;
  }

  uint32_t wanted_;                                // objects
  Remaining remaining_;                            // interesting operations
  ThreadId next_ = kNoThread;                      // who is to do the next one
  std::array<ObjectPoints, kMaxObjects> drawn_{};  // the first drawn_count_
  uint32_t drawn_count_ = 0;                       // 0: all operations are interesting
};

}  // namespace esox
