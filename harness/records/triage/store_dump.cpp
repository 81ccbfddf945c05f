// SPDX-License-Identifier: Apache-2.0
// What a triage store knows, for comparing two: store.h, dump().
#include <set>

#include "harness/records/json_text.h"
#include "harness/records/triage/store.h"

namespace esox {
namespace {

Json json_of(const Occurrence& one) {
  return {{"id", one.id},
          {"input", one.input},
          {"title", one.title},
          {"engine", one.engine},
          {"setting", one.setting},
          {"class", class_name(one.verdict)},
          {"latent", one.latent},
          {"hits", one.hits},
          {"executions", one.executions},
          {"first_execution", one.first_execution},
          {"seed", one.seed},
          {"plain", one.signature.plain},
          {"critical", one.signature.critical}};
}

// What was decided and what followed, in its order.
Json json_of(const std::vector<TriageChange>& history) {
  Json json = Json::array();
  for (const TriageChange& one : history) {
    if (!one.from.empty() && one.to != "regressed") json.push_back({one.to, one.note});
  }
  return json;
}

}  // namespace

std::string Store::dump() {
  Json json = {
      {"executions", Json::array()}, {"hunted", Json::array()}, {"findings", Json::array()}};
  database_.run(
      "SELECT server_version, server_options, strategy, seed, executions_each, esox_version, "
      "SUM(executions) FROM hunts GROUP BY 1, 2, 3, 4, 5, 6 ORDER BY 1, 2, 3, 4, 5, 6",
      {}, [&](const SqlRow& row) {
        json["hunted"].push_back({{"server", row.text(0)},
                                  {"server_options", row.text(1)},
                                  {"strategy", row.text(2)},
                                  {"seed", row.text(3)},
                                  {"executions_each", row.number(4)},
                                  {"esox", row.text(5)},
                                  {"executions", row.number(6)}});
      });
  database_.run(
      "SELECT input, engine, setting, verdict, SUM(executions) FROM verdicts GROUP BY 1, 2, 3, 4 "
      "ORDER BY 1, 2, 3, 4",
      {}, [&](const SqlRow& row) {
        json["executions"].push_back({{"input", row.text(0)},
                                      {"engine", row.text(1)},
                                      {"setting", row.text(2)},
                                      {"class", row.text(3)},
                                      {"executions", row.number(4)}});
      });
  std::map<std::string, Json> findings;
  for (const TriagedFinding& one : this->findings()) {
    std::multiset<Json> occurrences;
    for (const StoredOccurrence& it : this->occurrences(one.id)) {
      occurrences.insert(json_of(it.occurrence));
    }
    findings[one.id] = {{"id", one.id},
                        {"state", state_name(one.state)},
                        {"filter", one.filter},
                        {"note", one.note},
                        {"class", one.verdict},
                        {"latent", one.latent},
                        {"input", one.input},
                        {"engine", one.engine},
                        {"setting", one.setting},
                        {"title", one.title},
                        {"signature", one.signature},
                        {"decisions", json_of(this->history(one.id))},
                        {"occurrences", occurrences}};
  }
  for (auto& [id, one] : findings) json["findings"].push_back(std::move(one));
  return json.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace esox
