// SPDX-License-Identifier: Apache-2.0
// A finding for a bug tracker: a folder that explains itself to somebody who has never seen esox,
// and holds all that reproducing takes. Nothing in it tells of the machine: no paths, no host.
//
//   README.md        versions, options, setup, requests, expected and seen, how to run it
//   finding.yaml     for esox replay, verify, diagnose
//   input.yaml       for esox hunt
//   setup.sql, client-A.txt, ...     the requests and what plays them: the target's
//   (export_pieces.h) comparison.txt, trace.txt, elements.txt, stack.txt, diagnosis.txt,
//   minimised.yaml, reproduce.py, reproduce.json    if there
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>

#include "analysis/finding.h"
#include "harness/findings/replay/critical_place.h"
#include "targets/export_pieces.h"

namespace esox {

// What lies beside a finding.yaml.
struct FindingCompany {
  std::map<std::string, std::string> texts;  // by file name
  std::optional<CriticalPlace> critical;
  std::optional<Finding> minimised;
};

// Looks into the finding's folder. Throws FindingError (a minimised.yaml that makes no sense).
FindingCompany company_of(const std::filesystem::path& finding_file);

// What its server's target adds.
ExportPieces pieces_of(const Finding& finding, const FindingCompany& company);

// Pure: name and contents of each file.
std::map<std::string, std::string> exported_files(const Finding& finding,
                                                  const FindingCompany& company);

// Whole or not at all; `folder` must not exist. Throws OutError.
void write_export(const std::filesystem::path& folder,
                  const std::map<std::string, std::string>& files);

// Paths reduced to their last part, and this host's name to "HOST".
std::string without_machine(const std::string& text);

}  // namespace esox
