// SPDX-License-Identifier: Apache-2.0
// The diagnosis of a finding: what a developer asks first. In this order, each within one budget:
//   1. the finding's schedule is executed once more: the violation must come;
//   2. fewest switches: the shortest schedule found that breaks in the same way;
//   3. the critical switch, and the pair of operations whose order decides;
//   4. both sides are executed again, to the letter, and judged;
//   5. the two threads' stacks, taken where both stand before their operations of the pair.
// The violation is "the same" if it has the same cause (analysis/cause.h).
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "harness/findings/diagnosis/description.h"
#include "harness/findings/diagnosis/parked_stacks.h"
#include "harness/findings/diagnosis/trials.h"

namespace esox {

// Each side of the critical switch is executed so often again.
inline constexpr unsigned kConfirmations = 3;

struct Confirmation {
  unsigned times = 0;
  unsigned violating = 0;
  unsigned accepted = 0;

  bool both_sides() const { return times > 0 && violating == times && accepted == times; }
};

struct CriticalDescription {
  SwitchDescription at;
  bool too_late = true;        // the mover's operation came too late, else too early
  OperationDescription moved;  // the mover's operation
  std::optional<OperationDescription>
      other;                // of the pair: the other client's; none: a whole stretch
  std::string accepted_as;  // "A1 B1": the serial order that explains the other side
  Confirmation confirmation;
  std::vector<ClientStack> stacks;
  std::string no_stacks;  // why there are none, or not all
};

struct Diagnosis {
  bool came = false;         // the finding's violation, by its own schedule
  std::string why_not;       // it did not
  std::string server;        // another one than it was found on; empty: that one
  std::string data_choices;  // that it needs (taken_choices.h); empty: none
  size_t recorded_switches = 0;
  size_t fewest_switches = 0;
  std::vector<SwitchDescription> switches;  // of the schedule that is told
  std::optional<CriticalDescription> critical;
  std::string no_critical;  // why there is none
  unsigned executions = 0;
  double seconds = 0;
};

// `executors`: another one executes for the stacks. Throws as Executor::run.
Diagnosis diagnose(Trials& trials, Exploration& exploration, const Finding& finding,
                   const ExecutorFactory& executors);

// For people, of at most 110 columns where words allow; for programs.
std::string diagnosis_text(const Diagnosis& diagnosis, const Finding& finding);
std::string diagnosis_json(const Diagnosis& diagnosis, const Finding& finding);

// diagnosis.txt and diagnosis.json beside finding.yaml (beside_finding). Throws OutError.
void write_diagnosis(const std::filesystem::path& finding_file, const Diagnosis& diagnosis,
                     const Finding& finding);

}  // namespace esox
