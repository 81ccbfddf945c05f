// SPDX-License-Identifier: Apache-2.0
// When are findings of different inputs, engines and hunts one? When they have the same signature.
//
// `plain` needs no diagnosis: the class, what differs and in which direction (missing, extra), and
// the shape of all statements (RequestLanguage::shape). `critical` is of the critical pair, what
// differs, and the kinds of statement: the pair says so much that names and forms of the statements
// no longer matter. Engine, setting, seed, values and names of tables are in neither.
#pragma once

#include <optional>
#include <string>

#include "analysis/finding.h"
#include "harness/records/triage/diagnosis_facts.h"

namespace esox {

struct Signature {
  std::string text;      // for people, a line per fact
  std::string plain;     // 16 hex digits
  std::string critical;  // the same; empty without a confirmed critical pair
};

Signature signature_of(const Finding& finding, const std::optional<DiagnosisFacts>& diagnosis);

}  // namespace esox
