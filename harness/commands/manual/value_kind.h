// SPDX-License-Identifier: Apache-2.0
// What a shell offers for an option's value or an operand, by what the definition calls it.
#pragma once

#include "harness/commands/manual/command_facts.h"

namespace esox {

enum class ValueKind {
  kChoices,   // one of OptionFacts::choices
  kFiles,     // files, on the way through folders; also what has no name that tells
  kFolders,   // folders only
  kFindings,  // folders of findings, and files
  kIds,       // of findings in the triage store
  kPrograms,  // commands and files
  kNothing,   // a number, a duration, a word
};

ValueKind value_kind(const OptionFacts& option);

}  // namespace esox
