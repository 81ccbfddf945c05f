// SPDX-License-Identifier: Apache-2.0
// hunt.json. Keys keep their order: what a reader looks for first comes first.
#include <nlohmann/json.hpp>

#include "harness/records/report.h"

namespace esox {
namespace {

using Json = nlohmann::ordered_json;

Json json_of(const HuntFinding& finding) {
  return {{"id", finding.id},
          {"input", finding.input},
          {"engine", finding.engine},
          {"setting", finding.setting},
          {"class", class_name(finding.verdict)},
          {"latent", finding.latent},
          {"hits", finding.hits},
          {"executions", finding.executions},
          {"first_execution", finding.first_execution},
          {"seed", finding.seed},
          {"title", finding.title},
          {"cause", finding.cause},
          {"brief", finding.brief},
          {"critical", finding.critical},
          {"smaller", finding.smaller},
          {"folder", finding.folder.empty() ? "" : std::filesystem::absolute(finding.folder)}};
}

Json json_of(const UnconfirmedViolation& violation) {
  return {{"input", violation.input},     {"engine", violation.engine},
          {"setting", violation.setting}, {"class", class_name(violation.verdict)},
          {"hits", violation.hits},       {"first_execution", violation.first_execution},
          {"seed", violation.seed},       {"doubt", violation.doubt},
          {"cause", violation.cause}};
}

Json json_of(const InputMasks& masks) {
  Json places = Json::array();
  for (const InputMasks::Place& place : masks.places) {
    places.push_back({{"place", place.name}, {"orders", place.orders}});
  }
  return {{"input", masks.input},
          {"engine", masks.engine},
          {"setting", masks.setting},
          {"places", places}};
}

Json json_of(const RuleAccount& rule) {
  Json json = {{"rule", rule.name},
               {"kind", rule.kind},
               {"owner", rule.owner},
               {"reason", rule.reason},
               {"executions", rule.executions},
               {"example", nullptr}};
  if (rule.executions == 0) return json;
  json["example"] = {{"input", rule.input},
                     {"engine", rule.engine},
                     {"execution", rule.execution},
                     {"seed", rule.seed},
                     {"forgiven", rule.example}};
  return json;
}

Json json_of(const CoverageFigures& seen) {
  return {{"judged", seen.judged},
          {"schedules", seen.schedules},
          {"schedules_once", seen.schedules_once},
          {"unseen_schedules", seen.unseen_schedules()},
          {"outcomes", seen.outcomes},
          {"outcomes_once", seen.outcomes_once},
          {"unseen_outcomes", seen.unseen_outcomes()},
          {"pairs", seen.pairs},
          {"pairs_both_ways", seen.pairs_both_ways},
          {"conflicting_sites", seen.sites}};
}

Json json_of(const HuntWarning& warning) {
  return {{"id", warning.id},
          {"lines", warning.lines},
          {"tried", warning.tried},
          {"hits", warning.hits}};
}

Json json_of(const ArmFigures& arm) {
  return {{"strategy", arm.strategy}, {"judged", arm.judged}, {"earned", arm.earned}};
}

Json json_of(const InputFigures& figures) {
  Json arms = Json::array();
  for (const ArmFigures& one : figures.arms) arms.push_back(json_of(one));
  Json warnings = Json::array();
  for (const HuntWarning& one : figures.warnings) warnings.push_back(json_of(one));
  Json json = {{"input", figures.input},
               {"engine", figures.engine},
               {"setting", figures.setting},
               {"title", figures.title},
               {"clients", figures.clients},
               {"points", figures.points},
               {"executions", figures.executions},
               {"degraded", figures.degraded},
               {"violations", figures.violations},
               {"findings", figures.findings},
               {"yield", figures.yield},
               {"seen", json_of(figures.coverage)},
               {"arms", arms},
               {"warnings", warnings}};
  if (!figures.search.said.empty()) {
    json["search"] = {{"said", figures.search.said}, {"exhausted", figures.search.exhausted}};
  }
  return json;
}

Json json_of(const SkippedInput& skipped) {
  return {{"input", skipped.input},
          {"engine", skipped.engine},
          {"setting", skipped.setting},
          {"why", skipped.why}};
}

Json json_of(const GateReport& gate) {
  return {{"runs", gate.runs},
          {"same_trace", gate.same_trace},
          {"same_outcome", gate.same_outcome},
          {"differences", gate.differences}};
}

template <class T>
Json list_of(const std::vector<T>& values) {
  Json list = Json::array();
  for (const T& value : values) list.push_back(json_of(value));
  return list;
}

// null: the whole of a hunt.
Json json_of(const std::optional<ShardPlace>& place) {
  if (!place) return {};
  return {{"campaign", place->campaign},
          {"name", place->name},
          {"number", place->shard.number},
          {"of", place->shard.of},
          {"explorations_of_all", place->explorations}};
}

Json head(const HuntReport& report) {
  return {{"version", report.esox_version},
          {"seed", report.seed},
          {"inputs", report.inputs},
          {"executions", report.executions},
          {"degraded", report.degraded},
          {"executions_per_second", report.executions_per_second()},
          {"findings", list_of(report.findings)},
          {"interrupted", report.interrupted},
          {"ended", report.ended},
          {"failure", report.failure},
          {"started", report.started},
          {"seconds", report.seconds}};
}

}  // namespace

uint64_t HuntReport::unconfirmed_hits() const {
  uint64_t hits = 0;
  for (const UnconfirmedViolation& violation : unconfirmed) hits += violation.hits;
  return hits;
}

void CoverageFigures::add(const CoverageFigures& more) {
  judged += more.judged;
  schedules += more.schedules;
  schedules_once += more.schedules_once;
  outcomes += more.outcomes;
  outcomes_once += more.outcomes_once;
  pairs += more.pairs;
  pairs_both_ways += more.pairs_both_ways;
  sites += more.sites;
}

CoverageFigures HuntReport::coverage() const {
  CoverageFigures sum;
  for (const InputFigures& one : figures) sum.add(one.coverage);
  return sum;
}

std::string report_json(const HuntReport& report) {
  Json json = head(report);
  json["id"] = report.id;
  json["shard"] = json_of(report.shard);
  json["server"] = {{"version", report.server_version},
                    {"path", report.server_path},
                    {"options", report.server_options}};
  json["strategy"] = report.strategy;
  json["learn"] = report.learn;
  json["engines"] = report.engines;
  json["jobs"] = report.jobs;
  json["executions_each"] = report.executions_each;
  json["budget_seconds"] = report.budget_s ? Json(*report.budget_s) : Json();
  json["explorations"] = report.explorations;
  json["explorations_touched"] = report.touched;
  json["executions_planned"] = report.planned;
  json["serial_executions"] = report.serial_executions;
  json["serial_steps"] = report.serial_steps;
  json["serial_states"] = report.serial_states;
  json["replays"] = report.replays;
  json["memory_kib"] = report.memory_kib;
  json["snapshots"] = {
      {"forked", report.lives.forked},       {"rewound", report.lives.rewound},
      {"not_rewound", report.lives.refused}, {"not_rewound_because", report.lives.why},
      {"restarted", report.lives.restarted}, {"restarted_because", report.lives.why_restarted}};
  json["server_failures"] = report.server_failures;
  json["workers_replaced"] = report.workers_replaced;
  json["worker_seconds"] = {{"executing", report.time.executing_s},
                            {"preparing", report.time.preparing_s},
                            {"other", report.time.other_s}};
  json["degraded_reasons"] = report.degraded_reasons;
  json["unconfirmed"] = list_of(report.unconfirmed);
  json["filters"] = list_of(report.filters);
  json["nondeterminism"] = list_of(report.nondeterminism);
  json["skipped"] = list_of(report.skipped);
  json["not_summarised"] = report.not_summarised;
  json["explored"] = list_of(report.figures);
  json["seen"] = json_of(report.coverage());
  json["gate"] = report.gate ? json_of(*report.gate) : Json();
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace esox
