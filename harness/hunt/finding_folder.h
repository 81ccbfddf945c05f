// SPDX-License-Identifier: Apache-2.0
// A finding on disk: a folder that explains itself and can be replayed.
//
//   finding.yaml     all that `esox replay` needs (analysis/finding.h)
//   comparison.txt   what was expected and what was seen, for people
//   elements.txt     if the state differs: all the elements in which it does, not only the first
//   trace.txt        what each client's thread did, step by step
//   stack.txt        of a crash, a deadlock or a hang: the stacks and the end of the server's log
//
// Later on, in any order: diagnosis.txt and diagnosis.json (harness/findings/diagnosis),
// minimised.yaml and minimised.txt (harness/findings/minimise).
#pragma once

#include <filesystem>

#include "analysis/finding.h"
#include "harness/hunt/exploration.h"

namespace esox {

// Makes findings/ID/, whole or not at all; gives its path. Throws OutError, FindingError.
std::filesystem::path write_finding_folder(const std::filesystem::path& findings,
                                           const Finding& finding, const Judged& judged,
                                           const Masks& masks);

// Replaces the folder's finding.yaml, when its counts have changed. Throws FindingError.
void update_finding_folder(const std::filesystem::path& folder, const Finding& finding);

}  // namespace esox
