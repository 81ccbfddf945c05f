// SPDX-License-Identifier: Apache-2.0
// A finding for a bug tracker: a folder that explains itself to somebody who has never seen esox,
// and holds all that reproducing takes. Nothing in it tells of the machine: no paths, no host.
//
//   README.md        what is wrong, how to see it, which versions have it (readme.h)
//   reproduce.py, reproduce.json     show it without esox
//   finding.yaml     for esox replay, verify, diagnose
//   input.yaml       for esox hunt
//   setup.sql, client-A.txt, ...     the requests and what plays them: the target's
//   (export_pieces.h) comparison.txt, trace.txt, elements.txt, stack.txt, diagnosis.txt,
//   minimised.yaml, affected.txt, finding.test, ...     if there
#pragma once

#include <filesystem>
#include <map>
#include <string>

#include "harness/findings/export/company.h"

namespace esox {

// Pure: name and contents of each file.
std::map<std::string, std::string> exported_files(const Finding& finding,
                                                  const FindingCompany& company);

// Whole or not at all; `folder` must not exist. Throws OutError.
void write_export(const std::filesystem::path& folder,
                  const std::map<std::string, std::string>& files);

}  // namespace esox
