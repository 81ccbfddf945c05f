// SPDX-License-Identifier: Apache-2.0
// esox triage: what all hunts found, and what people decided about it
// (harness/records/triage/store.h).
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <memory>
#include <set>

#include "analysis/rows.h"
#include "base/process/paths.h"
#include "base/text/counted.h"
#include "filters/reader.h"
#include "harness/commands/command.h"
#include "harness/commands/json_option.h"
#include "harness/commands/output.h"
#include "harness/engine/known_servers.h"
#include "harness/records/finding_file.h"
#include "harness/records/json_text.h"
#include "harness/records/lines.h"
#include "harness/records/needed_choices.h"
#include "harness/records/rate_text.h"
#include "harness/records/reproducer_record.h"
#include "harness/records/synopsis.h"
#include "harness/records/triage/diagnosis_facts.h"
#include "harness/records/triage/filter_trial.h"
#include "harness/records/triage/proposal.h"
#include "harness/records/triage/recording.h"
#include "harness/records/triage/store.h"

namespace esox {
namespace {

namespace fs = std::filesystem;

constexpr const char* kTriageExamples = R"(
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
  if (is_there(options.store)) return Store(options.store);
  throw UsageError(fmt::format("there is no triage store {}; hunt first, or name one by --store",
                               options.store));
}

// ---- list

OrderedJson json_of(const TriagedFinding& finding) {
  return {{"id", finding.id},           {"state", state_name(finding.state)},
          {"filter", finding.filter},   {"note", finding.note},
          {"class", finding.verdict},   {"latent", finding.latent},
          {"input", finding.input},     {"engine", finding.engine},
          {"setting", finding.setting}, {"title", finding.title},
          {"created", finding.created}, {"changed", finding.changed},
          {"hits", finding.hits},       {"occurrences", finding.occurrences},
          {"hunts", finding.hunts},     {"servers", finding.servers}};
}

// Of its occurrences' folders that are still there, one that violates if there is any.
std::optional<ReproducerRecord> reproducer_of(Store& store, const TriagedFinding& finding) {
  std::optional<ReproducerRecord> known;
  for (const StoredOccurrence& one : store.occurrences(finding.id)) {
    const auto record = read_reproducer_record(one.occurrence.folder);
    if (record) known = record;
    if (record && record->needs_esox.empty()) break;
  }
  return known;
}

// Of its occurrences that are still there, what one needs that needs the least; empty: nothing.
std::string choices_of(Store& store, const TriagedFinding& finding) {
  std::string least;
  for (const StoredOccurrence& one : store.occurrences(finding.id)) {
    const std::optional<std::string> needed = needed_choices(one.occurrence.folder);
    if (needed && needed->empty()) return "";
    if (needed && least.empty()) least = *needed;
  }
  return least;
}

// Those that need no data choice first.
int list(const TriageOptions& options) {
  Store store = open_store(options);
  std::vector<TriagedFinding> findings = store.findings(options.filter);
  std::map<std::string, std::string> choices;
  for (const TriagedFinding& one : findings) choices[one.id] = choices_of(store, one);
  std::stable_partition(findings.begin(), findings.end(),
                        [&](const TriagedFinding& one) { return choices[one.id].empty(); });
  OrderedJson json = OrderedJson::array();
  for (const TriagedFinding& one : findings) {
    const auto reproducer = reproducer_of(store, one);
    json.push_back(json_of(one));
    json.back()["needs"] = choices[one.id];
    json.back()["reproducer"] =
        reproducer ? OrderedJson::parse(to_json(*reproducer, 0)) : OrderedJson();
  }
  put_json(options.json, json_text(json));
  if (options.json.on_stdout()) return kNothingFound;
  for (const TriagedFinding& one : findings) {
    const auto reproducer = reproducer_of(store, one);
    put_line(fmt::format(
        "{}  {:<14} {:<8} {}: {}, {} in {}{}{}{}", one.id, state_name(one.state), one.verdict,
        printable(key_text(one)), counted(one.hits, "hit"), counted(one.occurrences, "occurrence"),
        counted(one.hunts, "hunt"), choices[one.id].empty() ? "" : "; needs " + choices[one.id],
        reproducer ? "; reproducer " + printable(short_reproducer_text(*reproducer)) : "",
        one.note.empty() ? "" : "; " + printable(one.note)));
  }
  put_line(fmt::format("{} in {}", counted(findings.size(), "finding"), options.store));
  return kNothingFound;
}

// ---- show

OrderedJson json_of(const StoredOccurrence& one) {
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

OrderedJson whole_json(Store& store, const TriagedFinding& finding) {
  OrderedJson json = json_of(finding);
  json["signature"] = lines_of(finding.signature);
  json["occurrences"] = json_list(store.occurrences(finding.id),
                                  [&](const StoredOccurrence& one) { return json_of(one); });
  json["history"] =
      json_list(store.history(finding.id), [&](const TriageChange& one) -> OrderedJson {
        return {{"at", one.at}, {"from", one.from}, {"to", one.to}, {"note", one.note}};
      });
  return json;
}

// What lies in the folder of the newest occurrence that is still there.
void show_folder(const std::vector<StoredOccurrence>& occurrences) {
  for (const StoredOccurrence& one : occurrences) {
    const fs::path folder = one.occurrence.folder;
    if (!is_there(folder / "finding.yaml")) continue;
    const Finding finding = read_finding(folder / "finding.yaml");
    for (const std::string& line : statement_lines(finding.input.input)) put_line("    " + line);
    const auto diagnosis = read_diagnosis_facts(folder);
    if (diagnosis && !diagnosis->sentence.empty()) put_line("  " + printable(diagnosis->sentence));
    if (is_there(folder / "minimised.yaml")) {
      put_line("  smaller: " + (folder / "minimised.yaml").string());
    }
    const auto reproducer = read_reproducer_record(folder);
    if (reproducer) put_line("  reproducer " + printable(reproducer_text(*reproducer)));
    put_line("  esox replay " + folder.string());
    return;
  }
  put_line("  none of its folders is there any more");
}

void show_occurrences(Store& store, const std::vector<StoredOccurrence>& occurrences) {
  put_line(fmt::format("Occurrences, {}:", occurrences.size()));
  for (size_t i = 0; i < occurrences.size() && i < kListed; ++i) {
    const StoredOccurrence& one = occurrences[i];
    put_line(fmt::format("  {}  {}: {} ({} over all hunts), {}, {}", one.occurrence.id,
                         printable(key_text(one.occurrence)),
                         repeats_text(one.occurrence.hits, one.occurrence.executions,
                                      one.occurrence.first_execution),
                         store.executions_of(one.occurrence.input), one.started,
                         one.server_version));
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
    put_line(fmt::format("{}: {}", out, counted(filed.size(), "finding")));
    put(filed_text(filed, options.store));
  }
  return kNothingFound;
}

int dump(const TriageOptions& options) {
  put(open_store(options).dump());
  return kNothingFound;
}

// ---- propose-filter

// The newest occurrence's file that is still there.
Finding kept_finding(Store& store, const TriagedFinding& finding) {
  for (const StoredOccurrence& one : store.occurrences(finding.id)) {
    const fs::path file = fs::path(one.occurrence.folder) / "finding.yaml";
    if (is_there(file)) return read_finding(file);
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
      if (!is_there(file)) continue;
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
  put(proposal.yaml);
  const char* const fate = tried.fate == TrialFate::kHidden  ? "hides it"
                           : tried.fate == TrialFate::kStays ? "does NOT hide it alone"
                                                             : "may hide it";
  warn(
      fmt::format("this {}{} ({} of its {} occurrences), and {} of the {} other findings of "
                  "the store{}{}",
                  fate, tried.why.empty() ? "" : " (" + tried.why + ")", hidden.own.size(),
                  finding.occurrences, hidden.others.size(), hidden.looked_at,
                  hidden.others.empty() ? "" : ": ", fmt::join(hidden.others, ", ")));
  return kNothingFound;
}

// ---- the command line

DefinedCommand<TriageOptions> add_part(Command& command, Chosen& chosen, const char* name,
                                       const char* what, int (*run)(const TriageOptions&)) {
  const auto part = define<TriageOptions>(command, chosen, {name, what, kTriageExamples}, run);
  part.command.add_defaulted("--store", part.options.store, "the store, a file");
  return part;
}

void add_id(Command& part, TriageOptions& options) {
  part.add_option("ID", options.id, "a finding, or the beginning of its id")->required();
}

void add_asking(Command& command, Chosen& chosen) {
  const auto [listing, listed] =
      add_part(command, chosen, "list", "all findings, a line each", list);
  listing
      .add_option("--state", listed.filter.state,
                  "only those that are new, confirmed, known, false-positive, fixed or regressed")
      ->check(one_of({"new", "confirmed", "known", "false-positive", "fixed", "regressed"}));
  listing.add_option("--class", listed.filter.verdict, "only semantic, error, latent, crash, ...")
      ->check(one_of({"semantic", "error", "latent", "crash", "deadlock", "hang", "serial"}));
  listing.add_option("--server", listed.filter.server, "only those met on such a version");
  add_json_option(listing, listed.json);
  const auto [showing, shown] = add_part(command, chosen, "show", "one finding, whole", show);
  add_id(showing, shown);
  add_json_option(showing, shown.json);
  add_part(command, chosen, "dump",
           "all that the store knows, as JSON, but for when and where: equal stores, equal bytes",
           dump);
  const auto [proposing, proposed] =
      add_part(command, chosen, "propose-filter",
               "a rule that forgives a false positive and as little else as can be", propose);
  add_id(proposing, proposed);
}

void add_deciding(Command& command, Chosen& chosen) {
  const auto [marking, marked] =
      add_part(command, chosen, "mark", "decide what a finding is", mark);
  add_id(marking, marked);
  marking.add_option("STATE", marked.state, "new, confirmed, known, false-positive or fixed")
      ->required();
  marking.add_option("--note", marked.note, "why, or where it is reported");
  marking.add_option("--filter", marked.filter_name, "of a false positive: the rule's name");
  const auto [merging, merged] =
      add_part(command, chosen, "merge", "two findings are one bug", merge);
  add_id(merging, merged);
  merging.add_option("INTO", merged.other, "the finding that stays")->required();
  const auto [adding, added] =
      add_part(command, chosen, "add", "what hunts found that are not in it yet", add);
  adding.add_option("OUT", added.hunts, "folders of hunts")->required();
}

}  // namespace

void add_triage_command(Command& app, Chosen& chosen) {
  Command* command =
      app.add_subcommand("triage", "what all hunts found, and what was decided about it");
  command->require_subcommand(1, 1);
  command->footer(kTriageExamples);
  add_asking(*command, chosen);
  add_deciding(*command, chosen);
}

}  // namespace esox
