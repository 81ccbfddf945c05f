// SPDX-License-Identifier: Apache-2.0
// esox filters: are rules well formed, and what would they hide of findings that are there?
#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "analysis/finding.h"
#include "analysis/rows.h"
#include "base/text/counted.h"
#include "base/time/utc.h"
#include "filters/expiry.h"
#include "filters/reader.h"
#include "harness/commands/command.h"
#include "harness/commands/json_option.h"
#include "harness/commands/output.h"
#include "harness/engine/known_servers.h"
#include "harness/records/finding_file.h"
#include "harness/records/json_text.h"
#include "harness/records/triage/filter_trial.h"

namespace esox {
namespace {

namespace fs = std::filesystem;

constexpr const char* kCheckExamples = R"(
Examples:
  esox filters check my-filters.yaml

Exit status: 0 the rules make sense and none has expired, 2 they do not.)";

constexpr const char* kTestExamples = R"(
Examples:
  esox filters test my-filters.yaml esox-out/2025-11-21-101500
  esox filters test my-filters.yaml esox-out/2025-11-21-101500/findings/0123456789abcdef --json

Nothing is executed. To judge a finding anew on a server: esox replay FINDING --filters FILE.

Exit status: 0 the findings were looked at, 2 wrong use or bad input.)";

struct FiltersOptions {
  std::string file;
  std::vector<std::string> findings;
  JsonOption json;
};

std::string name_of(const Finding& finding) {
  return fmt::format("{}  {}{}{}", finding.id, finding.input.input.id,
                     finding.input.engine.empty() ? "" : " on ", finding.input.engine);
}

std::vector<fs::path> files_at(const std::string& given) {
  std::vector<fs::path> files = finding_files_at(given);
  if (!files.empty()) return files;
  throw UsageError(
      fmt::format("{}: there is no finding in it; name a finding or a hunt's folder", given));
}

std::vector<TriedFinding> test_all(const FiltersOptions& options,
                                   const std::shared_ptr<const RuleSet>& rules) {
  std::vector<TriedFinding> all;
  for (const std::string& given : options.findings) {
    for (const fs::path& file : files_at(given)) {
      all.push_back(try_rules(read_finding(file), rules));
    }
  }
  return all;
}

size_t count(const std::vector<TriedFinding>& all, TrialFate fate) {
  return static_cast<size_t>(std::ranges::count(all, fate, &TriedFinding::fate));
}

// ---- told

void tell_rule(const Rule& rule, const std::vector<TriedFinding>& all) {
  std::vector<std::string> lines;
  size_t findings = 0;
  for (const TriedFinding& tested : all) {
    const auto names = client_names(tested.finding.input.input);
    bool first = true;
    for (const ForgivenPlace& place : tested.forgiven) {
      if (place.rule != rule.name) continue;
      findings += first ? 1 : 0;
      if (first) lines.push_back("  " + name_of(tested.finding));
      lines.push_back("    " + printable_cut(place_name(place, names), 200));
      first = false;
    }
  }
  put_line(fmt::format("{} ({}): {}", rule.name, kind_name(rule.kind),
                       findings == 0 ? "would hide nothing of them"
                                     : fmt::format("is needed to hide {}", findings)));
  for (const std::string& line : lines) put_line(line);
}

void tell(const RuleSet& rules, const std::vector<TriedFinding>& all) {
  for (const Rule& rule : rules.rules) tell_rule(rule, all);
  put_line("");
  for (const TriedFinding& tested : all) {
    if (tested.fate == TrialFate::kHidden) continue;
    const bool stays = tested.fate == TrialFate::kStays;
    put_line(fmt::format("{} {}, {}{}", stays ? "stays:  " : "unknown:", name_of(tested.finding),
                         class_name(tested.finding.verdict), stays ? "" : ": " + tested.why));
  }
  put_line(fmt::format("{} of {} findings would be hidden, {} stay, of {} it cannot be said.",
                       count(all, TrialFate::kHidden), all.size(), count(all, TrialFate::kStays),
                       count(all, TrialFate::kUnknown)));
}

std::string json_of(const RuleSet& rules, const std::vector<TriedFinding>& all) {
  static constexpr const char* kFates[] = {"hidden", "stays", "unknown"};
  OrderedJson json = {
      {"rules", json_list(rules.rules, [&](const Rule& rule) { return rule.name; })},
      {"findings", OrderedJson::array()}};
  for (const TriedFinding& tested : all) {
    OrderedJson forgiven = OrderedJson::array();
    const auto names = client_names(tested.finding.input.input);
    for (const ForgivenPlace& place : tested.forgiven) {
      forgiven.push_back({{"rule", place.rule}, {"forgiven", place_name(place, names)}});
    }
    json["findings"].push_back({{"id", tested.finding.id},
                                {"input", tested.finding.input.input.id},
                                {"engine", tested.finding.input.engine},
                                {"class", class_name(tested.finding.verdict)},
                                {"fate", kFates[static_cast<size_t>(tested.fate)]},
                                {"why", tested.why},
                                {"forgiven", forgiven}});
  }
  return json_text(json);
}

int check(const FiltersOptions& options) {
  const RuleSet rules = read_rules({options.file}, known_servers());
  refuse_expired(rules, utc_date());
  for (const Rule& rule : rules.rules) {
    put_line(fmt::format("{} ({}), of {}{}", rule.name, kind_name(rule.kind), rule.owner,
                         rule.expires.empty() ? "" : ", until " + rule.expires));
  }
  put_line(
      fmt::format("{}: {}, all well formed.", options.file, counted(rules.rules.size(), "rule")));
  return kNothingFound;
}

// Rules that have expired are tested: one has to see what they hide.
int test(const FiltersOptions& options) {
  const auto rules = std::make_shared<const RuleSet>(read_rules({options.file}, known_servers()));
  const std::vector<TriedFinding> all = test_all(options, rules);
  if (!options.json.on_stdout()) tell(*rules, all);
  put_json(options.json, json_of(*rules, all));
  return kNothingFound;
}

}  // namespace

void add_filters_command(Command& app, Chosen& chosen) {
  Command* command = app.add_subcommand("filters", "rules that say what is forgiven");
  command->require_subcommand(1, 1);
  const auto [checking, checked] = define<FiltersOptions>(
      *command, chosen, {"check", "do the rules of a file make sense?", kCheckExamples}, check);
  checking.add_option("FILE", checked.file, "the rules, a YAML file")->required();
  const auto [testing, tested] = define<FiltersOptions>(
      *command, chosen, {"test", "what would they hide of these findings?", kTestExamples}, test);
  testing.add_option("FILE", tested.file, "the rules, a YAML file")->required();
  testing.add_option("FINDING", tested.findings, "findings, or folders of hunts")->required();
  add_json_option(testing, tested.json);
}

}  // namespace esox
