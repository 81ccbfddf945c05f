// SPDX-License-Identifier: Apache-2.0
#include "harness/nights/night/history.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "harness/nights/night/recheck_result.h"
#include "preload/strategy/registry.h"

namespace esox {
namespace {

// Executions whose schedules do not depend on what earlier ones gave.
bool independent(const std::string& strategy) {
  StrategySpec spec;
  char error[kStrategyErrorBytes];
  return parse_strategy(strategy, &spec, error, sizeof error) && explores(spec.kind);
}

// Who stands for whom: of findings that share a plain signature, directly or by others, one.
class Families {
 public:
  explicit Families(const std::vector<std::pair<std::string, std::string>>& signatures) {
    std::map<std::string, std::string> first;  // by signature
    for (const auto& [signature, finding] : signatures) {
      join(first.emplace(signature, finding).first->second, finding);
    }
  }

  std::string of(const std::string& finding) {
    std::string head = finding;
    while (parents_.contains(head)) head = parents_.at(head);
    return head;
  }

 private:
  void join(const std::string& a, const std::string& b) {
    const std::string head = of(a);
    const std::string other = of(b);
    if (head != other) parents_[other] = head;
  }

  std::map<std::string, std::string> parents_;
};

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
    trial.independent = independent(account.strategy);
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

bool is_closed(TriageState state) {
  return state == TriageState::kKnown || state == TriageState::kFalsePositive;
}

// Nobody's decision stands behind "new".
template <class Holds>
bool of_all_looked_at(const std::vector<TriagedFinding>& findings, const Holds& holds) {
  bool looked_at = false;
  for (const TriagedFinding& finding : findings) {
    if (finding.state == TriageState::kNew) continue;
    looked_at = true;
    if (!holds(finding.state)) return false;
  }
  return looked_at;
}

std::vector<NightFinding> grouped(Store& store) {
  Families families(store.plain_signatures());
  std::map<std::string, size_t> place;
  std::vector<NightFinding> all;
  for (const TriagedFinding& finding : store.findings()) {  // the oldest first
    const auto [found, fresh] = place.emplace(families.of(finding.id), all.size());
    if (fresh) all.push_back({finding, {}, {}, {}});
    NightFinding& one = all[found->second];
    if (!fresh) one.alike.push_back(finding);
    for (StoredOccurrence& occurrence : store.occurrences(finding.id)) {
      one.occurrences.push_back(std::move(occurrence));
    }
    for (const TriageChange& change : store.history(finding.id)) {
      if (change.to == state_name(TriageState::kFixed)) {
        one.past.fixed_from.push_back(night_id_of(change.at));
      }
    }
  }
  return all;
}

std::vector<TriagedFinding> members(const NightFinding& one) {
  std::vector<TriagedFinding> all = one.alike;
  all.push_back(one.finding);
  return all;
}

}  // namespace

bool NightFinding::closed() const {
  return of_all_looked_at(members(*this), is_closed);
}

bool NightFinding::false_positive() const {
  return of_all_looked_at(members(*this),
                          [](TriageState state) { return state == TriageState::kFalsePositive; });
}

std::vector<NightFinding> night_findings(Store& store) {
  std::vector<NightFinding> all = grouped(store);
  const std::vector<StageAccount> accounts = store.stage_accounts();
  const std::vector<StoredRecheck> rechecks = store.rechecks();
  std::map<std::string, StoredStage> stages;
  for (const StoredStage& stage : store.stages()) stages[stage.hunt] = stage;
  for (NightFinding& one : all) {
    std::stable_sort(
        one.occurrences.begin(), one.occurrences.end(),
        [](const StoredOccurrence& a, const StoredOccurrence& b) { return a.started > b.started; });
    one.past.trials = trials_of(one, accounts);
    one.past.first_night = first_night(one, stages);
    std::set<std::string> ids;
    for (const TriagedFinding& finding : members(one)) ids.insert(finding.id);
    for (const StoredRecheck& recheck : rechecks) {
      if (!ids.contains(recheck.finding) || !has_told(recheck.result)) continue;
      one.past.tried_again.push_back({recheck.night, recheck.server_name, came(recheck.result)});
    }
  }
  return all;
}

std::string night_id_of(std::string iso_time) {
  std::replace(iso_time.begin(), iso_time.end(), ':', '-');
  return iso_time;
}

}  // namespace esox
