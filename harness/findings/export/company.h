// SPDX-License-Identifier: Apache-2.0
// What there is of a finding besides finding.yaml, for its export: what was made of it and lies
// beside it, and what its server's target adds.
#pragma once

#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "analysis/finding.h"
#include "harness/findings/replay/critical_place.h"
#include "harness/records/affected.h"
#include "harness/records/reproducer_record.h"
#include "targets/export_pieces.h"

namespace esox {

// What lies beside a finding.yaml.
// NOLINTNEXTLINE(bugprone-exception-escape): its move is, as the library's maps have it
struct FindingCompany {
  std::map<std::string, std::string> texts;  // by file name
  std::optional<CriticalPlace> critical;
  std::optional<Finding> minimised;
  nlohmann::json plan;                         // reproduce.json
  std::optional<ReproducerRecord> reproducer;  // what that says of itself
  std::optional<AffectedTable> affected;
};

// Looks into the finding's folder. Throws FindingError (a minimised.yaml that makes no sense).
FindingCompany company_of(const std::filesystem::path& finding_file);

// Of the input and the server, but for what is always given.
std::vector<std::string> all_options(const Finding& finding);

// What its server's target adds.
ExportPieces pieces_of(const Finding& finding);

// Paths reduced to their last part, and this host's name to "HOST".
std::string without_machine(const std::string& text);

}  // namespace esox
