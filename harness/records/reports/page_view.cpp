// SPDX-License-Identifier: Apache-2.0
// See page.h: the page around the findings.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>

#include "analysis/rows.h"
#include "base/mapped.h"
#include "base/text/counted.h"
#include "harness/records/isolation_text.h"
#include "harness/records/json_text.h"
#include "harness/records/progress.h"
#include "harness/records/reports/matrix_view.h"
#include "harness/records/reports/miss_probability.h"
#include "harness/records/reports/page.h"
#include "harness/records/synopsis.h"

namespace esox {
namespace {

constexpr size_t kListed = 500;  // lines of the lesser lists

// The worst first.
constexpr std::array kClasses = {
    VerdictClass::kSerial, VerdictClass::kCrash,    VerdictClass::kDeadlock, VerdictClass::kHang,
    VerdictClass::kError,  VerdictClass::kSemantic, VerdictClass::kLatent};

std::string place_of(const InputKey& key) {
  return printable(key_text(key));
}

// The causes by the class of the finding that stands for each.
Json groups_view(const ReportData& data) {
  const std::vector<FamilyMembers> families = families_of(data.hunt.findings);
  Json groups = Json::array();
  for (const VerdictClass verdict : kClasses) {
    Json members = Json::array();
    for (const FamilyMembers& family : families) {
      if (data.findings[family.front()].line.verdict == verdict) members.push_back(family);
    }
    if (members.empty()) continue;
    groups.push_back({{"class", class_name(verdict)},
                      {"meaning", class_in_words(verdict, false)},
                      {"count", members.size()},
                      {"families", members}});
  }
  return groups;
}

// "3 latent, 1 semantic"
std::string classes_text(const Json& groups) {
  const auto parts = mapped<std::string>(groups, [&](const Json& group) {
    return fmt::format("{} {}", group["count"].get<size_t>(), group["class"].get<std::string>());
  });
  return fmt::format("{}", fmt::join(parts, ", "));
}

Json tiles_view(const HuntReport& hunt, const Json& groups) {
  const size_t causes = families_of(hunt.findings).size();
  const uint64_t judged = hunt.executions - std::min(hunt.degraded, hunt.executions);
  return {{{"name", "causes"},
           {"value", causes},
           {"more", hunt.findings.empty()
                        ? "nothing was found"
                        : fmt::format("{}; {}", counted(hunt.findings.size(), "finding"),
                                      classes_text(groups))}},
          {{"name", "inputs tried, times engines"},
           {"value", hunt.touched},
           {"more", fmt::format("of {}", hunt.explorations)}},
          {{"name", "executions judged"},
           {"value", judged},
           {"more", hunt.degraded == 0
                        ? "control was never lost"
                        : fmt::format("{} not judged: control was lost", hunt.degraded)}},
          {{"name", "time"},
           {"value", duration_text(hunt.seconds)},
           {"more", fmt::format("{:.1f} executions per second", hunt.executions_per_second())}}};
}

// "7 findings of 2 causes"
std::string found_text(const HuntReport& hunt) {
  const size_t findings = hunt.findings.size();
  if (findings == 0) return "Nothing found";
  const size_t causes = families_of(hunt.findings).size();
  const std::string text = counted(findings, "finding");
  return causes == findings ? text : text + " of " + counted(causes, "cause");
}

Json warnings_view(const ReportData& data) {
  const HuntReport& hunt = data.hunt;
  Json warnings = Json::array();
  if (!hunt.ended) {
    warnings.push_back(
        "This hunt did not end regularly: it still ran, or was killed, when this was "
        "written. The figures are those of its last save.");
  }
  if (hunt.interrupted) warnings.push_back("The hunt was stopped by a signal.");
  if (!hunt.failure.empty()) {
    warnings.push_back("The hunt was ended by an error: " + printable(hunt.failure));
  }
  if (hunt.gate && !hunt.gate->trusted()) {
    warnings.push_back(
        "Before the hunt, the same seed gave different outcomes: findings may not "
        "replay, and verdicts may be wrong.");
  }
  const size_t damaged = data.damages().size();
  if (damaged > 0) {
    warnings.push_back(
        fmt::format("{} could not be read whole; each says why.", counted(damaged, "finding")));
  }
  if (data.findings.size() > kMostFindings) {
    warnings.push_back(fmt::format("Of {} findings the first {} are shown; hunt.json names all.",
                                   data.findings.size(), kMostFindings));
  }
  return warnings;
}

// The rate is one of executions that were drawn; a search of all schedules draws none.
std::string rate_text(const InputFigures& figures, const MissFigures& miss) {
  if (figures.executions == 0) return "not reached";
  if (!figures.search.said.empty()) return "not drawn";
  return "\u2265 " + share_text(miss.rate_found);
}

std::string searched_text(const InputFigures& figures) {
  return figures.systematic ? text_of(*figures.systematic) : figures.search.said;
}

Json input_view(const InputFigures& figures, const MissFigures& miss) {
  return {{"input", printable(figures.input)},
          {"on", printable(conditions_of(figures))},
          {"n", figures.clients},
          {"k", figures.points == 0 ? "" : std::to_string(figures.points)},
          {"judged", miss.judged},
          {"degraded", figures.degraded},
          {"hits", figures.violations},
          {"searched", printable(searched_text(figures))},
          {"rate", rate_text(figures, miss)},
          {"rate_value", miss.rate_found},
          {"bound", miss.bound > 0 ? chance_text(miss.bound) : ""},
          {"bound_value", miss.bound},
          {"missed", share_text(miss.missed_at_most)},
          {"missed_value", miss.missed_at_most},
          {"again", miss.missed_again ? share_text(*miss.missed_again) : ""},
          {"again_value", miss.missed_again.value_or(2)}};
}

void put_certainty(Json& view, const HuntReport& hunt) {
  Json inputs = Json::array();
  for (const InputFigures& figures : hunt.figures) {
    if (inputs.size() == kMostInputs) break;
    inputs.push_back(input_view(figures, miss_figures(figures, hunt.strategy)));
  }
  view["some_inputs"] = !inputs.empty();
  const std::vector<std::string> isolation = isolation_lines(hunt);
  view["some_isolation"] = !isolation.empty();
  view["isolation"] = isolation;
  view["inputs_left_out"] =
      inputs.size() == hunt.figures.size()
          ? ""
          : counted(hunt.figures.size() - inputs.size(), "more input is", "more inputs are") +
                " in hunt.json.";
  view["inputs"] = std::move(inputs);
  const MissFigures any =
      miss_figures(hunt.figures.empty() ? InputFigures() : hunt.figures.front(), hunt.strategy);
  view["strategy"] = printable(hunt.strategy);
  view["guarantee"] = any.depth.has_value();
  if (!any.depth) return;
  view["depth"] = *any.depth;
  view["depth_words"] =
      *any.depth == 1 ? "an order of the requests suffices to cause it"
                      : fmt::format("{} ordering constraints suffice to cause it", *any.depth);
  view["exponent"] = *any.depth - 1;
}

void put_rules(Json& view, const HuntReport& hunt) {
  std::vector<RuleAccount> rules = hunt.filters;
  std::ranges::stable_sort(rules, std::greater(), &RuleAccount::executions);
  Json list = Json::array();
  for (const RuleAccount& rule : rules) {
    Json one = {{"name", printable(rule.name)},   {"kind", rule.kind},
                {"owner", printable(rule.owner)}, {"reason", printable(rule.reason)},
                {"executions", rule.executions},  {"example", false}};
    if (rule.executions > 0) {
      one["example"] = {
          {"text", printable(rule.example)},
          {"where", fmt::format("{}{}, execution {}, seed {}", printable(rule.input),
                                rule.engine.empty() ? "" : " on " + printable(rule.engine),
                                rule.execution, rule.seed)}};
    }
    list.push_back(std::move(one));
  }
  view["some_rules"] = !list.empty();
  view["rules"] = std::move(list);
}

// One thing that the hunt does not speak for.
Json gap_view(const char* name, uint64_t count, const char* words, Json lines) {
  const size_t all = lines.size();
  if (all > kListed) lines.erase(lines.begin() + kListed, lines.end());
  return {
      {"name", name},
      {"count", count},
      {"words", words},
      {"open", count > 0 && all <= 5},
      {"some_lines", all > 0},
      {"lines", std::move(lines)},
      {"left_out", all > kListed ? fmt::format("{} more are in hunt.json.", all - kListed) : ""}};
}

Json line_view(const std::string& text, uint64_t number = 0) {
  return {{"number", number == 0 ? "" : std::to_string(number)}, {"text", text}};
}

// A line for each that has something to say.
template <class List, class Line>
Json lines_view(const List& list, const Line& line) {
  Json lines = Json::array();
  for (const auto& one : list) {
    if (Json view = line(one); !view.is_null()) lines.push_back(std::move(view));
  }
  return lines;
}

Json not_finished(const HuntReport& hunt) {
  return lines_view(hunt.figures, [&](const InputFigures& one) {
    const bool begun = one.executions > 0;
    return !begun || one.executions >= hunt.executions_each
               ? Json()
               : line_view(fmt::format("of {} executions: {}", hunt.executions_each, place_of(one)),
                           one.executions);
  });
}

Json unconfirmed(const HuntReport& hunt) {
  return lines_view(hunt.unconfirmed, [](const UnconfirmedViolation& one) {
    return line_view(
        fmt::format("{}, {}: {} (execution {}, seed {})", class_name(one.verdict), place_of(one),
                    printable(one.doubt), one.first_execution, one.seed),
        one.hits);
  });
}

Json masked(const HuntReport& hunt) {
  Json lines = Json::array();
  for (const InputMasks& masks : hunt.nondeterminism) {
    for (const std::string& reply : masks.replies) {
      lines.push_back(line_view(place_of(masks) + ": " + printable(reply)));
    }
    for (const InputMasks::Place& place : masks.places) {
      lines.push_back(
          line_view(fmt::format("{}: {} (in {})", place_of(masks), printable(place.name),
                                counted(place.orders, "serial order"))));
    }
  }
  return lines;
}

Json uncovered_view(const HuntReport& hunt) {
  Json list = Json::array();
  const auto add = [&list](const char* name, const char* words, Json lines) {
    const size_t count = lines.size();
    list.push_back(gap_view(name, count, words, std::move(lines)));
  };
  add("Inputs not reached", "Nothing is known of them.",
      lines_view(hunt.figures, [](const InputFigures& one) {
        return one.executions == 0 ? line_view(place_of(one)) : Json();
      }));
  add("Inputs not finished",
      "They were executed less often than was asked for; what their silence is worth stands above.",
      not_finished(hunt));
  add("Inputs left out", "Not tried, or given up.",
      lines_view(hunt.skipped, [](const SkippedInput& one) {
        return line_view(place_of(one) + ": " + printable(one.why));
      }));
  list.push_back(gap_view("Executions not judged", hunt.degraded,
                          "Control was lost, or there was nothing sound to compare with: neither "
                          "pass nor fail. One execution can have several reasons.",
                          lines_view(hunt.degraded_reasons, [](const auto& one) {
                            return line_view(printable(one.first), one.second);
                          })));
  list.push_back(gap_view("Violations that could not be replayed", hunt.unconfirmed_hits(),
                          "They broke the rules once, but their own schedule did not give them "
                          "again: no findings, and not nothing.",
                          unconfirmed(hunt)));
  add("Places not compared: nondeterminism",
      "Equal serial runs differ there, so a difference proves nothing.", masked(hunt));
  Json untold = Json::array();
  if (!hunt.not_summarised.empty()) untold.push_back(line_view(printable(hunt.not_summarised)));
  add("Parts of the state that this server does not tell",
      "They are not part of the state summary here.", std::move(untold));
  return list;
}

Json facts_view(const ReportData& data) {
  const HuntReport& hunt = data.hunt;
  Json facts = Json::array();
  const auto add = [&](const char* name, const std::string& value) {
    if (!value.empty()) facts.push_back({{"name", name}, {"value", printable(value)}});
  };
  add("Began", hunt.started);
  add("Server", hunt.server_version + (hunt.server_path.empty() ? "" : ", " + hunt.server_path));
  add("Its options", fmt::format("{}", fmt::join(hunt.server_options, " ")));
  add("Seed", std::to_string(hunt.seed));
  add("Strategy", hunt.strategy);
  add("Engines", fmt::format("{}", fmt::join(hunt.engines, ", ")));
  add("Executions", fmt::format("{} of {} planned, at most {} for each input and engine",
                                hunt.executions, hunt.planned, hunt.executions_each));
  add("Serial",
      fmt::format("{} serial executions, {} replays", hunt.serial_executions, hunt.replays));
  if (hunt.budget_s) add("Budget", duration_text(*hunt.budget_s));
  add("Jobs", std::to_string(hunt.jobs));
  if (hunt.gate) {
    add("Gate", fmt::format("the same seed gave the same trace {} of {} times, the same outcome {} "
                            "of {}",
                            hunt.gate->same_trace, hunt.gate->runs, hunt.gate->same_outcome,
                            hunt.gate->runs));
  }
  if (hunt.lives.restarted > 0) {
    add("Restarted", fmt::format("{} executions, not forked: {}", hunt.lives.restarted,
                                 hunt.lives.why_restarted));
  }
  if (hunt.memory_kib > 0) {
    add("Memory",
        fmt::format("at most {} MiB, esox and its servers", (hunt.memory_kib + 1023) / 1024));
  }
  return facts;
}

}  // namespace

Json page_view(const ReportData& data) {
  const HuntReport& hunt = data.hunt;
  Json groups = groups_view(data);
  const std::string found = found_text(hunt);
  Json view = {
      {"version", printable(hunt.esox_version)},
      {"title", fmt::format("{}: esox on {}", found, printable(hunt.server_version))},
      {"headline", fmt::format("{} in {}", found, counted(hunt.executions, "execution"))},
      {"lead", fmt::format("A hunt on {}{}, strategy {}, seed {}.", printable(hunt.server_version),
                           hunt.started.empty() ? "" : ", begun " + printable(hunt.started),
                           printable(hunt.strategy), hunt.seed)},
      {"warnings", warnings_view(data)},
      {"tiles", tiles_view(hunt, groups)},
      {"some_groups", !groups.empty()},
      {"uncovered", uncovered_view(hunt)},
      {"facts", facts_view(data)},
      {"footer", fmt::format("Made from hunt.json and findings/ in {} by esox report.",
                             printable(data.out.string()))}};
  view["groups"] = std::move(groups);
  put_matrix(view, hunt.kinds);
  put_certainty(view, hunt);
  put_rules(view, hunt);
  return view;
}

}  // namespace esox
