// SPDX-License-Identifier: Apache-2.0
// See night_json.h. Keys keep their order: what a reader looks for first comes first.
#include "harness/nights/night/night_json.h"

#include <nlohmann/json.hpp>

namespace esox {
namespace {

using Json = nlohmann::ordered_json;

Json json_of(const WorkerTime& time) {
  return {{"executing", time.executing_s},
          {"preparing", time.preparing_s},
          {"other", time.other_s},
          {"executing_share", time.executing_share()}};
}

Json json_of(const NotDone& one) {
  return {{"input", one.input}, {"engine", one.engine}, {"why", one.why}};
}

Json json_of(const LegReport& leg) {
  Json not_done = Json::array();
  for (const NotDone& one : leg.not_done) not_done.push_back(json_of(one));
  return {{"name", leg.name},
          {"server",
           {{"name", leg.server_name},
            {"path", leg.server_path},
            {"version", leg.server_version},
            {"options", leg.server_options}}},
          {"corpus", leg.corpus},
          {"strategy", leg.strategy},
          {"seed", leg.seed},
          {"jobs", leg.jobs},
          {"budget_seconds", leg.budget_s},
          {"seconds", leg.seconds},
          {"inputs_planned", leg.inputs_planned},
          {"inputs_reached", leg.inputs_reached},
          {"executions", leg.executions},
          {"degraded", leg.degraded},
          {"findings", leg.findings},
          {"worker_seconds", json_of(leg.time)},
          {"workers_replaced", leg.workers_replaced},
          {"restarts", leg.restarts},
          {"failure", leg.failure},
          {"folder", leg.folder.string()},
          {"not_done", not_done}};
}

}  // namespace

std::string night_json(const NightReport& night) {
  Json legs = Json::array();
  for (const LegReport& leg : night.legs) legs.push_back(json_of(leg));
  const Json json = {{"id", night.id},
                     {"name", night.name},
                     {"file", night.file.string()},
                     {"esox_version", night.esox_version},
                     {"shard", night.shard},
                     {"started", night.started},
                     {"ended", night.ended},
                     {"interrupted", night.interrupted},
                     {"failure", night.failure},
                     {"missing", night.missing},
                     {"budget_seconds", night.budget_s ? Json(*night.budget_s) : Json()},
                     {"seconds", night.seconds},
                     {"sittings", night.sittings},
                     {"recheck_seconds", night.recheck_s},
                     {"nights_until_all", night.nights_until_all},
                     {"legs", legs}};
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace esox
