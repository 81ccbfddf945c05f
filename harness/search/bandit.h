// SPDX-License-Identifier: Apache-2.0
// A bandit: deals executions out to arms, so that arms which earn more get more, and none starves.
//
// An arm's share is its prior times what it earns in an execution against the mean of all, to the
// power `sharpness`: with 1, one that earns twice the mean is dealt twice its prior. What it earns
// is estimated with kBanditInertia executions' worth of the mean, so that a lucky first execution
// does not decide. `floor` of the executions are dealt out by the priors alone, for ever: the whole
// is at worst slower than its best arm by `floor` times that arm's prior, where all others are
// useless.
//
// An execution earns:
//   a violation of a new cause   1       what is looked for
//   one of a known cause         0.25    here is something to be found, and this arm hits
//   an outcome not seen before   0.1     other behaviours
//   an order not seen before     0.02    (of conflicting operations)
//
// Deterministic: the choice follows from the seed and the earned figures. Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace esox {

inline constexpr double kBanditInertia = 15;

struct Earned {
  bool new_cause = false;
  bool violation = false;
  bool new_outcome = false;
  bool new_order = false;
};

// Plain data.
struct ArmRecord {
  uint64_t executions = 0;
  double earned = 0;
};

void note_earned(ArmRecord& arm, const Earned& earned);

// `priors`, which add up to 1, and the shares are by arm, as `records` is. An arm with prior 0 is
// dealt nothing.
std::vector<double> bandit_shares(std::span<const double> priors,
                                  std::span<const ArmRecord> records, double floor,
                                  double sharpness = 1);

// The arm that makes the execution with this seed.
size_t bandit_arm(std::span<const double> shares, uint64_t seed);

}  // namespace esox
