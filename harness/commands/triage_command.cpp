// SPDX-License-Identifier: Apache-2.0
// esox triage: what all hunts found, and what people decided about it
// (harness/records/triage/store.h).
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>
#include <set>
#include <system_error>

#include "analysis/rows.h"
#include "filters/reader.h"
#include "harness/commands/command.h"
#include "harness/commands/json_option.h"
#include "harness/commands/output.h"
#include "harness/engine/known_servers.h"
#include "harness/records/finding_file.h"
#include "harness/records/lines.h"
#include "harness/records/synopsis.h"
#include "harness/records/triage/diagnosis_facts.h"
#include "harness/records/triage/filter_trial.h"
#include "harness/records/triage/proposal.h"
#include "harness/records/triage/recording.h"
#include "harness/records/triage/store.h"

namespace esox {
namespace {

using Json = nlohmann::ordered_json;
namespace fs = std::filesystem;

constexpr const char* kExamples = R"(
Examples:
  esox triage list --state new                       what nobody has looked at yet
  esox triage show 87c1                              all that is known of one
  esox triage mark 87c1 confirmed --note 'MDEV-1234'
  esox triage mark 87c1 fixed                        the next hunt that meets it says: regressed
  esox triage merge 87c1 1e02                        the same bug: one finding from now on
  esox triage propose-filter 87c1 >>mine.yaml        a rule that forgives just this
  esox triage add esox-out/2026-11-21-190319         a hunt made by --no-store

An id may be cut short as long as it names one finding. The store is esox-out/findings.db unless
--store names another; each hunt adds to the one beside its folder.

Exit status: 0 done, 2 wrong use, no such finding, or a store that cannot be used.)";

constexpr size_t kListed = 20;  // occurrences; --json has all

struct TriageOptions {
  std::string store = "esox-out/findings.db";
  TriageFilter filter;
  std::string id;
  std::string other;
  std::string state;
  std::string note;
  std::string filter_name;
  std::vector<std::string> hunts;
  JsonOption json;
};

Store open_store(const TriageOptions& options) {
  std::error_code error;
  if (fs::exists(options.store, error)) return Store(options.store);
  throw UsageError(fmt::format("there is no triage store {}; hunt first, or name one by --store",
                               options.store));
}

const char* plural(uint64_t count) {
  return count == 1 ? "" : "s";
}

// ---- list

Json json_of(const TriagedFinding& finding) {
  return {{"id", finding.id},           {"state", state_name(finding.state)},
          {"filter", finding.filter},   {"note", finding.note},
          {"class", finding.verdict},   {"latent", finding.latent},
          {"input", finding.input},     {"engine", finding.engine},
          {"setting", finding.setting}, {"title", finding.title},
          {"created", finding.created}, {"changed", finding.changed},
          {"hits", finding.hits},       {"occurrences", finding.occurrences},
          {"hunts", finding.hunts},     {"servers", finding.servers}};
}

int list(const TriageOptions& options) {
  Store store = open_store(options);
  const std::vector<TriagedFinding> findings = store.findings(options.filter);
  Json json = Json::array();
  for (const TriagedFinding& one : findings) json.push_back(json_of(one));
  put_json(options.json, json_text(json));
  if (options.json.on_stdout()) return kNothingFound;
  for (const TriagedFinding& one : findings) {
    put_line(fmt::format("{}  {:<14} {:<8} {}: {} hit{}, {} occurrence{} in {} hunt{}{}", one.id,
                         state_name(one.state), one.verdict, printable(key_text(one)), one.hits,
                         plural(one.hits), one.occurrences, plural(one.occurrences), one.hunts,
                         plural(one.hunts), one.note.empty() ? "" : "; " + printable(one.note)));
  }
  put_line(
      fmt::format("{} finding{} in {}", findings.size(), plural(findings.size()), options.store));
  return kNothingFound;
}

// ---- show

Json json_of(const StoredOccurrence& one) {
  const Occurrence& occurrence = one.occurrence;
  return {{"id", occurrence.id},
          {"hunt", one.hunt},
          {"started", one.started},
          {"server", one.server_version},
          {"input", occurrence.input},
          {"engine", occurrence.engine},
          {"setting", occurrence.setting},
          {"hits", occurrence.hits},
          {"executions", occurrence.executions},
          {"first_execution", occurrence.first_execution},
          {"seed", occurrence.seed},
          {"folder", occurrence.folder}};
}

Json whole_json(Store& store, const TriagedFinding& finding) {
  Json json = json_of(finding);
  json["signature"] = lines_of(finding.signature);
  json["occurrences"] = Json::array();
  for (const StoredOccurrence& one : store.occurrences(finding.id)) {
    json["occurrences"].push_back(json_of(one));
  }
  json["history"] = Json::array();
  for (const TriageChange& one : store.history(finding.id)) {
    json["history"].push_back(
        {{"at", one.at}, {"from", one.from}, {"to", one.to}, {"note", one.note}});
  }
  return json;
}

// What lies in the folder of the newest occurrence that is still there.
void show_folder(const std::vector<StoredOccurrence>& occurrences) {
  for (const StoredOccurrence& one : occurrences) {
    const fs::path folder = one.occurrence.folder;
    std::error_code error;
    if (!fs::exists(folder / "finding.yaml", error)) continue;
    const Finding finding = read_finding(folder / "finding.yaml");
    for (const std::string& line : statement_lines(finding.input.input)) put_line("    " + line);
    const auto diagnosis = read_diagnosis_facts(folder);
    if (diagnosis && !diagnosis->sentence.empty()) put_line("  " + printable(diagnosis->sentence));
    if (fs::exists(folder / "minimised.yaml", error)) {
      put_line("  smaller: " + (folder / "minimised.yaml").string());
    }
    put_line("  esox replay " + folder.string());
    return;
  }
  put_line("  none of its folders is there any more");
}

void show_occurrences(Store& store, const std::vector<StoredOccurrence>& occurrences) {
  put_line(fmt::format("Occurrences, {}:", occurrences.size()));
  for (size_t i = 0; i < occurrences.size() && i < kListed; ++i) {
    const StoredOccurrence& one = occurrences[i];
    put_line(fmt::format(
        "  {}  {}: {} of {} executions ({} over all hunts), {}, {}", one.occurrence.id,
        printable(key_text(one.occurrence)), one.occurrence.hits, one.occurrence.executions,
        store.executions_of(one.occurrence.input), one.started, one.server_version));
  }
  if (occurrences.size() > kListed) {
    put_line(fmt::format("  and {} more (--json has all)", occurrences.size() - kListed));
  }
}

int show(const TriageOptions& options) {
  Store store = open_store(options);
  const TriagedFinding finding = store.finding(options.id);
  if (!options.json.where.empty()) put_json(options.json, json_text(whole_json(store, finding)));
  if (options.json.on_stdout()) return kNothingFound;
  put_line(fmt::format(
      "{}: {}{}, {}{}", finding.id, finding.verdict,
      finding.latent && finding.verdict != "latent" ? ", latent" : "", state_name(finding.state),
      finding.filter.empty() ? "" : ", by the filter " + printable(finding.filter)));
  if (!finding.note.empty()) put_line("  " + printable(finding.note));
  const std::vector<StoredOccurrence> occurrences = store.occurrences(finding.id);
  show_folder(occurrences);
  put_line("Signature:");
  for (const std::string& line : lines_of(finding.signature)) put_line("  " + printable(line));
  show_occurrences(store, occurrences);
  put_line("History:");
  for (const TriageChange& one : store.history(finding.id)) {
    put_line(fmt::format("  {}  {}{}", one.at, one.to,
                         one.note.empty() ? "" : ": " + printable(one.note)));
  }
  return kNothingFound;
}

// ---- mark, merge, add

int mark(const TriageOptions& options) {
  const auto state = state_from_name(options.state);
  const bool false_positive = state == TriageState::kFalsePositive;
  if (!state || state == TriageState::kRegressed) {
    throw UsageError(fmt::format(
        "{} is no state to mark; take new, confirmed, known, false-positive or fixed (regressed is "
        "what a hunt finds out)",
        options.state));
  }
  if (false_positive == options.filter_name.empty()) {
    throw UsageError(false_positive ? "a false positive names its filter, by --filter; esox triage "
                                      "propose-filter makes one"
                                    : "--filter is for the state false-positive");
  }
  Store store = open_store(options);
  const TriagedFinding before = store.finding(options.id);
  store.mark(before.id, *state, options.note, options.filter_name);
  put_line(fmt::format("{}: {}, was {}", before.id, state_name(*state), state_name(before.state)));
  return kNothingFound;
}

int merge(const TriageOptions& options) {
  Store store = open_store(options);
  const TriagedFinding from = store.finding(options.id);
  const TriagedFinding into = store.finding(options.other);
  store.merge(from.id, into.id);
  put_line(fmt::format("{} is part of {} ({}) now", from.id, into.id, state_name(into.state)));
  return kNothingFound;
}

int add(const TriageOptions& options) {
  Store store(options.store);
  for (const std::string& out : options.hunts) {
    const std::vector<Filed> filed = record_hunt(store, out);
    put_line(fmt::format("{}: {} finding{}", out, filed.size(), plural(filed.size())));
    std::fputs(filed_text(filed, options.store).c_str(), stdout);
  }
  return kNothingFound;
}

int dump(const TriageOptions& options) {
  std::fputs(open_store(options).dump().c_str(), stdout);
  return kNothingFound;
}

// ---- propose-filter

// The newest occurrence's file that is still there.
Finding kept_finding(Store& store, const TriagedFinding& finding) {
  for (const StoredOccurrence& one : store.occurrences(finding.id)) {
    const fs::path file = fs::path(one.occurrence.folder) / "finding.yaml";
    std::error_code error;
    if (fs::exists(file, error)) return read_finding(file);
  }
  throw UsageError(fmt::format("none of the folders of {} is there any more", finding.id));
}

struct Hidden {
  std::set<std::string> own;     // occurrences of the finding itself
  std::set<std::string> others;  // other findings of the store
  size_t looked_at = 0;          // of those
};

Hidden hidden_by(Store& store, const TriagedFinding& finding,
                 const std::shared_ptr<const RuleSet>& rules) {
  Hidden hidden;
  for (const TriagedFinding& one : store.findings()) {
    bool looked_at = false;
    for (const StoredOccurrence& stored : store.occurrences(one.id)) {
      const fs::path file = fs::path(stored.occurrence.folder) / "finding.yaml";
      std::error_code error;
      if (!fs::exists(file, error)) continue;
      looked_at = true;
      if (try_rules(read_finding(file), rules).fate != TrialFate::kHidden) continue;
      (one.id == finding.id ? hidden.own : hidden.others)
          .insert(one.id == finding.id ? stored.occurrence.id : one.id);
    }
    hidden.looked_at += looked_at && one.id != finding.id ? 1 : 0;
  }
  return hidden;
}

int propose(const TriageOptions& options) {
  Store store = open_store(options);
  const TriagedFinding finding = store.finding(options.id);
  const Finding kept = kept_finding(store, finding);
  const Proposal proposal = propose_rules(kept);
  if (!proposal.why_not.empty()) {
    throw UsageError(fmt::format("no filter for {}: {}", finding.id, proposal.why_not));
  }
  std::vector<FilterText> texts = kept.filters;
  texts.push_back({"proposal", proposal.yaml});
  const auto rules = std::make_shared<const RuleSet>(parse_rules(texts, known_servers()));
  const TriedFinding tried = try_rules(kept, rules);
  const Hidden hidden = hidden_by(store, finding, rules);
  std::fputs(proposal.yaml.c_str(), stdout);
  const char* const fate = tried.fate == TrialFate::kHidden  ? "hides it"
                           : tried.fate == TrialFate::kStays ? "does NOT hide it alone"
                                                             : "may hide it";
  std::fputs(
      fmt::format("esox: this {}{} ({} of its {} occurrences), and {} of the {} other findings of "
                  "the store{}{}\n",
                  fate, tried.why.empty() ? "" : " (" + tried.why + ")", hidden.own.size(),
                  finding.occurrences, hidden.others.size(), hidden.looked_at,
                  hidden.others.empty() ? "" : ": ", fmt::join(hidden.others, ", "))
          .c_str(),
      stderr);
  return kNothingFound;
}

// ---- the command line

Command* add_part(Command& command, Chosen& chosen, const std::shared_ptr<TriageOptions>& options,
                  const char* name, const char* what, int (*run)(const TriageOptions&)) {
  Command* part = command.add_subcommand(name, what);
  part->add_option("--store", options->store, "the store, a file")->capture_default_str();
  part->footer(kExamples);
  part->callback([&chosen, options, run] { chosen = [options, run] { return run(*options); }; });
  return part;
}

void add_id(Command& part, TriageOptions& options) {
  part.add_option("ID", options.id, "a finding, or the beginning of its id")->required();
}

void add_asking(Command& command, Chosen& chosen, const std::shared_ptr<TriageOptions>& options) {
  Command* listing = add_part(command, chosen, options, "list", "all findings, a line each", list);
  listing
      ->add_option("--state", options->filter.state,
                   "only those that are new, confirmed, known, false-positive, fixed or regressed")
      ->check(one_of({"new", "confirmed", "known", "false-positive", "fixed", "regressed"}));
  listing
      ->add_option("--class", options->filter.verdict, "only semantic, error, latent, crash, ...")
      ->check(one_of({"semantic", "error", "latent", "crash", "deadlock", "hang"}));
  listing->add_option("--server", options->filter.server, "only those met on such a version");
  add_json_option(*listing, options->json);
  Command* showing = add_part(command, chosen, options, "show", "one finding, whole", show);
  add_id(*showing, *options);
  add_json_option(*showing, options->json);
  add_part(command, chosen, options, "dump",
           "all that the store knows, as JSON, but for when and where: equal stores, equal bytes",
           dump);
  Command* proposing =
      add_part(command, chosen, options, "propose-filter",
               "a rule that forgives a false positive and as little else as can be", propose);
  add_id(*proposing, *options);
}

void add_deciding(Command& command, Chosen& chosen, const std::shared_ptr<TriageOptions>& options) {
  Command* marking = add_part(command, chosen, options, "mark", "decide what a finding is", mark);
  add_id(*marking, *options);
  marking->add_option("STATE", options->state, "new, confirmed, known, false-positive or fixed")
      ->required();
  marking->add_option("--note", options->note, "why, or where it is reported");
  marking->add_option("--filter", options->filter_name, "of a false positive: the rule's name");
  Command* merging = add_part(command, chosen, options, "merge", "two findings are one bug", merge);
  add_id(*merging, *options);
  merging->add_option("INTO", options->other, "the finding that stays")->required();
  Command* adding =
      add_part(command, chosen, options, "add", "what hunts found that are not in it yet", add);
  adding->add_option("OUT", options->hunts, "folders of hunts")->required();
}

}  // namespace

void add_triage_command(Command& app, Chosen& chosen) {
  Command* command =
      app.add_subcommand("triage", "what all hunts found, and what was decided about it");
  command->require_subcommand(1, 1);
  command->footer(kExamples);
  auto options = std::make_shared<TriageOptions>();
  add_asking(*command, chosen, options);
  add_deciding(*command, chosen, options);
}

}  // namespace esox
