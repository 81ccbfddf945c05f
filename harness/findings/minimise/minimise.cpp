// SPDX-License-Identifier: Apache-2.0
#include "harness/findings/minimise/minimise.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

#include "harness/findings/diagnosis/fewest_choices.h"
#include "harness/findings/diagnosis/fewest_switches.h"
#include "harness/findings/diagnosis/trials.h"
#include "harness/findings/minimise/moved_schedule.h"
#include "harness/findings/minimise/smallest_subset.h"
#include "harness/search/strategy_text.h"
#include "inputs/writer.h"

namespace esox {
namespace {

// At most so much of the budget goes into a shorter schedule to begin with.
constexpr unsigned kShorteningShare = 4;
// A schedule that was carried over is corrected by what was executed, so often.
constexpr unsigned kCorrections = 3;
constexpr unsigned kMostServerFailures = 3;  // in all
constexpr StrategySpec kDefaultStrategy{.kind = StrategyKind::kPct};

// An input that breaks as the finding does, and by which schedule.
struct Step {
  SmallerInput input;
  Finding finding;
  Schedule schedule;
  std::vector<uint64_t> values;  // with which the schedule breaks
  RequestSpans spans;
};

class MinimiseWork {
 public:
  MinimiseWork(const MinimiseBench& bench, const Finding& finding, const MinimiseLimits& limits,
               const std::atomic<bool>& stop)
      : bench_(bench), finding_(finding), limits_(limits), stop_(stop), settings_(bench.settings) {
    settings_.strategy = exploring_strategy(finding.strategy).value_or(kDefaultStrategy);
    settings_.hunt_seed = finding.seed;
  }

  Minimised run() {
    result_.before = size_of(finding_.input.input);
    if (begin()) {
      reduce();
      verify();
      result_.finding = std::move(steps_.back().finding);
    }
    result_.after = result_.came ? size_of(result_.finding.input.input) : result_.before;
    result_.to_the_end = !cut_short_;
    result_.executions = executions_;
    result_.seconds = std::chrono::duration<double>(Clock::now() - started_).count();
    return std::move(result_);
  }

 private:
  using Clock = std::chrono::steady_clock;

  bool spent() {
    const bool over = stop_.load() || executions_ >= limits_.executions ||
                      Clock::now() - started_ >= limits_.budget;
    cut_short_ = cut_short_ || over;
    return over;
  }

  // The violation, and its shortest schedule within a share of the budget: with fewer switches it
  // is easier carried over.
  bool begin() {
    Exploration exploration(finding_.input, settings_);
    exploration.add_known_masks(finding_.masks);
    exploration.prepare(bench_.executor);
    const DiagnosisLimits share{limits_.budget / kShorteningShare,
                                limits_.executions / kShorteningShare};
    Trials trials(bench_.executor, exploration, finding_, share, stop_);
    Judged judged = trials.original();
    const ReplayMatch match = match_replay(judged.report.record, finding_, exploration.rules());
    result_.came = match.same && judged.cause.has_value();
    if (!result_.came) {
      result_.why_not = match.same ? "it is accepted now" : match.why;
      return false;
    }
    cause_ = judged.cause->text;
    const Tried start = fewest_choices(trials.tried_of(judged),
                                       [&trials](const Schedule& schedule, const auto& values) {
                                         return trials.with_values(schedule, values);
                                       });
    trials.use_values(start.values);
    const Tried fewest =
        fewest_switches(start, [&trials](const Schedule& schedule) { return trials(schedule); });
    executions_ += trials.executions();
    SmallerInput all = whole(finding_.input);
    Step step{std::move(all), finding_, fewest.schedule, fewest.values, {}};
    const ExecutionReport told =
        bench_.executor.run(exploration.plan_replay(fewest.choices, fewest.values, finding_.seed));
    step.spans = request_spans(told.record, told.points);
    steps_.push_back(std::move(step));
    return true;
  }

  void reduce() {
    for (bool smaller = true; smaller && !spent();) {
      smaller = take_away(clients_of);
      smaller = take_away(requests_of) || smaller;
      smaller = take_away(preparations_of) || smaller;
      smaller = take_rows_away() || smaller;
    }
  }

  bool take_away(std::vector<Part> (*parts_of)(const Input&)) {
    const SmallerInput start = steps_.back().input;
    const std::vector<Part> parts = parts_of(start.input.input);
    const std::vector<size_t> kept =
        smallest_subset(parts.size(), [&](const std::vector<size_t>& left) {
          std::vector<Part> taken;
          for (size_t i = 0; i < parts.size(); ++i) {
            if (!std::ranges::binary_search(left, i)) taken.push_back(parts[i]);
          }
          return adopt(without(start, taken));
        });
    return kept.size() < parts.size();
  }

  bool take_rows_away() {
    bool any = false;
    for (const Part& part : statements_with_rows(steps_.back().input.input.input)) {
      const SmallerInput start = steps_.back().input;
      const size_t rows = row_count(start.input.input, part);
      const auto holds = [&](const std::vector<size_t>& left) {
        return adopt(with_rows(start, part, left));
      };
      any = smallest_subset(rows, holds, false).size() < rows || any;
    }
    return any;
  }

  // A crash needs no concurrency; all else is none with one client.
  size_t fewest_clients() const {
    const size_t clients = finding_.input.input.clients.size();
    return finding_.verdict == VerdictClass::kCrash ? 1 : std::min<size_t>(clients, 2);
  }

  bool adopt(SmallerInput smaller) {
    if (smaller.input.input.clients.size() < fewest_clients() || spent()) return false;
    if (!tried_.insert(to_yaml(smaller.input.input)).second) return false;
    try {
      return breaks(std::move(smaller));
    } catch (const SetupError&) {
      return false;
    } catch (const ServerError&) {
      // Without some statement a server may not come up to the clients; but a machine that starts
      // none at all is not the input's doing.
      if (++server_failures_ >= kMostServerFailures) throw;
      return false;
    }
  }

  bool breaks(SmallerInput smaller) {
    Exploration exploration(smaller.input, settings_);
    exploration.add_known_masks(masks_left(finding_.masks, smaller));
    exploration.prepare(bench_.executor);
    const bool found = by_last_schedule(exploration, smaller) || by_search(exploration, smaller);
    executions_ += static_cast<unsigned>(exploration.serial_executions() + exploration.replays());
    return found;
  }

  // The last step's schedule, carried over from its requests' beginnings, then from their ends.
  bool by_last_schedule(Exploration& exploration, SmallerInput& smaller) {
    const Origins origins = origins_in_last(smaller);
    return carried_over(exploration, smaller, origins, Anchor::kBeginning) ||
           carried_over(exploration, smaller, origins, Anchor::kEnd);
  }

  bool carried_over(Exploration& exploration, SmallerInput& smaller, const Origins& origins,
                    Anchor anchor) {
    const Step& last = steps_.back();
    RequestSpans spans = spans_left(last.spans, origins);
    Schedule before;
    for (unsigned i = 0; i < kCorrections && !spent(); ++i) {
      Schedule schedule = moved_schedule(last.schedule, last.spans, origins, spans, anchor);
      if (schedule == before) return false;
      ExecutionPlan plan = exploration.plan_replay(tape_of(schedule), last.values, finding_.seed);
      plan.strategy.kind = StrategyKind::kSegments;
      ExecutionReport report = execute(plan);
      spans = request_spans(report.record, report.points);
      if (take(exploration, smaller, std::move(report))) return true;
      before = std::move(schedule);
    }
    return false;
  }

  bool by_search(Exploration& exploration, SmallerInput& smaller) {
    for (uint64_t number = 1; number <= limits_.tries && !spent(); ++number) {
      if (take(exploration, smaller, execute(exploration.plan(number)))) return true;
    }
    return false;
  }

  ExecutionReport execute(const ExecutionPlan& plan) {
    ++executions_;
    return bench_.executor.run(plan);
  }

  // If the execution breaks as the finding does, and does so again.
  bool take(Exploration& exploration, SmallerInput& smaller, ExecutionReport report) {
    const uint64_t points = report.points;
    Judged judged = exploration.judge_report(bench_.executor, std::move(report));
    if (!same(judged, smaller)) return false;
    exploration.confirm(bench_.executor, judged);
    if (!judged.confirmed || !same(judged, smaller)) return false;
    const ExecutionRecord& record = judged.report.record;
    Step step{std::move(smaller), finding_of(exploration, judged),
              schedule_of(record.choices, record.ending.kind == EndingKind::kFinished),
              record.values, request_spans(record, points)};
    steps_.push_back(std::move(step));
    ++result_.steps;
    return true;
  }

  bool same(const Judged& judged, const SmallerInput& smaller) const {
    return judged.cause && same_violation(cause_, judged.cause->text,
                                          names_in_whole(smaller, finding_.input.input));
  }

  Finding finding_of(const Exploration& exploration, const Judged& judged) const {
    Finding smaller = make_finding(exploration.input(), judged.report.record, judged.verdict,
                                   exploration.serial_runs(), exploration.masks(), *judged.cause,
                                   exploration.rules());
    const std::string from = fmt::format("minimised from finding {}", finding_.id);
    std::string& origin = smaller.input.input.origin;
    if (!origin.ends_with(from)) origin += (origin.empty() ? "" : ", ") + from;
    smaller.strategy = finding_.strategy;
    smaller.executions = 1;
    smaller.first_execution = 1;
    smaller.server = finding_.server;
    smaller.esox_version = finding_.esox_version;
    smaller.clock_base_ns = finding_.clock_base_ns;
    smaller.control = finding_.control;
    return smaller;
  }

  // Which requests of the last step those of the smaller one are.
  Origins origins_in_last(const SmallerInput& smaller) const {
    std::map<RequestId, RequestId> in_last;
    const Origins& last = steps_.back().input.origin;
    for (size_t client = 0; client < last.size(); ++client) {
      for (size_t i = 0; i < last[client].size(); ++i) in_last[last[client][i]] = {client, i};
    }
    Origins origins = smaller.origin;
    for (auto& client : origins) {
      for (RequestId& request : client) request = in_last.at(request);
    }
    return origins;
  }

  // The last step whose violation comes on servers that are started for it; the finding itself if
  // none does.
  void verify() {
    const std::unique_ptr<Executor> fresh = bench_.executors({.restart = true});
    while (!comes_on(*fresh, steps_.back().finding) && steps_.size() > 1) {
      steps_.pop_back();
      ++result_.undone;
    }
    result_.verified = verified_;
  }

  bool comes_on(Executor& executor, const Finding& finding) {
    const Exploration exploration(finding.input, settings_);
    verified_ = true;
    for (unsigned i = 0; i < kVerifications && verified_; ++i) {
      const ExecutionReport report =
          executor.run(exploration.plan_replay(finding.choices, finding.values, finding.seed));
      ++executions_;
      verified_ = match_replay(report.record, finding, exploration.rules()).same;
    }
    return verified_;
  }

  const MinimiseBench& bench_;
  const Finding& finding_;
  const MinimiseLimits& limits_;
  const std::atomic<bool>& stop_;
  ExplorationSettings settings_;
  const Clock::time_point started_ = Clock::now();
  unsigned executions_ = 0;
  unsigned server_failures_ = 0;
  bool cut_short_ = false;
  bool verified_ = false;
  std::string cause_;  // the finding's
  std::vector<Step> steps_;
  std::set<std::string> tried_;  // inputs
  Minimised result_;
};

}  // namespace

Minimised minimise(const MinimiseBench& bench, const Finding& finding, const MinimiseLimits& limits,
                   const std::atomic<bool>& stop) {
  return MinimiseWork(bench, finding, limits, stop).run();
}

}  // namespace esox
