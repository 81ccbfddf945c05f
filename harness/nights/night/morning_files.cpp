// SPDX-License-Identifier: Apache-2.0
#include "harness/nights/night/morning_files.h"

#include <nlohmann/json.hpp>

#include "harness/nights/night/metrics.h"
#include "harness/nights/night/morning_view.h"
#include "harness/records/out_folder.h"

namespace esox {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

Json json_of(const Change& change) {
  return {{"server", change.server},
          {"fate", fate_name(change.fate)},
          {"hits", change.hits},
          {"executions", change.executions},
          {"by_schedule", change.by_schedule},
          {"first_here", change.first_here},
          {"last_met", change.last_met},
          {"gone_since", change.gone_since},
          {"marked_fixed", change.marked_fixed},
          {"nights_since", change.nights_since},
          {"executions_since", change.executions_since},
          {"chance", change.chance},
          {"risk", change.risk},
          {"remaining_rate", change.remaining}};
}

Json json_of(const MorningFinding& one) {
  Json json = {{"id", one.id},
               {"alike", one.alike},
               {"fate", fate_name(one.fate)},
               {"state", state_name(one.state)},
               {"note", one.note},
               {"class", one.verdict},
               {"place", one.place},
               {"brief", one.brief},
               {"critical", one.critical},
               {"folder", one.folder.string()},
               {"servers", Json::array()},
               {"tried_again", Json::array()}};
  for (const Change& change : one.changes) json["servers"].push_back(json_of(change));
  for (const StoredRecheck& recheck : one.tried_again) {
    json["tried_again"].push_back({{"server", recheck.server_name},
                                   {"finding", recheck.finding},
                                   {"at", recheck.at},
                                   {"result", recheck.result},
                                   {"why", recheck.why}});
  }
  return json;
}

}  // namespace

void write_morning(const Morning& morning, const fs::path& folder, const fs::path& metrics) {
  const MorningView view = morning_view(morning);
  const std::string numbers = night_metrics(morning);
  write_whole_file(folder / "changes.json", changes_json(morning));
  write_whole_file(folder / "summary.txt", morning_text(view));
  write_whole_file(folder / "summary.html", morning_html(view));
  write_whole_file(folder / "esox.prom", numbers);
  if (!metrics.empty()) write_whole_file(metrics, numbers);
}

std::string changes_json(const Morning& morning) {
  Json counts;
  for (const Fate fate : kFates) {
    const auto found = morning.counts.find(fate);
    counts[fate_name(fate)] = found == morning.counts.end() ? 0 : found->second;
  }
  Json json = {{"night", morning.night.id},
               {"headline", morning_headline(morning)},
               {"counts", counts},
               {"missing", morning.missing},
               {"inputs_planned", morning.inputs_planned},
               {"inputs_reached", morning.inputs_reached},
               {"findings", Json::array()},
               {"closed", Json::array()}};
  for (const MorningFinding& one : morning.findings) json["findings"].push_back(json_of(one));
  for (const MorningFinding& one : morning.closed) json["closed"].push_back(json_of(one));
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace esox
