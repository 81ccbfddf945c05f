// SPDX-License-Identifier: Apache-2.0
// What this machine can and cannot do for esox, one check at a time.
#pragma once

#include <string>
#include <vector>

#include "harness/commands/options.h"
#include "targets/target.h"

namespace esox {

enum class Health {
  kGood,
  kWarning,  // hunting is possible, but slower or less telling
  kBad,      // hunting is impossible
};

const char* health_name(Health health);  // "ok", "warning", "problem"

struct CheckResult {
  std::string name;  // "server"
  Health health = Health::kGood;
  std::string finding;  // one line
  std::string remedy;   // one line; empty if all is well
};

// All checks, in the order a reader wants them. Starts a private server for a moment if it can.
std::vector<CheckResult> examine_machine(const Target& target, const CommonOptions& options);

}  // namespace esox
