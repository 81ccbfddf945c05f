// SPDX-License-Identifier: Apache-2.0
#include "harness/generate/funnel.h"

#include <algorithm>

#include "harness/generate/mutant_runs.h"
#include "harness/generate/shrinking.h"
#include "harness/records/triage/signature.h"
#include "inputs/generation/composer.h"
#include "preload/strategy/rng.h"

namespace esox {
namespace {

constexpr double kHeldState_ms = 1'000;
constexpr uint64_t kMostUnjudged = 2;  // executions of one input

bool went_wrong(const ExecutionReport& report) {
  const EndingKind kind = report.record.ending.kind;
  return report.record.degraded_reasons.empty() &&
         (kind == EndingKind::kCrash || kind == EndingKind::kDeadlock || kind == EndingKind::kHang);
}

class Funnel {
 public:
  Funnel(Executor& executor, const Mutant& mutant, const FunnelSettings& settings,
         const Known& known)
      : executor_(executor),
        mutant_(mutant),
        settings_(settings),
        known_(known),
        counts_(*known.counts),
        runs_(executor, mutant.input, mutant.seed),
        chance_(mutant.seed) {}

  MutantResult run() {
    if (goes_forward()) look();
    result_.executions += runs_.concurrent();
    result_.points = runs_.points();
    return std::move(result_);
  }

 private:
  // What went wrong without concurrency is looked into as well.
  bool goes_forward() {
    const ExecutionReport report = runs_.forward();
    if (went_wrong(report) && report.diverged == 0) {
      wrong_ = true;
      return true;
    }
    result_.fate = fate_of(report);
    return result_.fate == Fate::kNothingNew;
  }

  Fate fate_of(const ExecutionReport& report) {
    if (report.diverged > 0) return Fate::kWaits;
    if (!is_sound(report)) return Fate::kLost;
    const Input& input = mutant_.input.input;
    bool idle = false;
    for (size_t c = 0; c < input.clients.size(); ++c) {
      bool succeeded = false;
      for (size_t r = 0; r < input.clients[c].requests.size(); ++r) {
        const Output& output = report.record.outcome.outputs[c][r];
        const bool well = output.answered && output.error == 0;
        result_.replies.emplace_back(input.clients[c].requests[r].text, well);
        succeeded = succeeded || well;
      }
      idle = idle || !succeeded;
    }
    if (idle) return Fate::kFails;
    return report.points > kMostPointsOfMade ? Fate::kSlow : Fate::kNothingNew;
  }

  void look() {
    if (!wrong_) glance();
    result_.gain = counts_.gain(features_beside(seen_, mutant_.parents));
    const bool promising = settings_.feedback
                               ? result_.gain >= std::max(kLeastGain, known_.judge_from)
                               : chance_.below(kByChance) == 0;
    const bool judged =
        wrong_ || (promising && states_of(mutant_.input.input) <= kMostStatesJudged);
    if (judged && (is_held() || waits())) return;
    if (judged) judge();
    confirm();
    if (is_worth_keeping() && !is_held()) keep();
  }

  // Its sessions end with locks that whoever reads the state waits for: an execution of it takes as
  // long as hundreds of others, and a client that waits for them waits for good, which is no fault.
  // Asked once, and only of what is worth it. The one thing that is told by the clock: a server
  // waits for seconds, and else answers in milliseconds; so that a machine which is late for once
  // does not decide, twice.
  bool is_held() {
    if (!held_ && can_be_held()) held_ = waits_for_state() && waits_for_state();
    if (held_.value_or(false)) result_.fate = Fate::kHeld;
    return held_.value_or(false);
  }

  // Where its serial orders wait for each other, there is nothing to judge it by, and each of them
  // is awaited for seconds.
  bool waits() {
    if (!can_be_held()) return false;
    const ExecutionReport report = runs_.backward();
    const bool waits = report.diverged > 0 || !is_sound(report);
    if (waits) result_.fate = Fate::kWaits;
    return waits;
  }

  bool waits_for_state() {
    return runs_.forward(/*with_state=*/true).steps.state_ms >= kHeldState_ms;
  }

  // What went wrong with nothing beside it, or died, waits for nobody.
  bool can_be_held() const {
    const auto died = [](const ExecutionReport& one) {
      return one.record.ending.kind == EndingKind::kCrash;
    };
    return (!wrong_ || !wrong_reports_.empty()) &&
           std::none_of(wrong_reports_.begin(), wrong_reports_.end(), died);
  }

  // What does not end is awaited for seconds: once is enough.
  void glance() {
    for (size_t which = 0; which < kGlances.size() && !wrong_; ++which) {
      ExecutionReport report = runs_.glance(which);
      if (went_wrong(report)) {
        wrong_ = true;
        report.record.number = which + 1;
        wrong_reports_.push_back(std::move(report));
      } else if (is_sound(report)) {
        note(showing_of(report, which, mutant_.input.input));
      }
    }
  }

  void note(Showing showing) {
    add_features(seen_, showing.features);
    result_.coverage.add(showing.behaviour);
    showing.behaviour = {};
    showings_.push_back(std::move(showing));
  }

  // ---- by serial orders

  void judge() {
    result_.judged = true;
    ExplorationSettings settings = settings_.exploration;
    settings.is_no_news = [this](const Finding& finding) { return is_no_news(finding); };
    Exploration exploration(mutant_.input, std::move(settings));
    exploration.prepare(executor_);
    for (ExecutionReport& report : wrong_reports_) {
      Judged judged = exploration.judge_report(executor_, std::move(report));
      if (judged.cause) exploration.confirm(executor_, judged);
      take(exploration, std::move(judged));
    }
    unsigned late = 0;  // of those that found the state held in another order
    for (uint64_t n = 1; n <= kJudged && !ends_badly() && late < 2; ++n) {
      Judged judged = exploration.explore(executor_, n);
      ++result_.executions;
      late += judged.report.steps.state_ms >= kHeldState_ms ? 1 : 0;
      if (is_sound(judged.report)) note(showing_of(judged.report, 0, mutant_.input.input));
      take(exploration, std::move(judged));
    }
    add_features(beyond_, features_of(exploration.predictions()));
    add_features(beyond_, features_of(exploration.serial_runs(), mutant_.input.input));
    result_.tally.serial_executions = exploration.serial_executions();
    result_.tally.replays = exploration.replays();
    result_.executions += exploration.replays();
    for (FoundViolation& one : result_.found) {
      one.finding.executions = one.line.executions = result_.tally.executions;
      one.finding.draws = one.line.draws = result_.tally.draws;
    }
  }

  // It shows what is known, does not come to its end, or cannot be judged, which is mostly for a
  // serial order that does not: more of the same takes too long.
  bool ends_badly() const {
    return !result_.known_causes.empty() || result_.tally.degraded >= kMostUnjudged ||
           std::any_of(result_.found.begin(), result_.found.end(), [](const FoundViolation& one) {
             return one.judged.report.record.ending.kind != EndingKind::kFinished;
           });
  }

  bool is_no_news(const Finding& finding) {
    std::vector<std::string> keys = family_keys(signature_of(finding, std::nullopt));
    if (!known_.is_cause || !known_.is_cause(keys)) return false;
    result_.known_causes.insert(result_.known_causes.end(), keys.begin(), keys.end());
    return true;
  }

  void take(const Exploration& exploration, Judged judged) {
    if (judged.cut_short) throw Executor::Interrupted{};
    Tally& tally = result_.tally;
    const VerdictClass verdict = judged.verdict.verdict;
    const bool believed = !judged.verdict.violation() || judged.confirmed;
    ++tally.executions;
    tally.draws += is_drawn(judged) ? 1 : 0;
    ++tally.verdicts[believed ? class_name(verdict) : "unconfirmed"];
    note_forgiven(tally, mutant_.input, judged.report.record, judged.verdict);
    if (verdict == VerdictClass::kDegraded) {
      ++tally.degraded;
      for (const std::string& reason : judged.verdict.degraded_reasons) {
        ++tally.degraded_reasons[reason];
      }
    }
    if (judged.confirmed) keep_found(exploration, std::move(judged));
  }

  void keep_found(const Exploration& exploration, Judged judged) {
    const auto same = [&](const FoundViolation& one) {
      return one.judged.cause->id == judged.cause->id;
    };
    const auto known = std::find_if(result_.found.begin(), result_.found.end(), same);
    if (known != result_.found.end()) {
      ++known->finding.hits;
      ++known->line.hits;
      known->finding.drawn_hits += is_drawn(judged) ? 1 : 0;
      known->line.drawn_hits = known->finding.drawn_hits;
      return;
    }
    if (result_.found.size() >= kMostFound) return;
    FoundViolation found;
    found.finding = finding_of(exploration, judged, settings_.by);
    found.line = report_line(mutant_.input, judged, found.finding.id);
    found.masks = exploration.masks();
    found.judged = std::move(judged);
    result_.found.push_back(std::move(found));
  }

  // ---- what is new

  void confirm() {
    const Features unseen = counts_.unseen(seen_);
    Features confirmed;
    if (weight_of(unseen) >= kLeastGain) {
      std::vector<bool> used(showings_.size(), false);
      for (size_t i = 0; i < kMostConfirmed; ++i) {
        const Features open = features_beside(unseen, confirmed);
        const std::optional<size_t> next = most_of(open, used);
        if (!next) break;
        used[*next] = true;
        const size_t before = confirmed.size();
        replay(showings_[*next], open, confirmed);
        if (confirmed.size() > before && !telling_) telling_ = *next;
      }
    }
    result_.features = features_beside(seen_, unseen);
    add_features(result_.features, confirmed);
    add_features(result_.features, beyond_);
    add_features(confirmed, counts_.unseen(beyond_));
    result_.unseen = std::move(confirmed);
  }

  std::optional<size_t> most_of(const Features& open, const std::vector<bool>& used) const {
    std::optional<size_t> best;
    double most = 0;
    for (size_t i = 0; i < showings_.size(); ++i) {
      if (used[i]) continue;
      const double rest = weight_of(features_beside(open, showings_[i].features));
      const double own = weight_of(open) - rest;
      if (own <= most) continue;
      most = own;
      best = i;
    }
    return best;
  }

  // Shown once already: one of two replays is enough.
  void replay(const Showing& showing, const Features& open, Features& confirmed) {
    Features wanted = features_beside(open, features_beside(open, showing.features));
    for (int i = 0; i < 2 && !wanted.empty(); ++i) {
      const ExecutionReport report = runs_.replay(showing);
      if (!is_sound(report)) continue;
      const Features missing = features_beside(wanted, features_of(report, mutant_.input.input));
      add_features(confirmed, features_beside(wanted, missing));
      wanted = missing;
    }
  }

  // Of a known cause there is enough.
  bool is_worth_keeping() {
    if (!result_.found.empty()) return true;
    if (!result_.known_causes.empty()) return false;
    return settings_.feedback ? weight_of(result_.unseen) >= kLeastGain
                              : chance_.below(kByChance) == 0;
  }

  void keep() {
    result_.fate = Fate::kKept;
    // One that shows a violation is kept as it was when it did.
    const bool as_it_is = !result_.found.empty() || !telling_;
    result_.kept =
        as_it_is ? mutant_.input.input : shrunk(runs_, showings_[*telling_], result_.unseen);
  }

  Executor& executor_;
  const Mutant& mutant_;
  const FunnelSettings& settings_;
  const Known& known_;
  const FeatureCounts& counts_;
  MutantRuns runs_;
  Rng chance_;
  MutantResult result_;
  std::optional<bool> held_;
  bool wrong_ = false;  // something went, in an execution that was not judged
  std::vector<ExecutionReport> wrong_reports_;
  std::vector<Showing> showings_;
  std::optional<size_t> telling_;  // the one of them that showed most of what is new
  Features seen_;                  // in some showing
  Features beyond_;                // what no single execution shows
};

}  // namespace

MutantResult run_through_funnel(Executor& executor, const Mutant& mutant,
                                const FunnelSettings& settings, const Known& known) {
  return Funnel(executor, mutant, settings, known).run();
}

}  // namespace esox
