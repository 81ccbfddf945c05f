// SPDX-License-Identifier: Apache-2.0
// See tally.h.
#include "harness/records/tally.h"

#include <algorithm>
#include <nlohmann/json.hpp>

namespace esox {
namespace {

using Json = nlohmann::json;

// The account of a rule by its name; made if there is none.
RuleAccount& account_of(FilterAccount& account, const std::string& rule) {
  const auto known = std::find_if(account.begin(), account.end(),
                                  [&](const RuleAccount& one) { return one.name == rule; });
  if (known != account.end()) return *known;
  account.emplace_back();
  account.back().name = rule;
  return account.back();
}

void add_account(FilterAccount& account, const RuleAccount& more) {
  RuleAccount& one = account_of(account, more.name);
  if (one.executions == 0) {
    one.input = more.input;
    one.engine = more.engine;
    one.execution = more.execution;
    one.seed = more.seed;
    one.example = more.example;
  }
  one.executions += more.executions;
}

Json json_of(const RuleAccount& rule) {
  return {rule.name,      rule.executions, rule.input,  rule.engine,
          rule.execution, rule.seed,       rule.example};
}

RuleAccount rule_account(const Json& json) {
  RuleAccount rule;
  json.at(0).get_to(rule.name);
  json.at(1).get_to(rule.executions);
  json.at(2).get_to(rule.input);
  json.at(3).get_to(rule.engine);
  json.at(4).get_to(rule.execution);
  json.at(5).get_to(rule.seed);
  json.at(6).get_to(rule.example);
  return rule;
}

Json json_of(const HuntFinding& finding) {
  return {{"id", finding.id},
          {"input", finding.input},
          {"title", finding.title},
          {"engine", finding.engine},
          {"setting", finding.setting},
          {"class", static_cast<int>(finding.verdict)},
          {"latent", finding.latent},
          {"hits", finding.hits},
          {"executions", finding.executions},
          {"first_execution", finding.first_execution},
          {"seed", finding.seed},
          {"cause", finding.cause},
          {"brief", finding.brief}};
}

HuntFinding hunt_finding(const Json& json) {
  HuntFinding finding;
  json.at("id").get_to(finding.id);
  json.at("input").get_to(finding.input);
  json.at("title").get_to(finding.title);
  json.at("engine").get_to(finding.engine);
  json.at("setting").get_to(finding.setting);
  finding.verdict = static_cast<VerdictClass>(json.at("class").get<int>());
  json.at("latent").get_to(finding.latent);
  json.at("hits").get_to(finding.hits);
  json.at("executions").get_to(finding.executions);
  json.at("first_execution").get_to(finding.first_execution);
  json.at("seed").get_to(finding.seed);
  json.at("cause").get_to(finding.cause);
  json.at("brief").get_to(finding.brief);
  return finding;
}

Json json_of(const UnconfirmedViolation& violation) {
  return {{"input", violation.input},     {"engine", violation.engine},
          {"setting", violation.setting}, {"class", static_cast<int>(violation.verdict)},
          {"cause", violation.cause},     {"doubt", violation.doubt},
          {"hits", violation.hits},       {"first_execution", violation.first_execution},
          {"seed", violation.seed}};
}

UnconfirmedViolation unconfirmed_violation(const Json& json) {
  UnconfirmedViolation violation;
  json.at("input").get_to(violation.input);
  json.at("engine").get_to(violation.engine);
  json.at("setting").get_to(violation.setting);
  violation.verdict = static_cast<VerdictClass>(json.at("class").get<int>());
  json.at("cause").get_to(violation.cause);
  json.at("doubt").get_to(violation.doubt);
  json.at("hits").get_to(violation.hits);
  json.at("first_execution").get_to(violation.first_execution);
  json.at("seed").get_to(violation.seed);
  return violation;
}

template <class T>
Json list_of(const std::map<std::string, T>& by_cause) {
  Json list = Json::array();
  for (const auto& [cause, one] : by_cause) list.push_back({cause, json_of(one)});
  return list;
}

}  // namespace

void note_forgiven(Tally& tally, const ConcreteInput& input, const ExecutionRecord& record,
                   const Verdict& verdict) {
  for (const ForgivenPlace& place : verdict.forgiven) account_of(tally.forgiven, place.rule);
  note_forgiven(tally.forgiven, input, record, verdict);
}

void add_counts(HuntReport& report, const Tally& tally) {
  report.executions += tally.executions;
  report.degraded += tally.degraded;
  report.serial_executions += tally.serial_executions;
  report.serial_steps += tally.serial_steps;
  report.serial_states += tally.serial_states;
  report.replays += tally.replays;
  for (const auto& [reason, count] : tally.degraded_reasons) {
    report.degraded_reasons[reason] += count;
  }
  for (const RuleAccount& rule : tally.forgiven) add_account(report.filters, rule);
}

std::vector<uint8_t> to_bytes(const Tally& tally) {
  Json forgiven = Json::array();
  for (const RuleAccount& rule : tally.forgiven) forgiven.push_back(json_of(rule));
  return Json::to_cbor({{"executions", tally.executions},
                        {"degraded", tally.degraded},
                        {"serial_executions", tally.serial_executions},
                        {"serial_steps", tally.serial_steps},
                        {"serial_states", tally.serial_states},
                        {"replays", tally.replays},
                        {"verdicts", tally.verdicts},
                        {"degraded_reasons", tally.degraded_reasons},
                        {"forgiven", forgiven},
                        {"findings", list_of(tally.findings)},
                        {"unconfirmed", list_of(tally.unconfirmed)},
                        {"search", {tally.search.said, tally.search.exhausted}},
                        {"left_out", tally.left_out}});
}

Tally tally_of(const std::vector<uint8_t>& bytes) {
  const Json json = Json::from_cbor(bytes);
  Tally tally;
  json.at("executions").get_to(tally.executions);
  json.at("degraded").get_to(tally.degraded);
  json.at("serial_executions").get_to(tally.serial_executions);
  json.at("serial_steps").get_to(tally.serial_steps);
  json.at("serial_states").get_to(tally.serial_states);
  json.at("replays").get_to(tally.replays);
  json.at("verdicts").get_to(tally.verdicts);
  json.at("degraded_reasons").get_to(tally.degraded_reasons);
  json.at("search").at(0).get_to(tally.search.said);
  json.at("search").at(1).get_to(tally.search.exhausted);
  json.at("left_out").get_to(tally.left_out);
  for (const Json& rule : json.at("forgiven")) tally.forgiven.push_back(rule_account(rule));
  for (const Json& one : json.at("findings")) {
    tally.findings[one.at(0).get<std::string>()] = hunt_finding(one.at(1));
  }
  for (const Json& one : json.at("unconfirmed")) {
    tally.unconfirmed[one.at(0).get<std::string>()] = unconfirmed_violation(one.at(1));
  }
  return tally;
}

}  // namespace esox
