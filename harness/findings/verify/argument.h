// SPDX-License-Identifier: Apache-2.0
// What it takes to say "fixed": by counts of fresh draws (strategy_mix.h) on both servers.
//
// The old server is drawn from until it has given the violation kWantedHits times: so its rate is
// at least r, the lower bound of Clopper and Pearson. Then the new one is drawn from until as many
// draws are without a hit as a violation kRarer times rarer than r would survive with the error
// that is left only. Each of both may err in half of the cases in which we may err at all:
//
//   P(fixed is said although the new server gives it in p / kRarer or more, p the old one's rate)
//     <= P(r > p) + P(no hit in n(r) draws, r <= p) <= (1-c)/2 + (1-c)/2 = 1 - c
//
// for the draws of the new server are independent of those of the old one, from which n follows.
// kRarer: half a fix leaves a window that is narrower, and one that has moved is hit more rarely.
// Where every schedule with one preemption was executed on the new server besides, what narrows a
// window has been looked for in another way, and it is enough that it came no rarer (kRarer = 1).
//
// Where the old server gives it too rarely for its rate to be known in time, one argument is left:
// every schedule with one preemption was executed on the new server, none gave it, and on the old
// one such a schedule does.
//
// Pure.
#pragma once

#include <cstdint>

namespace esox {

inline constexpr uint64_t kWantedHits = 20;
inline constexpr double kRarer = 10;

// Fresh draws that were judged.
struct DrawCounts {
  uint64_t draws = 0;
  uint64_t hits = 0;
};

class RateArgument {
 public:
  RateArgument(const DrawCounts& old, double confidence);

  // Draws without a hit that tell of a violation so many times rarer than on the old server;
  // UINT64_MAX: no number does.
  uint64_t draws_wanted(double times_rarer) const;
  // How many times rarer it may be for so many draws to have shown it all the same. Below 1: they
  // would not even have shown it were it as frequent as on the old server.
  double times_rarer(uint64_t draws) const;

 private:
  double each_;        // confidence of each of the two steps
  double least_rate_;  // the old server's rate is at least this
};

}  // namespace esox
