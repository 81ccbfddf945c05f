// SPDX-License-Identifier: Apache-2.0
#include "harness/records/triage/recording.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "harness/records/finding_file.h"
#include "harness/records/hunt_state.h"
#include "harness/records/triage/diagnosis_facts.h"
#include "harness/records/triage/filter_trial.h"

namespace esox {
namespace {

namespace fs = std::filesystem;

constexpr size_t kListed = 10;  // findings; `esox triage list` has all

Occurrence occurrence_in(const fs::path& file) {
  const fs::path folder = file.parent_path();
  const Finding finding = read_finding(file);
  Occurrence occurrence;
  static_cast<InputKey&>(occurrence) = key_of(finding.input);
  occurrence.id = finding.id;
  occurrence.title = finding.input.input.title;
  occurrence.verdict = finding.verdict;
  occurrence.latent = finding.latent;
  occurrence.hits = finding.hits;
  occurrence.executions = finding.executions;
  occurrence.first_execution = finding.first_execution;
  occurrence.seed = finding.seed;
  occurrence.folder = fs::absolute(folder).lexically_normal().string();
  occurrence.signature = signature_of(finding, read_diagnosis_facts(folder));
  return occurrence;
}

RecordedHunt recorded_hunt(const HuntState& state, const fs::path& out) {
  const HuntSpec& spec = state.spec();
  RecordedHunt hunt;
  hunt.id = spec.id;
  hunt.started = spec.started;
  hunt.seconds = state.clock().seconds;
  hunt.out = fs::absolute(out).lexically_normal().string();
  hunt.esox_version = spec.esox_version;
  hunt.server_version = spec.server_version;
  hunt.server = spec.server;
  hunt.server_options = fmt::format("{}", fmt::join(spec.server_options, " "));
  hunt.strategy = spec.strategy;
  hunt.seed = spec.seed;
  hunt.executions_each = spec.executions_each;
  hunt.launches = state.launches();
  hunt.ended = state.ended();
  if (spec.shard) {
    hunt.campaign = spec.shard->campaign;
    hunt.campaign_name = spec.shard->name;
    hunt.shard = shard_text(spec.shard->shard);
  }
  return hunt;
}

size_t count(const std::vector<Filed>& filed, const std::function<bool(const Filed&)>& counts) {
  return static_cast<size_t>(std::ranges::count_if(filed, counts));
}

std::string fate_of(const Filed& one) {
  if (one.regressed) return "regressed: it was marked fixed";
  if (one.opened) return "new";
  return one.occurrence == one.finding
             ? state_name(one.state)
             : fmt::format("{}, as {}", state_name(one.state), one.finding);
}

}  // namespace

fs::path default_store(const fs::path& out) {
  const fs::path whole = fs::path(out.has_filename() ? out : out.parent_path());
  return whole.parent_path() / "findings.db";
}

HuntRecord read_hunt_record(const fs::path& out) {
  const std::unique_ptr<HuntState> state = HuntState::open(out);
  HuntRecord record;
  record.hunt = recorded_hunt(*state, out);
  for (const KeptExploration& one : state->take_explorations()) {
    if (!one.tally) continue;
    record.hunt.executions += one.tally->executions;
    record.inputs.push_back({key_of(one.input), one.input.input.title, one.tally->verdicts});
  }
  for (const fs::path& file : finding_files_below(out / "findings")) {
    record.occurrences.push_back(occurrence_in(file));
  }
  return record;
}

std::vector<Filed> record_hunt(Store& store, const fs::path& out) {
  const HuntRecord record = read_hunt_record(out);
  return store.record(record.hunt, record.inputs, record.occurrences);
}

std::string filed_text(const std::vector<Filed>& filed, const fs::path& store) {
  if (filed.empty()) return "";
  const size_t opened = count(filed, [](const Filed& one) { return one.opened; });
  const size_t regressed = count(filed, [](const Filed& one) { return one.regressed; });
  std::string text =
      fmt::format("In the triage store {}: {} new, {} regressed, {} like one there already.\n",
                  store.string(), opened, regressed, filed.size() - opened - regressed);
  for (size_t i = 0; i < filed.size() && i < kListed; ++i) {
    text += fmt::format("  {}  {}\n", filed[i].occurrence, fate_of(filed[i]));
  }
  if (filed.size() > kListed) {
    text += fmt::format("  and {} more: esox triage list --store {}\n", filed.size() - kListed,
                        store.string());
  }
  return text;
}

}  // namespace esox
