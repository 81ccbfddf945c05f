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
// Where all that is wanted is hits, thompson_arm deals instead: it draws a rate of hits for each
// arm from what is believed of it and takes the arm with the largest (Thompson 1933), so that an
// arm is had as often as it may be the best. Shares by what was earned leave an arm that missed at
// first to its floor, though it be the better one: of lock_free_aba_stack, which two of six
// strategies hit often, they had 34 failures in 1,000 executions where the best strategy alone
// has 83.
//
// Deterministic: the choice follows from the seed and the figures. Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace esox {

inline constexpr double kBanditInertia = 15;
// Each arm is believed to hit as often as all do together, by so many executions for an arm whose
// prior is the mean of all: few, for a first miss or hit tells much where rates differ tenfold.
inline constexpr double kBelievedExecutions = 2;

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
  uint64_t hits = 0;
};

void note_earned(ArmRecord& arm, const Earned& earned);

// `priors`, which add up to 1, and the shares are by arm, as `records` is. An arm with prior 0 is
// dealt nothing.
std::vector<double> bandit_shares(std::span<const double> priors,
                                  std::span<const ArmRecord> records, double floor,
                                  double sharpness = 1);

// The arm that makes the execution with this seed.
size_t bandit_arm(std::span<const double> shares, uint64_t seed);

// The same by the arms' hits; `floor` as above.
size_t thompson_arm(std::span<const double> priors, std::span<const ArmRecord> records,
                    double floor, uint64_t seed);

}  // namespace esox
