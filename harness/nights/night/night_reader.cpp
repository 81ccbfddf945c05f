// SPDX-License-Identifier: Apache-2.0
// See night_reader.h.
#include "harness/nights/night/night_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <system_error>

#include "harness/records/reports/hunt_reader.h"
#include "harness/records/reports/json_fields.h"
#include "harness/records/reports/report_error.h"

namespace esox {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

constexpr uint64_t kMaxNightBytes = uint64_t{256} << 20;

void take_path(const Json& json, const char* key, fs::path& path) {
  std::string text;
  take(json, key, text);
  path = text;
}

void take_not_done(const Json& json, NotDone& one) {
  take(json, "input", one.input);
  take(json, "engine", one.engine);
  take(json, "why", one.why);
}

void take_leg(const Json& json, LegReport& leg) {
  leg.name = json.at("name").get<std::string>();
  const Json& server = json.at("server");
  leg.server_name = server.at("name").get<std::string>();
  take(server, "path", leg.server_path);
  take(server, "version", leg.server_version);
  take(server, "options", leg.server_options);
  take(json, "corpus", leg.corpus);
  take(json, "strategy", leg.strategy);
  take(json, "seed", leg.seed);
  take(json, "budget_seconds", leg.budget_s);
  take(json, "seconds", leg.seconds);
  take(json, "jobs", leg.jobs);
  take(json, "inputs_planned", leg.inputs_planned);
  take(json, "inputs_reached", leg.inputs_reached);
  take(json, "executions", leg.executions);
  take(json, "degraded", leg.degraded);
  take(json, "findings", leg.findings);
  take(json, "workers_replaced", leg.workers_replaced);
  take(json, "restarts", leg.restarts);
  take(json, "failure", leg.failure);
  take_path(json, "folder", leg.folder);
  take_list(json, "not_done", leg.not_done, take_not_done);
  take_worker_time(json, leg.time);
}

NightReport report_of(const Json& json) {
  NightReport report;
  report.id = json.at("id").get<std::string>();
  take(json, "name", report.name);
  take_path(json, "file", report.file);
  take(json, "esox_version", report.esox_version);
  take(json, "shard", report.shard);
  take(json, "started", report.started);
  take(json, "ended", report.ended);
  take(json, "seconds", report.seconds);
  double budget_s = 0;
  take(json, "budget_seconds", budget_s);
  if (budget_s > 0) report.budget_s = budget_s;
  take(json, "sittings", report.sittings);
  take(json, "interrupted", report.interrupted);
  take(json, "recheck_seconds", report.recheck_s);
  take(json, "nights_until_all", report.nights_until_all);
  take(json, "missing", report.missing);
  take(json, "failure", report.failure);
  take_list(json, "legs", report.legs, take_leg);
  return report;
}

// Not what the night itself knows of the leg: its plan, its time, its folder, how it ended.
void recall(LegReport& leg, const LegReport& told) {
  leg.server_path = told.server_path;
  leg.server_version = told.server_version;
  leg.server_options = told.server_options;
  leg.jobs = told.jobs;
  leg.inputs_planned = told.inputs_planned;
  leg.inputs_reached = told.inputs_reached;
  leg.executions = told.executions;
  leg.degraded = told.degraded;
  leg.findings = told.findings;
  leg.workers_replaced = told.workers_replaced;
  leg.time = told.time;
  leg.not_done = told.not_done;
}

}  // namespace

NightReport night_from_json(const std::string& text, const std::string& file) {
  try {
    return report_of(Json::parse(text));
  } catch (const Json::exception& error) {
    throw ReportError(
        fmt::format("{} is damaged or of another esox: {}; the night's legs are whole "
                    "hunts, to be read by esox report one by one",
                    file, error.what()));
  } catch (const ReportError& error) {
    throw ReportError(fmt::format("{}: {}", file, error.what()));
  }
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
  for (const LegReport& one : told.legs) {
    for (LegReport& leg : night.legs) {
      if (one.name == leg.name) recall(leg, one);
    }
  }
}

NightReport read_night(const fs::path& night) {
  const fs::path file = night / kNightFile;
  std::error_code error;
  if (!fs::exists(file, error)) {
    throw ReportError(fmt::format("{} is no night: it holds no {}; esox nights OUT lists them",
                                  night.string(), kNightFile));
  }
  return night_from_json(read_report_file(file, kMaxNightBytes), file.string());
}

std::vector<fs::path> night_folders(const fs::path& out) {
  std::error_code error;
  const fs::path nights = fs::is_directory(out / "nights", error) ? out / "nights" : out;
  std::vector<fs::path> folders;
  for (const auto& entry : fs::directory_iterator(nights, error)) {
    std::error_code unknown;
    if (fs::is_regular_file(entry.path() / kNightFile, unknown)) folders.push_back(entry.path());
  }
  std::sort(folders.begin(), folders.end());
  return folders;
}

}  // namespace esox
