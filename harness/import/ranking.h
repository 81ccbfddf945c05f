// SPDX-License-Identifier: Apache-2.0
// In which order a hunt takes the inputs of a corpus: the promising ones first, none left out.
//
// First by what the order of their requests changes (trial.h): an input whose every order gives the
// same replies and tables can still be executed wrongly, but there is less to tell by. Within that,
// whatever adds most to what the ones before exercise: contacts inside the server, the rarer the
// more (Snowboard, SOSP 2021, takes its rarest clusters first), and kinds of statement that did not
// meet yet. Kinds that gave findings in earlier hunts weigh more, those that did not in many weigh
// less.
//
// Pure: the same inputs in whatever order give the same ranks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "analysis/contacts.h"
#include "harness/import/trial_result.h"

namespace esox {

struct Rankable {
  std::string id;
  Sensitivity sensitivity = Sensitivity::kNone;
  std::string kinds;
  std::vector<Contact> contacts;
  uint64_t hunted = 0;   // inputs of its kinds that were hunted so far
  uint64_t fertile = 0;  // those of them that gave a finding
};

// Indices, the first to be hunted first.
std::vector<size_t> ranked(const std::vector<Rankable>& inputs);

}  // namespace esox
