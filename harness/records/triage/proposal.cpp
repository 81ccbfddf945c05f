// SPDX-License-Identifier: Apache-2.0
#include "harness/records/triage/proposal.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <vector>

#include "analysis/forgiveness.h"
#include "filters/circumstances.h"
#include "harness/records/finding_file.h"

namespace esox {
namespace {

struct ProposedRule {
  std::string place;  // "reply: rows", "component: 'files'"; empty for errors
  std::string kind;
  std::vector<std::string> more;  // further keys
  std::vector<std::string> statements;
  std::vector<std::string> beside;
  std::string object;
};

// As a YAML scalar, whatever is in it.
std::string quoted(const std::string& text) {
  std::string yaml = "'";
  for (const char c : text) yaml += c == '\'' ? std::string("''") : std::string(1, c);
  return yaml + "'";
}

std::string list_of(const std::vector<std::string>& values) {
  return fmt::format("[{}]", fmt::join(values, ", "));
}

class Proposer {
 public:
  explicit Proposer(const Finding& finding)
      : finding_(finding),
        circumstances_(
            circumstances_of(finding.input, {finding.server.version, finding.server.options})) {}

  Proposal propose() {
    if (finding_.ending != EndingKind::kFinished) {
      return {"", fmt::format("it is a {}, which no rule forgives", ending_name(finding_.ending))};
    }
    const std::optional<OrderMatch> nearest = nearest_order();
    if (!nearest) return {"", "it holds no serial order that could be executed"};
    for (const RequestComparison& one : nearest->comparison.requests) add_reply(one);
    for (const ComponentComparison& one : nearest->comparison.components) add_component(one);
    if (!why_not_.empty()) return {"", why_not_};
    if (rules_.empty()) return {"", "nothing differs from the nearest serial order it holds"};
    return {yaml(), ""};
  }

 private:
  std::optional<OrderMatch> nearest_order() {
    const Verdict verdict = judged_again(finding_, Orders::kAsGiven);
    const int nearest = verdict.nearest();
    if (nearest < 0) return std::nullopt;
    expected_ = &finding_.orders[static_cast<size_t>(nearest)].outcome;
    return verdict.table[static_cast<size_t>(nearest)];
  }

  const std::string& kind(size_t client, size_t request) const {
    return circumstances_.requests[client][request].kind;
  }

  // Kinds of what the other clients had under way beside a request.
  std::vector<std::string> beside(size_t client, size_t request) const {
    std::set<std::string> kinds;
    for (size_t c = 0; c < circumstances_.requests.size(); ++c) {
      for (size_t r = 0; c != client && r < circumstances_.requests[c].size(); ++r) {
        if (overlap(finding_.stamps, client, request, c, r)) kinds.insert(kind(c, r));
      }
    }
    return {kinds.begin(), kinds.end()};
  }

  // What the setup makes and the request names.
  std::string object(size_t client, size_t request) const {
    const Input& input = finding_.input.input;
    const auto& names = circumstances_.requests[client][request].names;
    for (const std::string& text : input.setup) {
      for (const std::string& name : input.language->names_made(text)) {
        if (std::ranges::find(names, name) != names.end()) return name;
      }
    }
    return "";
  }

  ProposedRule scoped(size_t client, size_t request) const {
    ProposedRule rule;
    rule.statements = {kind(client, request)};
    rule.beside = beside(client, request);
    rule.object = object(client, request);
    return rule;
  }

  void add(ProposedRule rule, std::string place, std::string kind,
           std::vector<std::string> more = {}) {
    rule.place = std::move(place);
    rule.kind = std::move(kind);
    rule.more = std::move(more);
    rules_.push_back(std::move(rule));
  }

  static std::string direction(bool missing, bool extra) {
    return missing && !extra ? "direction: in-serial" : "direction: holds-serial";
  }

  void add_reply(const RequestComparison& one) {
    const Output* seen = reply(finding_.outcome, one);
    const Output* expected = reply(*expected_, one);
    if (one.differences.empty() || seen == nullptr || expected == nullptr) return;
    if (seen->error != expected->error) return add_error(one, *seen, *expected);
    for (const OutputDifference& difference : one.differences) {
      add_difference(one, difference, *seen, *expected);
    }
  }

  void add_error(const RequestComparison& one, const Output& seen, const Output& expected) {
    if (seen.error != 0 && expected.error == 0) {
      ProposedRule rule = scoped(one.client, one.request);
      rule.object.clear();
      return add(rule, "", "tolerate", {fmt::format("errors: [{}]", seen.error)});
    }
    why_not_ =
        fmt::format("{} gave {} in place of an error, which no rule forgives",
                    kind(one.client, one.request), seen.error == 0 ? "success" : "another error");
  }

  void add_difference(const RequestComparison& one, const OutputDifference& difference,
                      const Output& seen, const Output& expected) {
    const ProposedRule rule = scoped(one.client, one.request);
    const bool one_way = difference.missing.empty() != difference.extra.empty();
    const std::string way = direction(!difference.missing.empty(), !difference.extra.empty());
    switch (difference.part) {
      case OutputPart::kRows:
        if (one_way) return add(rule, "reply: rows", "included", {way});
        return add_columns(rule, difference.result, seen, expected);
      case OutputPart::kRowOrder:
        return add(rule, "reply: rows", "unordered");
      case OutputPart::kWarnings:
        if (one_way) return add(rule, "reply: warnings", "included", {way});
        return add(rule, "reply: warnings", "ignore");
      case OutputPart::kInfo:
        return add(rule, "reply: info", "ignore");
      case OutputPart::kMessage:
        return add(rule, "reply: message", "ignore");
      case OutputPart::kWarningCount:
        return add(rule, "reply: warning-count", "ignore");
      case OutputPart::kAffectedRows:
        return add(rule, "reply: affected-rows", "ignore");
      case OutputPart::kInsertId:
        return add(rule, "reply: insert-id", "ignore");
      default:
        why_not_ = fmt::format("a reply differs in its {}, which no rule forgives",
                               part_name(difference.part));
    }
  }

  // As many rows, other values: the columns in which they differ.
  void add_columns(const ProposedRule& rule, size_t result, const Output& seen,
                   const Output& expected) {
    if (result >= seen.results.size() || result >= expected.results.size()) return;
    const ResultSet& left = seen.results[result];
    const ResultSet& right = expected.results[result];
    const bool alike =
        left.rows.size() == right.rows.size() && left.columns.size() == right.columns.size();
    for (size_t column = 0; alike && column < left.columns.size(); ++column) {
      if (cells(left, column) == cells(right, column)) continue;
      add(rule, "reply: rows", "ignore", {"column: " + quoted(left.columns[column].name)});
    }
    if (!alike) add(rule, "reply: rows", "ignore");
  }

  using Cells = std::multiset<std::optional<std::string>>;
  static Cells cells(const ResultSet& result, size_t column) {
    Cells all;
    for (const auto& row : result.rows) {
      if (column < row.size()) all.insert(row[column]);
    }
    return all;
  }

  static const Output* reply(const Outcome& outcome, const RequestComparison& one) {
    if (one.client >= outcome.outputs.size()) return nullptr;
    const auto& outputs = outcome.outputs[one.client];
    return one.request < outputs.size() ? &outputs[one.request] : nullptr;
  }

  // Of a component any request may be the doing: all kinds of the first client, beside the others'.
  ProposedRule scope_of_state() const {
    ProposedRule rule;
    std::set<std::string> own;
    std::set<std::string> others;
    for (size_t c = 0; c < circumstances_.requests.size(); ++c) {
      for (const RequestFacts& request : circumstances_.requests[c]) {
        (c == 0 ? own : others).insert(request.kind);
      }
    }
    rule.statements.assign(own.begin(), own.end());
    rule.beside.assign(others.begin(), others.end());
    return rule;
  }

  void add_component(const ComponentComparison& one) {
    if (one.match != ComponentMatch::kDifferent) return;
    const ProposedRule rule = scope_of_state();
    const std::string place = "component: " + quoted(one.name);
    if (one.missing.empty() && one.extra.empty()) return add(rule, place, "ignore");
    if (one.missing.empty() != one.extra.empty()) {
      return add(rule, place, "included", {direction(!one.missing.empty(), !one.extra.empty())});
    }
    const std::set<std::string> keys = differing_keys(one.name);
    for (const std::string& key : keys) add(rule, place, "ignore", {"key: " + quoted(key)});
    if (keys.empty()) add(rule, place, "ignore");
  }

  // Of a map; empty for other kinds.
  std::set<std::string> differing_keys(const std::string& component) const {
    const Component* seen = finding_.outcome.state.find(component);
    const Component* expected = expected_->state.find(component);
    std::set<std::string> keys;
    if (seen == nullptr || expected == nullptr || seen->kind != ComponentKind::kMap) return keys;
    std::map<std::string, std::string> values;
    for (const Element& element : expected->elements) values[element.key] = element.value;
    for (const Element& element : seen->elements) {
      const auto other = values.find(element.key);
      if (other == values.end() || other->second != element.value) keys.insert(element.key);
      if (other != values.end()) values.erase(other);
    }
    for (const auto& [key, value] : values) keys.insert(key);
    return keys;
  }

  std::string yaml() const {
    std::string text = fmt::format(
        "# Forgives the finding {} ({}). Say why it is no bug, or do not use it.\n"
        "server: {}\nrules:\n",
        finding_.id, finding_.input.input.id, finding_.input.input.server());
    size_t number = 0;
    for (const ProposedRule& rule : rules_) text += rule_yaml(rule, ++number);
    return text;
  }

  std::string rule_yaml(const ProposedRule& rule, size_t number) const {
    std::string text = fmt::format("  - name: forgives-{}{}\n    kind: {}\n", finding_.id,
                                   rules_.size() == 1 ? "" : fmt::format("-{}", number), rule.kind);
    const auto line = [&](const std::string& key_value) { text += "    " + key_value + "\n"; };
    if (!rule.place.empty()) line(rule.place);
    for (const std::string& one : rule.more) line(one);
    if (!rule.statements.empty()) line("statement: " + list_of(rule.statements));
    if (!rule.beside.empty()) line("beside: " + list_of(rule.beside));
    if (!rule.object.empty()) line("object: " + quoted(rule.object));
    if (!finding_.input.engine.empty()) line("engine: " + finding_.input.engine);
    line("owner: TO BE FILLED IN");
    line("reason: 'TO BE FILLED IN: why this is no bug, best with the words of the manual'");
    return text;
  }

  const Finding& finding_;
  const Circumstances circumstances_;
  const Outcome* expected_ = nullptr;
  std::vector<ProposedRule> rules_;
  std::string why_not_;
};

}  // namespace

Proposal propose_rules(const Finding& finding) {
  return Proposer(finding).propose();
}

}  // namespace esox
