// SPDX-License-Identifier: Apache-2.0
// See night_report_json.h.
#include "harness/night/night_report_json.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <system_error>

#include "harness/reports/hunt_reader.h"
#include "harness/reports/report_error.h"

namespace esox {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

constexpr uint64_t kMaxNightBytes = uint64_t{256} << 20;

Json json_of(const WorkerTime& time) {
  return {{"executing_seconds", time.executing_s},
          {"preparing_seconds", time.preparing_s},
          {"other_seconds", time.other_s}};
}

Json json_of(const NotDone& one) {
  return {{"input", one.input}, {"engine", one.engine}, {"why", one.why}};
}

Json json_of(const LegReport& leg);

template <class T>
Json list_of(const std::vector<T>& values) {
  Json list = Json::array();
  for (const T& value : values) list.push_back(json_of(value));
  return list;
}

Json json_of(const LegReport& leg) {
  return {{"name", leg.name},
          {"server_name", leg.server_name},
          {"server_path", leg.server_path},
          {"server_version", leg.server_version},
          {"server_options", leg.server_options},
          {"corpus", leg.corpus},
          {"strategy", leg.strategy},
          {"seed", leg.seed},
          {"budget_seconds", leg.budget_s},
          {"seconds", leg.seconds},
          {"jobs", leg.jobs},
          {"inputs_planned", leg.inputs_planned},
          {"inputs_reached", leg.inputs_reached},
          {"executions", leg.executions},
          {"degraded", leg.degraded},
          {"findings", leg.findings},
          {"workers_replaced", leg.workers_replaced},
          {"restarts", leg.restarts},
          {"time", json_of(leg.time)},
          {"failure", leg.failure},
          {"folder", leg.folder.string()},
          {"not_done", list_of(leg.not_done)}};
}

// The value of `key`, or what is there already if the key is missing or null.
template <class T>
void take(const Json& json, const char* key, T& value) {
  const auto found = json.find(key);
  if (found != json.end() && !found->is_null()) value = found->get<T>();
}

void take_path(const Json& json, const char* key, fs::path& path) {
  std::string text;
  take(json, key, text);
  path = text;
}

void take_value(const Json& json, WorkerTime& time) {
  take(json, "executing_seconds", time.executing_s);
  take(json, "preparing_seconds", time.preparing_s);
  take(json, "other_seconds", time.other_s);
}

void take_value(const Json& json, NotDone& one) {
  take(json, "input", one.input);
  take(json, "engine", one.engine);
  take(json, "why", one.why);
}

void take_value(const Json& json, LegReport& leg);

template <class T>
void take_list(const Json& json, const char* key, std::vector<T>& list) {
  const auto found = json.find(key);
  if (found == json.end() || found->is_null()) return;
  if (!found->is_array()) throw ReportError(fmt::format("'{}' is not a list", key));
  for (const Json& one : *found) take_value(one, list.emplace_back());
}

void take_value(const Json& json, LegReport& leg) {
  leg.name = json.at("name").get<std::string>();
  take(json, "server_name", leg.server_name);
  take(json, "server_path", leg.server_path);
  take(json, "server_version", leg.server_version);
  take(json, "server_options", leg.server_options);
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
  take_list(json, "not_done", leg.not_done);
  const auto time = json.find("time");
  if (time != json.end()) take_value(*time, leg.time);
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
  take_list(json, "legs", report.legs);
  return report;
}

}  // namespace

std::string night_report_json(const NightReport& report) {
  Json json = {{"id", report.id},
               {"name", report.name},
               {"file", report.file.string()},
               {"esox_version", report.esox_version},
               {"shard", report.shard},
               {"started", report.started},
               {"ended", report.ended},
               {"seconds", report.seconds},
               {"budget_seconds", report.budget_s ? Json(*report.budget_s) : Json()},
               {"sittings", report.sittings},
               {"interrupted", report.interrupted},
               {"recheck_seconds", report.recheck_s},
               {"nights_until_all", report.nights_until_all},
               {"failure", report.failure},
               {"missing", report.missing},
               {"legs", list_of(report.legs)}};
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

NightReport night_report_of(const std::string& json, const std::string& file) {
  try {
    return report_of(Json::parse(json));
  } catch (const Json::exception& error) {
    throw ReportError(
        fmt::format("{} is damaged or of another esox: {}; the night's legs are whole "
                    "hunts, to be read by esox report one by one",
                    file, error.what()));
  } catch (const ReportError& error) {
    throw ReportError(fmt::format("{}: {}", file, error.what()));
  }
}

NightReport read_night_report(const fs::path& night) {
  const fs::path file = night / kNightFile;
  std::error_code error;
  if (!fs::exists(file, error)) {
    throw ReportError(fmt::format("{} is no night: it holds no {}; esox nights OUT lists them",
                                  night.string(), kNightFile));
  }
  return night_report_of(read_report_file(file, kMaxNightBytes), file.string());
}

}  // namespace esox
