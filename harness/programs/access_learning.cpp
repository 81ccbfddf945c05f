// SPDX-License-Identifier: Apache-2.0
#include "harness/programs/access_learning.h"

#include <set>

#include "preload/strategy/rng.h"

namespace esox {
namespace {

// One execution in so many points, on average, goes on with another thread: few enough that threads
// come far, many enough that they meet.
constexpr double kSwitchProbability = 0.1;

}  // namespace

std::vector<uint64_t> learn_access_sites(ProgramServer& server, uint64_t seed, uint32_t executions,
                                         std::chrono::milliseconds limit) {
  std::set<uint64_t> found;
  AccessSettings accesses;
  accesses.level = AccessLevel::kConflicting;
  accesses.learn = true;
  ProgramSpec spec;
  spec.strategy.kind = StrategyKind::kRandom;
  spec.strategy.switch_probability = kSwitchProbability;
  spec.limit = limit;
  for (uint32_t i = 0; i < executions; ++i) {
    server.offer(accesses);
    spec.seed = splitmix64(seed);
    if (server.run(spec).stopped) break;
    for (const uint64_t site : server.learned_sites()) {
      if (found.size() < kMaxAccessSites) found.insert(site);
    }
    accesses.sites.assign(found.begin(), found.end());
  }
  accesses.learn = false;
  server.offer(accesses);
  return accesses.sites;
}

}  // namespace esox
