// SPDX-License-Identifier: Apache-2.0
// When are findings of different inputs, engines and hunts one? When they share a key of their
// signatures (family_keys).
//
// `plain` needs no diagnosis: the class, what differs and in which direction (missing, extra), and
// the shape of all statements (RequestLanguage::shape). `critical` is of the critical pair, what
// differs, and the kinds of statement: the pair says so much that names and forms of the statements
// no longer matter. Engine, setting, seed, values and names of tables are in neither.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "analysis/finding.h"
#include "harness/records/triage/diagnosis_facts.h"

namespace esox {

struct Signature {
  std::string text;      // for people, a line per fact
  std::string plain;     // 16 hex digits
  std::string critical;  // the same; empty without a confirmed critical pair
};

// `plain` and `critical`; and of what the text tells: the gravest difference and a place where a
// client of the critical pair stood; both places, for two of replies or two of the state; damage
// and the kinds of statement; an anomaly and the forms of the requests whose reads show it; of a
// hang the places where clients stand and where the waits of others time out, if several; of a
// crash or a deadlock where it came, with the callers. A text that an earlier esox has kept lacks
// such lines, and gives fewer.
std::vector<std::string> family_keys(const Signature& signature);

// Whether the two share a key: they show one bug, as far as can be told.
bool same_family(const Signature& one, const Signature& other);

Signature signature_of(const Finding& finding, const std::optional<DiagnosisFacts>& diagnosis);

}  // namespace esox
