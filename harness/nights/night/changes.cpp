// SPDX-License-Identifier: Apache-2.0
#include "harness/nights/night/changes.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <utility>

#include "base/statistics/confidence.h"
#include "base/text/enum_names.h"

namespace esox {
namespace {

// Executions and the hits that count among them.
struct Exposure {
  double executions = 0;
  double hits = 0;

  // Of all hits lying before `since` executions without one.
  double log_chance(double since) const {
    if (hits <= 0 || since <= 0) return 0;
    return hits * (std::log(executions) - std::log(executions + since));
  }
};

struct Cell {
  bool begun = false;  // met in this episode
  Exposure episode;    // from its first hit on, which does not count
  Exposure whole;      // from the beginning of all observation
  double since = 0;    // executions since the finding was met last, in any cell
};

Exposure exposure_of(const StageTrial& trial) {
  const auto executions = static_cast<double>(trial.executions);
  if (trial.hits == 0) return {executions, 0};
  if (trial.independent) return {executions, static_cast<double>(trial.hits)};
  return {static_cast<double>(trial.first_hit), 1};
}

// From the first hit on.
Exposure exposure_after_first(const StageTrial& trial) {
  if (!trial.independent || trial.hits == 0) return {};
  return {static_cast<double>(trial.executions - std::min(trial.first_hit, trial.executions)),
          static_cast<double>(trial.hits - 1)};
}

void add(Exposure& sum, const Exposure& more) {
  sum.executions += more.executions;
  sum.hits += more.hits;
}

// What one server had to say in one night.
struct ServerNight {
  std::vector<StageTrial> trials;
  bool came = false;  // by its own schedule
};

// A finding on one server, night after night.
class Watch {
 public:
  Watch(std::string server, const FindingPast& past) : past_(past) {
    change_.server = std::move(server);
  }

  void live_through(const std::string& night, const ServerNight& told) {
    begin_night(night);
    bool met = told.came;
    for (const StageTrial& trial : told.trials) {
      change_.executions += trial.executions;
      change_.hits += trial.hits;
      met = met || trial.hits > 0;
    }
    change_.by_schedule = told.came;
    if (met) return meet(night, told.trials);
    miss(night, told.trials);
  }

  bool ever_met() const { return ever_met_; }
  Change end() const { return change_; }

 private:
  // A mark of a person is older than this night, and newer than all before.
  void begin_night(const std::string& night) {
    const bool marked = std::ranges::any_of(
        past_.fixed_from, [&](const std::string& at) { return at > last_night_ && at <= night; });
    if (marked) {
      gone_ = true;
      change_.marked_fixed = true;
      change_.gone_since.clear();
    }
    last_night_ = night;
    change_.hits = change_.executions = 0;
    change_.by_schedule = change_.first_here = false;
  }

  void meet(const std::string& night, const std::vector<StageTrial>& trials) {
    const bool regressed = gone_;
    if (gone_ || !ever_met_) begin_episode();
    for (auto& [name, cell] : cells_) {
      if (cell.begun) add(cell.episode, {cell.since, 0});
      add(cell.whole, {cell.since, 0});
      cell.since = 0;
    }
    for (const StageTrial& trial : trials) {
      if (!says_something(trial)) continue;
      Cell& cell = cells_[trial.cell];
      add(cell.whole, exposure_of(trial));
      add(cell.episode, cell.begun ? exposure_of(trial) : exposure_after_first(trial));
      cell.begun = cell.begun || trial.hits > 0;
    }
    change_.fate = regressed                                  ? Fate::kRegressed
                   : !ever_met_ && night == past_.first_night ? Fate::kNew
                                                              : Fate::kStillThere;
    change_.first_here = !ever_met_ && change_.fate == Fate::kStillThere;
    if (!regressed) {
      change_.gone_since.clear();
      change_.marked_fixed = false;
    }
    change_.last_met = std::exchange(newest_met_, night);
    ever_met_ = true;
    gone_ = false;
    ++nights_met_;
    change_.nights_since = change_.executions_since = 0;
    change_.chance = change_.remaining = 1;
  }

  void miss(const std::string& night, const std::vector<StageTrial>& trials) {
    change_.last_met = newest_met_;
    double tried = 0;
    for (const StageTrial& trial : trials) {
      if (!says_something(trial)) continue;
      cells_[trial.cell].since += static_cast<double>(trial.executions);
      tried += static_cast<double>(trial.executions);
    }
    if (tried > 0 && ever_met_) note_missed(static_cast<uint64_t>(tried));
    if (gone_) {
      change_.fate = Fate::kGoneBefore;
      return;
    }
    change_.fate = Fate::kNotMet;
    if (!ever_met_ || change_.chance > change_.risk || change_.nights_since == 0) return;
    gone_ = true;
    change_.fate = Fate::kGone;
    change_.gone_since = night;
    change_.marked_fixed = false;
  }

  void note_missed(uint64_t executions) {
    const auto k = static_cast<double>(nights_met_);
    change_.risk = kGoneRisk / (k * (k + 1));
    ++change_.nights_since;
    change_.executions_since += executions;
    change_.chance = chance();
    change_.remaining = upper_bound_of_rate(0, change_.executions_since);
  }

  double chance() const {
    double episode = 0;
    double whole = 0;
    for (const auto& [name, cell] : cells_) {
      episode += cell.episode.log_chance(cell.since);
      whole += cell.whole.log_chance(cell.since);
    }
    return std::min(1.0, 2 * std::exp(std::min(episode, whole)));
  }

  void begin_episode() {
    for (auto& [name, cell] : cells_) {
      cell.begun = false;
      cell.episode = {};
    }
  }

  bool says_something(const StageTrial& trial) {
    return trial.executions > 0 && seeds_.emplace(trial.draws, trial.seed).second;
  }

  const FindingPast& past_;
  Change change_;
  std::map<std::string, Cell> cells_;
  std::set<std::pair<std::string, uint64_t>> seeds_;  // beside what they were used for
  std::string last_night_;
  std::string newest_met_;
  bool ever_met_ = false;
  bool gone_ = false;
  uint64_t nights_met_ = 0;
};

}  // namespace

const char* fate_name(Fate fate) {
  static constexpr const char* kNames[] = {"new",     "regressed", "still there",
                                           "not met", "gone",      "gone before"};
  return name_in(kNames, fate);
}

std::vector<Change> changes_of(const FindingPast& past, const std::string& tonight) {
  std::map<std::string, std::map<std::string, ServerNight>> told;  // server -> night
  for (const StageTrial& trial : past.trials) {
    if (trial.night <= tonight) told[trial.server][trial.night].trials.push_back(trial);
  }
  for (const TriedAgain& one : past.tried_again) {
    if (one.night > tonight) continue;
    ServerNight& night = told[one.server][one.night];
    night.came = night.came || one.came;
  }
  std::vector<Change> changes;
  for (auto& [server, nights] : told) {
    nights[tonight];  // its state tonight is asked for, whether it was looked for or not
    Watch watch(server, past);
    for (auto& [night, words] : nights) {
      // Of a stage that was begun again with its seed, the attempt that came the furthest counts.
      std::stable_sort(
          words.trials.begin(), words.trials.end(),
          [](const StageTrial& a, const StageTrial& b) { return a.executions > b.executions; });
      watch.live_through(night, words);
    }
    if (watch.ever_met()) changes.push_back(watch.end());
  }
  return changes;
}

}  // namespace esox
