// SPDX-License-Identifier: Apache-2.0
#include "harness/nights/night/history.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "harness/nights/night/recheck_result.h"
#include "harness/records/rate_text.h"

namespace esox {
namespace {

struct Hits {
  uint64_t hits = 0;
  uint64_t first = 0;
};

// By hunt and input.
std::map<std::pair<std::string, InputKey>, Hits> hits_of(const NightFinding& one) {
  std::map<std::pair<std::string, InputKey>, Hits> hits;
  for (const StoredOccurrence& stored : one.occurrences) {
    const Occurrence& occurrence = stored.occurrence;
    Hits& sum = hits[{stored.hunt, occurrence}];
    const bool first = sum.hits == 0;
    sum.hits += occurrence.hits;
    sum.first =
        first ? occurrence.first_execution : std::min(sum.first, occurrence.first_execution);
  }
  return hits;
}

std::vector<StageTrial> trials_of(const NightFinding& one,
                                  const std::vector<StageAccount>& accounts) {
  const auto hits = hits_of(one);
  std::set<InputKey> places;
  for (const auto& [where, count] : hits) places.insert(where.second);
  std::vector<StageTrial> trials;
  for (const StageAccount& account : accounts) {
    if (!places.contains(account)) continue;
    StageTrial trial;
    trial.night = account.stage.night;
    trial.server = account.stage.server_name;
    const std::string what = fmt::format("{}\n{}\n{}\n{}", account.input, account.engine,
                                         account.setting, account.strategy);
    trial.cell = account.stage.stage + "\n" + what;
    trial.draws = account.server_options + "\n" + what;
    trial.seed = account.seed;
    trial.executions = account.executions;
    trial.independent = is_fresh_draw(account.strategy);
    const auto met = hits.find({account.stage.hunt, account});
    if (met != hits.end()) {
      trial.hits = met->second.hits;
      trial.first_hit = met->second.first;
      // A batch that was cut short is not in the account.
      trial.executions = std::max({trial.executions, trial.hits, trial.first_hit});
    }
    trials.push_back(std::move(trial));
  }
  return trials;
}

// Of the hunt that met it first, the night; empty if that was no stage of one.
std::string first_night(const NightFinding& one, const std::map<std::string, StoredStage>& stages) {
  if (one.occurrences.empty()) return "";
  const std::string& hunt = one.occurrences.back().hunt;
  const auto stage = stages.find(hunt);
  return stage == stages.end() ? "" : stage->second.night;
}

std::vector<NightFinding> findings_of(Store& store) {
  std::vector<NightFinding> all;
  for (const TriagedFinding& finding : store.findings()) {  // the oldest first
    NightFinding& one = all.emplace_back(NightFinding{finding, store.occurrences(finding.id), {}});
    for (const TriageChange& change : store.history(finding.id)) {
      if (change.to == state_name(TriageState::kFixed)) {
        one.past.fixed_from.push_back(night_id_of(change.at));
      }
    }
  }
  return all;
}

}  // namespace

bool NightFinding::closed() const {
  return finding.state == TriageState::kKnown || false_positive();
}

bool NightFinding::false_positive() const {
  return finding.state == TriageState::kFalsePositive;
}

std::vector<NightFinding> night_findings(Store& store) {
  std::vector<NightFinding> all = findings_of(store);
  const std::vector<StageAccount> accounts = store.stage_accounts();
  const std::vector<StoredRecheck> rechecks = store.rechecks();
  std::map<std::string, StoredStage> stages;
  for (const StoredStage& stage : store.stages()) stages[stage.hunt] = stage;
  for (NightFinding& one : all) {
    std::ranges::stable_sort(one.occurrences, std::greater(), &StoredOccurrence::started);
    one.past.trials = trials_of(one, accounts);
    one.past.first_night = first_night(one, stages);
    for (const StoredRecheck& recheck : rechecks) {
      if (recheck.finding != one.finding.id || !has_told(recheck.result)) continue;
      one.past.tried_again.push_back({recheck.night, recheck.server_name, came(recheck.result)});
    }
  }
  return all;
}

std::string night_id_of(std::string iso_time) {
  std::ranges::replace(iso_time, ':', '-');
  return iso_time;
}

}  // namespace esox
