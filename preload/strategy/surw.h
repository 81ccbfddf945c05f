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

  Surw(const StrategySpec& spec, const StrategyTape& tape);

  void begin(const ExecutionInfo& info) override;
  ThreadId choose(std::span<const Pending> enabled, ThreadId current) override;

 private:
  void draw_objects(std::span<const ObjectPoints> objects);
  void expect_interesting(const ExecutionInfo& info);
  bool interesting(const Pending& pending) const;
  bool may_run(const Pending& pending, ThreadId passed_over) const;
  const Pending* draw_free(std::span<const Pending> enabled, ThreadId passed_over);

  uint32_t wanted_;                                // objects
  Remaining remaining_;                            // interesting operations
  ThreadId next_ = kNoThread;                      // who is to do the next one
  std::array<ObjectPoints, kMaxObjects> drawn_{};  // the first drawn_count_
  uint32_t drawn_count_ = 0;                       // 0: all operations are interesting
};

}  // namespace esox
