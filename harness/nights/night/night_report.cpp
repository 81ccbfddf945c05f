// SPDX-License-Identifier: Apache-2.0
#include "harness/nights/night/night_report.h"

#include <fmt/format.h>

#include "base/process/paths.h"
#include "harness/records/reports/hunt_reader.h"
#include "harness/records/reports/report_error.h"

namespace esox {
namespace {

namespace fs = std::filesystem;

constexpr uint64_t kMaxNightBytes = uint64_t{256} << 20;

// Not what the night itself knows of the stage: its plan, its time, its folder, how it ended.
void recall(StageReport& stage, const StageReport& told) {
  stage.server_path = told.server_path;
  stage.server_version = told.server_version;
  stage.server_options = told.server_options;
  stage.jobs = told.jobs;
  stage.inputs_planned = told.inputs_planned;
  stage.inputs_reached = told.inputs_reached;
  stage.findings = told.findings;
  static_cast<HuntCounts&>(stage) = told;
  stage.not_done = told.not_done;
}

}  // namespace

NightReport night_from_json(const std::string& text, const std::string& file) {
  try {
    return from_json<NightReport>(text);
  } catch (const RecordError& error) {
    throw ReportError(
        fmt::format("{} is damaged or of another esox: {}; the night's stages are whole "
                    "hunts, to be read by esox report one by one",
                    file, error.what()));
  }
}

std::string night_json(const NightReport& night) {
  return to_json(night, 2);
}

void recall_night(NightReport& night, const fs::path& file) {
  NightReport told;
  try {
    told = night_from_json(read_report_file(file, kMaxNightBytes), file.string());
  } catch (const ReportError&) {
    return;
  }
  if (told.id != night.id) return;
  night.missing = told.missing;
  night.nights_until_all = told.nights_until_all;
  for (const StageReport& one : told.stages) {
    for (StageReport& stage : night.stages) {
      if (one.name == stage.name) recall(stage, one);
    }
  }
}

NightReport read_night(const fs::path& night) {
  const fs::path file = night / kNightFile;
  if (!is_there(file)) {
    throw ReportError(fmt::format("{} is no night: it holds no {}; esox nights OUT lists them",
                                  night.string(), kNightFile));
  }
  return night_from_json(read_report_file(file, kMaxNightBytes), file.string());
}

std::vector<fs::path> night_folders(const fs::path& out) {
  std::vector<fs::path> folders = entries_of(is_folder(out / "nights") ? out / "nights" : out);
  std::erase_if(folders, [](const fs::path& one) { return !is_file(one / kNightFile); });
  return folders;
}

}  // namespace esox
