// SPDX-License-Identifier: Apache-2.0
#include "harness/findings/verify/argument.h"

#include "base/statistics/confidence.h"

namespace esox {

RateArgument::RateArgument(const DrawCounts& old, double confidence)
    : each_((1 + confidence) / 2), least_rate_(lower_bound_of_rate(old.hits, old.draws, each_)) {}

uint64_t RateArgument::draws_wanted(double times_rarer) const {
  return executions_to_see(least_rate_ / times_rarer, each_);
}

double RateArgument::times_rarer(uint64_t draws) const {
  return least_rate_ / upper_bound_of_rate(0, draws, each_);
}

}  // namespace esox
