// SPDX-License-Identifier: Apache-2.0
#include "harness/records/needed_choices.h"

#include <fstream>
#include <nlohmann/json.hpp>

#include "analysis/report/taken_choices.h"
#include "harness/records/finding_file.h"

namespace esox {

std::optional<std::string> needed_choices(const std::filesystem::path& folder) {
  std::ifstream diagnosed(folder / "diagnosis.json");
  const auto json = nlohmann::json::parse(diagnosed, nullptr, false);
  const bool known = json.is_object() && json.contains("data_choices") &&
                     json["data_choices"].is_string() && json.value("came", false);
  if (known) return json["data_choices"].get<std::string>();
  try {
    return taken_choices(read_finding(folder / "finding.yaml").values);
  } catch (const FindingError&) {
    return std::nullopt;
  }
}

}  // namespace esox
