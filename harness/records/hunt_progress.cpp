// SPDX-License-Identifier: Apache-2.0
// See hunt_progress.h.
#include "harness/records/hunt_progress.h"

#include <fstream>
#include <nlohmann/json.hpp>

namespace esox {

std::string progress_json(const HuntProgress& progress) {
  const nlohmann::ordered_json json = {
      {"runs", progress.runs},         {"executions", progress.executions},
      {"findings", progress.findings}, {"workers_replaced", progress.workers_replaced},
      {"seconds", progress.seconds},   {"ended", progress.ended}};
  return json.dump() + "\n";
}

std::optional<HuntProgress> read_progress(const std::filesystem::path& out) {
  std::ifstream stream(out / "progress.json");
  const nlohmann::json json = nlohmann::json::parse(stream, nullptr, false);
  if (!json.is_object()) return std::nullopt;
  try {
    HuntProgress progress;
    json.at("runs").get_to(progress.runs);
    json.at("executions").get_to(progress.executions);
    json.at("findings").get_to(progress.findings);
    json.at("workers_replaced").get_to(progress.workers_replaced);
    json.at("seconds").get_to(progress.seconds);
    json.at("ended").get_to(progress.ended);
    return progress;
  } catch (const nlohmann::json::exception&) {
    return std::nullopt;
  }
}

}  // namespace esox
