// SPDX-License-Identifier: Apache-2.0
// Inputs of a test made again: with the full prefix (prefix.h) as their setup, of candidates whose
// slice was too long or failed when it was tried.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "inputs/import/candidate.h"
#include "inputs/import/imported_input.h"
#include "inputs/import/selection.h"
#include "targets/sql/import/test_import.h"

namespace esox {

// The best candidates first, as long as the selection, which knows the inputs admitted, wants more.
// An input of a `known` id has been tried before: its slice was the whole prefix.
std::vector<ImportedInput> import_prefixes(const RequestLanguage& language,
                                           const CapturedTest& test,
                                           std::vector<Candidate> candidates,
                                           const std::set<std::string>& known, Selection& selection,
                                           ImportCounts& counts);

}  // namespace esox
