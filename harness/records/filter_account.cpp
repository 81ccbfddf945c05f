// SPDX-License-Identifier: Apache-2.0
#include "harness/records/filter_account.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "analysis/finding.h"
#include "analysis/report/layout.h"
#include "analysis/rows.h"
#include "base/text/counted.h"

namespace esox {
namespace {

void note(RuleAccount& rule, const ConcreteInput& input, const ExecutionRecord& record,
          const ForgivenPlace& place) {
  if (rule.executions++ > 0) return;
  static_cast<InputKey&>(rule) = key_of(input);
  rule.execution = record.number;
  rule.seed = record.seed;
  rule.example = printable(place_name(place, client_names(input.input)));
}

RuleAccount* entry_of(FilterAccount& account, const std::string& rule) {
  const auto known = std::ranges::find(account, rule, &RuleAccount::name);
  return known == account.end() ? nullptr : &*known;
}

}  // namespace

void add_value(FilterAccount& all, const FilterAccount& more) {
  for (const RuleAccount& rule : more) {
    RuleAccount* known = entry_of(all, rule.name);
    if (known == nullptr) {
      all.push_back(rule);
      continue;
    }
    if (known->executions == 0) {
      static_cast<InputKey&>(*known) = rule;
      known->execution = rule.execution;
      known->seed = rule.seed;
      known->example = rule.example;
    }
    known->executions += rule.executions;
  }
}

FilterAccount empty_account(const RuleSet* rules) {
  FilterAccount account;
  if (rules == nullptr) return account;
  for (const Rule& rule : rules->rules) {
    RuleAccount& one = account.emplace_back();
    one.name = rule.name;
    one.kind = kind_name(rule.kind);
    one.reason = rule.reason;
    one.owner = rule.owner;
  }
  return account;
}

void note_forgiven(FilterAccount& account, const ConcreteInput& input,
                   const ExecutionRecord& record, const Verdict& verdict) {
  std::set<std::string> noted;
  for (const ForgivenPlace& place : verdict.forgiven) {
    if (!noted.insert(place.rule).second) continue;
    if (RuleAccount* rule = entry_of(account, place.rule)) note(*rule, input, record, place);
  }
}

std::string account_text(const FilterAccount& account) {
  std::string text;
  size_t idle = 0;
  for (const RuleAccount& rule : account) {
    if (rule.executions == 0) {
      ++idle;
      continue;
    }
    text += fmt::format("  {:>5}  {}, as in {}{}{}, execution {}\n", rule.executions, rule.name,
                        rule.input, rule.engine.empty() ? "" : " on ", rule.engine, rule.execution);
    text += fmt::format("         {}\n", keep_start(rule.example, kReportWidth));
  }
  if (text.empty()) return "";
  const std::string others = idle == 0 ? "" : "; " + counted(idle, "other rule") + " nothing";
  return fmt::format("Forgiven by filters, in executions{}:\n{}", others, text);
}

}  // namespace esox
