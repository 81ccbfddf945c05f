// SPDX-License-Identifier: Apache-2.0
#include "harness/generate/funnel.h"

#include <algorithm>

#include "harness/generate/generation_state.h"
#include "harness/generate/mutant_runs.h"
#include "harness/generate/shrinking.h"
#include "harness/records/triage/signature.h"
#include "inputs/generation/composer.h"
#include "preload/strategy/rng.h"

namespace esox {
namespace {

constexpr double kHeldState_ms = 1'000;
constexpr uint64_t kMostUnjudged = 2;  // executions of one input
// Of serial orders while one input is judged: each is awaited for a second.
constexpr uint64_t kMostEndless = 2;

bool went_wrong(const ExecutionReport& report) {
  const EndingKind kind = report.record.ending.kind;
  return report.record.degraded_reasons.empty() &&
         (kind == EndingKind::kCrash || kind == EndingKind::kDeadlock || kind == EndingKind::kHang);
}

// Some session holds on to something when a request of it has ended.
bool may_keep_locks(const Input& input) {
  const auto keeps = [&](const Request& request) {
    const SessionEffect effect = input.language->session_effect(request.text);
    return effect == SessionEffect::kOpens || effect == SessionEffect::kLasting;
  };
  return std::ranges::any_of(input.clients, [&](const InputClient& client) {
    return std::ranges::any_of(client.requests, keeps);
  });
}

class Funnel {
 public:
  Funnel(Executor& together, Executor& alone, const Mutant& mutant, const FunnelSettings& settings,
         const Known& known)
      : alone_(alone),
        mutant_(mutant),
        settings_(settings),
        known_(known),
        counts_(*known.counts),
        input_(mutant.input),
        runs_(together, mutant.input, mutant.seed),
        chance_(mutant.seed) {}

  MutantResult run() {
    if (goes_forward()) look();
    result_.executions += runs_.concurrent();
    if (runs_alone_) result_.executions += runs_alone_->concurrent();
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
    if (!wrong_ && !glance()) {
      result_.fate = Fate::kLost;
      return;
    }
    result_.gain = own_gain();
    const bool is_rich =
        settings_.feedback && result_.gain >= std::max(kLeastGain, known_.judge_from);
    const bool promising = chance_.below(kByChance) == 0 || is_rich;
    if (is_known_cause()) return tell_features();
    confirm(runs_, 0);
    make_smaller(promising);
    if (wrong_ || (promising && states_of(input_.input) <= kMostStatesJudged)) {
      go_alone();
      if (is_held() || waits()) return;
      const size_t glances = showings_.size();
      judge();
      confirm(*runs_alone_, glances);
    }
    tell_features();
    if (is_worth_keeping() && !is_held()) keep();
  }

  double own_gain() const { return counts_.gain(features_beside(seen_, mutant_.parents)); }

  // ---- made smaller

  void make_smaller(bool promising) {
    if (!wrong_reports_.empty()) {
      const ExecutionReport& wrong = wrong_reports_.front();
      Shrunk smaller = shrunk_wrong(runs_, wrong.record.number - 1, wrong);
      input_.input = std::move(smaller.input);
      showing_wrong_ = std::move(smaller.showing);
      return;
    }
    const bool is_new = weight_of(confirmed_) >= kLeastGain;
    if (wrong_ || (!promising && !is_new)) return;
    const Features wanted = is_new ? confirmed_ : rare_features();
    const std::optional<size_t> telling =
        most_of(wanted, std::vector<bool>(showings_.size(), false));
    if (telling) input_.input = shrunk(runs_, showings_[*telling], wanted);
  }

  // Of what is worth being judged, though all of it was seen before.
  Features rare_features() const {
    Features rare = features_beside(seen_, mutant_.parents);
    std::erase_if(rare, [this](Feature one) { return counts_.count(one) > kRare; });
    return rare;
  }

  // From here on what is left of it is executed, on a server that has nothing else.
  void go_alone() {
    begin_alone();
    if (!showing_wrong_ || goes_wrong_again()) return;
    input_ = mutant_.input;
    begin_alone();
  }

  void begin_alone() {
    Input& input = input_.input;
    input.id = input.origin = made_id(input);
    input.title = made_title(input);
    runs_alone_.emplace(alone_, input_, mutant_.seed);
    const ExecutionReport forward = runs_alone_->forward(/*with_state=*/true);
    if (can_be_held()) held_ = forward.steps.state_ms >= kHeldState_ms && waits_for_state();
  }

  // By the same schedule, or by another one of those that are looked at first.
  bool goes_wrong_again() {
    ExecutionReport& wrong = wrong_reports_.front();
    for (size_t i = 0; i <= kGlances.size(); ++i) {
      ExecutionReport again =
          i == 0 ? runs_alone_->reduced(*showing_wrong_, {}, 0) : runs_alone_->glance(i - 1);
      if (!went_wrong(again) || again.record.ending.kind != wrong.record.ending.kind) continue;
      again.record.number = wrong.record.number;
      wrong = std::move(again);
      return true;
    }
    return false;
  }

  // Nothing is looked into that somebody has looked at.
  bool is_known_cause() {
    if (wrong_reports_.empty()) return false;
    Exploration exploration(mutant_.input, settings_.exploration);
    const Judged judged = exploration.judge_report(alone_, wrong_reports_.front());
    return judged.cause && is_no_news(exploration.finding_in(judged));
  }

  MutantRuns& runs() { return runs_alone_ ? *runs_alone_ : runs_; }

  // Its sessions end with locks that whoever reads the state waits for: an execution of it takes as
  // long as hundreds of others, and a client that waits for them waits for good, which is no fault.
  // Asked once, and only of what is worth it. The one thing that is told by the clock: a server
  // waits for seconds, and else answers in milliseconds; so that a machine which is late for once
  // does not decide, twice.
  bool is_held() {
    if (!held_ && can_be_held() && may_keep_locks(input_.input)) {
      held_ = waits_for_state() && waits_for_state();
    }
    if (held_.value_or(false)) result_.fate = Fate::kHeld;
    return held_.value_or(false);
  }

  // Where its serial orders wait for each other, there is nothing to judge it by, and each of them
  // is awaited for seconds.
  bool waits() {
    if (!can_be_held()) return false;
    const ExecutionReport report = runs().backward();
    const bool waits = report.diverged > 0 || !is_sound(report);
    if (waits) result_.fate = Fate::kWaits;
    return waits;
  }

  bool waits_for_state() {
    return runs().forward(/*with_state=*/true).steps.state_ms >= kHeldState_ms;
  }

  // What went wrong with nothing beside it, or died, waits for nobody.
  bool can_be_held() const {
    const auto died = [](const ExecutionReport& one) {
      return one.record.ending.kind == EndingKind::kCrash;
    };
    return (!wrong_ || !wrong_reports_.empty()) && std::ranges::none_of(wrong_reports_, died);
  }

  // What does not end is awaited for seconds: once is enough. So is what gets out of control, which
  // it does in most executions: false.
  bool glance() {
    for (size_t which = 0; which < kGlances.size() && !wrong_; ++which) {
      ExecutionReport report = runs_.glance(which);
      if (went_wrong(report)) {
        wrong_ = true;
        report.record.number = which + 1;
        wrong_reports_.push_back(std::move(report));
      } else if (report.record.ending.kind == EndingKind::kDegraded) {
        return false;
      } else if (is_sound(report)) {
        note(showing_of(report, which, mutant_.input.input));
      }
    }
    return true;
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
    Exploration exploration(input_, std::move(settings));
    exploration.prepare(alone_);
    for (ExecutionReport& report : wrong_reports_) {
      Judged judged = exploration.judge_report(alone_, std::move(report));
      if (judged.cause) exploration.confirm(alone_, judged);
      take(exploration, std::move(judged));
    }
    unsigned late = 0;  // of those that found the state held in another order
    for (uint64_t n = 1;
         n <= kJudged && !ends_badly() && late < 2 && exploration.endless_orders() < kMostEndless;
         ++n) {
      Judged judged = exploration.explore(alone_, n);
      ++result_.executions;
      late += judged.report.steps.state_ms >= kHeldState_ms ? 1 : 0;
      if (is_sound(judged.report)) note(showing_of(judged.report, 0, input_.input));
      take(exploration, std::move(judged));
    }
    add_features(beyond_, features_of(exploration.predictions()));
    add_features(beyond_, features_of(exploration.serial_runs(), input_.input));
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
           std::ranges::any_of(result_.found, [](const FoundViolation& one) {
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
    note_forgiven(tally, input_, judged.report.record, judged.verdict);
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
    const auto known = std::ranges::find_if(result_.found, same);
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
    found.line = report_line(input_, judged, found.finding.id);
    found.masks = exploration.masks();
    found.judged = std::move(judged);
    result_.found.push_back(std::move(found));
  }

  // ---- what is new

  // Of what the showings from `first` on, of these runs, have that nobody has seen.
  void confirm(MutantRuns& runs, size_t first) {
    const Features unseen = features_beside(counts_.unseen(seen_), confirmed_);
    if (weight_of(unseen) < kLeastGain) return;
    std::vector<bool> used(showings_.size(), false);
    std::fill_n(used.begin(), first, true);
    for (size_t i = 0; i < kMostConfirmed; ++i) {
      const Features open = features_beside(unseen, confirmed_);
      const std::optional<size_t> next = most_of(open, used);
      if (!next || weight_of(open) < kLeastGain) break;
      used[*next] = true;
      replay(runs, showings_[*next], open);
    }
  }

  void tell_features() {
    result_.features = features_beside(seen_, counts_.unseen(seen_));
    add_features(result_.features, confirmed_);
    add_features(result_.features, beyond_);
    result_.unseen = confirmed_;
    add_features(result_.unseen, counts_.unseen(beyond_));
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
  void replay(MutantRuns& runs, const Showing& showing, const Features& open) {
    Features wanted = features_beside(open, features_beside(open, showing.features));
    for (int i = 0; i < 2 && weight_of(wanted) >= kLeastGain; ++i) {
      const ExecutionReport report = runs.replay(showing);
      if (!is_sound(report)) continue;
      const Features missing = features_beside(wanted, features_of(report, runs.input().input));
      add_features(confirmed_, features_beside(wanted, missing));
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
    result_.kept = input_.input;
  }

  Executor& alone_;
  const Mutant& mutant_;
  const FunnelSettings& settings_;
  const Known& known_;
  const FeatureCounts& counts_;
  ConcreteInput input_;  // what is left of it
  MutantRuns runs_;      // of the whole
  std::optional<MutantRuns> runs_alone_;
  Rng chance_;
  MutantResult result_;
  std::optional<bool> held_;
  bool wrong_ = false;  // something went, in an execution that was not judged
  std::vector<ExecutionReport> wrong_reports_;
  std::optional<Showing> showing_wrong_;
  std::vector<Showing> showings_;
  Features seen_;       // in some showing
  Features confirmed_;  // of these, and that no input has shown before
  Features beyond_;     // what no single execution shows
};

}  // namespace

MutantResult run_through_funnel(Executor& together, Executor& alone, const Mutant& mutant,
                                const FunnelSettings& settings, const Known& known) {
  return Funnel(together, alone, mutant, settings, known).run();
}

}  // namespace esox
