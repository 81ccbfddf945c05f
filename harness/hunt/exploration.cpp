// SPDX-License-Identifier: Apache-2.0
#include "harness/hunt/exploration.h"

#include <fmt/format.h>
#include <xxhash.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "analysis/standstill.h"
#include "harness/engine/debug_symbols.h"
#include "harness/engine/told_schedule.h"
#include "harness/search/strategy_text.h"

namespace esox {
namespace {

// Executions with one cause whose replay may fail before the cause is no longer looked into.
constexpr unsigned kReplayAttempts = 3;

// What did not come to its end tells only of the way there.
exhaustive::ExecutedSchedule executed_schedule(const ExecutionReport& report) {
  const ExecutionRecord& record = report.record;
  exhaustive::ExecutedSchedule executed = schedule_of(report.decisions);
  rename_objects(executed, record.names);
  executed.usable = record.ending.kind != EndingKind::kDegraded &&
                    record.degraded_reasons.empty() && report.diverged == 0;
  executed.ended_early = record.ending.kind != EndingKind::kFinished;
  return executed;
}

}  // namespace

Exploration::Exploration(ConcreteInput input, ExplorationSettings settings)
    : input_(std::move(input)),
      settings_(std::move(settings)),
      orders_(input_, settings_.clock_base_ns, settings_.background),
      judge_(input_, orders_, settings_.filters, settings_.server),
      troubles_(input_.input.clients.size()) {
  if (settings_.search) {
    search_ = std::make_unique<InputSearch>(*settings_.search, ExpectedExecutions());
  }
  if (settings_.portfolio && !settings_.search) pass_.emplace();
  if (settings_.learn && settings_.pool) {
    pooled_ = pooled_table(*settings_.pool, input_.input.clients.size());
  }
}

std::string Exploration::name() const {
  const std::string conditions = conditions_of(input_);
  return conditions.empty() ? input_.input.id : fmt::format("{} [{}]", input_.input.id, conditions);
}

uint64_t Exploration::seed_of(uint64_t number) const {
  const std::string key = fmt::format("{}/{}/{}", input_.input.id, conditions_of(input_), number);
  return XXH3_64bits_withSeed(key.data(), key.size(), settings_.hunt_seed);
}

ExecutionPlan Exploration::plan_replay(const std::vector<Choice>& choices,
                                       const std::vector<uint64_t>& values, uint64_t seed) const {
  ExecutionPlan plan = orders_.base_plan();
  plan.strategy.kind = StrategyKind::kReplay;
  plan.strategy_text = "replay";
  plan.seed = seed;
  plan.fresh = true;
  plan.choices = choices;
  plan.values = values;
  return plan;
}

void Exploration::prepare(Executor& executor) {
  if (prepared_) return;
  if (restored_) {
    orders_.begin_again(executor, *restored_);
    restored_.reset();
  } else {
    orders_.begin(executor, [this](const ExecutionRecord& record) { learn_from(record, 0); });
  }
  prepared_ = true;
}

void Exploration::recall(const Experience& experience) {
  lessons_ = experience.lessons;
  if (!lessons_.conflicts.empty()) pooled_.clear();  // it need not go by what others showed
  portfolio_ = recalled_ = experience.portfolio;
  exemplars_ = experience.exemplars;
}

void Exploration::restore(ExplorationMemory memory) {
  orders_.add_masks(memory.masks);
  causes_ = memory.causes;
  doubts_ = memory.doubts;
  replays_ = memory.replays;
  lessons_ = memory.lessons;
  coverage_ = memory.coverage;
  portfolio_ = memory.portfolio;
  exemplars_ = memory.exemplars;
  last_ = memory.last;
  predictions_ = memory.predictions;
  if (pass_) pass_.emplace(memory.systematic.pass);
  pass_arm_ = memory.systematic.arm;
  search_memory_ = memory.search;
  if (search_) search_ = std::make_unique<InputSearch>(*settings_.search, memory.search.expected);
  restored_ = std::move(memory);
}

ExplorationMemory Exploration::memory() const {
  if (restored_) return *restored_;
  ExplorationMemory memory;
  orders_.remember(memory);
  memory.replays = replays_;
  memory.doubts = doubts_;
  memory.causes = causes_;
  memory.lessons = lessons_;
  memory.coverage = coverage_;
  memory.portfolio = portfolio_;
  memory.exemplars = exemplars_;
  memory.last = last_;
  memory.predictions = predictions_;
  if (pass_) memory.systematic = {pass_->kept(), pass_arm_};
  memory.search = search_memory_;
  if (search_) memory.search.expected = search_->expected();
  return memory;
}

void Exploration::add_known_masks(const Masks& masks) {
  orders_.add_masks(masks);
}

uint64_t Exploration::expected_points() const {
  return restored_ ? restored_->expected_points : orders_.expected_points();
}

uint64_t Exploration::serial_executions() const {
  return restored_ ? restored_->serial_executions : orders_.executions();
}

ExecutionPlan Exploration::plan(uint64_t number) const {
  ExecutionPlan plan = orders_.base_plan();
  plan.seed = seed_of(number);
  if (const Schedule* schedule = predicted_schedule(predictions_, number)) {
    plan.strategy.kind = StrategyKind::kSegments;
    plan.strategy_text = "predicted";
    plan.choices = tape_of(*schedule);
    plan.number = number;
    return plan;
  }
  choose_strategy(plan);
  plan.number = number;
  if (!explores(plan.strategy.kind)) return plan;
  if (is_filtered_by_pool(pooled_, number, plan.seed)) {
    filter(plan, pooled_, lessons_.pool_shares);
  } else if (is_filtered(lessons_, number, plan.seed)) {
    filter(plan, lessons_.conflicts, lessons_.shares);
  }
  return plan;
}

void Exploration::choose_strategy(ExecutionPlan& plan) const {
  if (!settings_.portfolio) {
    plan.strategy = settings_.strategy;
    plan.strategy_text = settings_.strategy_text;
    return;
  }
  const size_t arm = arm_of(plan.seed);
  plan.strategy_text = kPortfolio[arm].strategy;
  if (is_variation(arm)) {
    const Variant variant = vary(exemplars_, plan.seed);
    plan.strategy.kind = StrategyKind::kSegments;
    plan.choices = tape_of(variant.schedule);
    plan.values = variant.values;
    return;
  }
  plan.strategy = strategy_from_text(plan.strategy_text);
}

std::vector<ArmFigures> Exploration::arms() const {
  std::vector<ArmFigures> arms;
  if (!settings_.portfolio) return arms;
  for (size_t i = 0; i < kPortfolio.size(); ++i) {
    const ArmRecord& now = portfolio_.arms[i];
    const ArmRecord& before = recalled_.arms[i];
    arms.push_back(
        {kPortfolio[i].strategy, now.executions - before.executions, now.earned - before.earned});
  }
  if (pass_) arms.push_back({kSystematic, pass_arm_.executions, pass_arm_.earned});
  return arms;
}

std::optional<exhaustive::PassFigures> Exploration::systematic() const {
  if (!pass_) return std::nullopt;
  return pass_->figures();
}

void Exploration::rest() {
  if (pass_) pass_->rest();
}

size_t Exploration::arm_of(uint64_t seed) const {
  return portfolio_arm(portfolio_, !exemplars_.empty(), seed);
}

// Its length, which strategies go by, is that of the points that are left.
void Exploration::filter(ExecutionPlan& plan, const ConflictTable& table,
                         const std::vector<double>& shares) const {
  plan.conflicts = &table;
  plan.expected_points = 0;
  for (size_t c = 0; c < plan.expected_points_of.size(); ++c) {
    uint64_t& points = plan.expected_points_of[c];
    const double share = c < shares.size() ? shares[c] : 1;
    points = static_cast<uint64_t>(std::ceil(static_cast<double>(points) * share));
    plan.expected_points += points;
  }
}

void Exploration::learn_from(const ExecutionRecord& record, uint64_t number) {
  if (!settings_.learn) return;
  const size_t clients = input_.input.clients.size();
  if (number == 0) learn_pool_shares(lessons_, pooled_, record, clients);
  if (is_filtered_by_pool(pooled_, number, seed_of(number))) {
    lessons_.up_to = std::max(lessons_.up_to, number);
    return;
  }
  learn(lessons_, record, clients, number);
}

void Exploration::expect(double executions) {
  if (search_) search_->expect(last_ - search_memory_.left_out, executions);
}

std::string Exploration::search_text() const {
  if (!search_) return "";
  Symbols symbols = debug_symbols(search_modules_);
  return search_->long_text(symbols);
}

// All from one seed, so that they repeat each other's beginnings.
ExecutionPlan Exploration::plan_beginning(const exhaustive::Beginning& beginning,
                                          uint64_t number) const {
  ExecutionPlan plan = orders_.base_plan();
  plan.number = number;
  plan.seed = settings_.hunt_seed;
  plan.strategy.kind = StrategyKind::kPrefix;
  plan.strategy_text = settings_.search ? settings_.strategy_text : kSystematic;
  plan.choices = tape_of(beginning);
  return plan;
}

// Whether the execution is the systematic pass's, which then knows what comes next.
bool Exploration::is_systematic(Executor& executor, uint64_t number) {
  if (!pass_ || pass_->ended() || predicted_schedule(predictions_, number) != nullptr) return false;
  // As often as those with one preemption: they are few.
  const uint32_t preemptions = pass_->is_returning() ? 1 : pass_->preemptions();
  if (!is_turn_of_pass(number, preemptions, pass_->left(), !causes_.empty())) return false;
  while (const auto beginning = pass_->to_show()) {
    pass_->show(executed_schedule(executor.run(plan_beginning(*beginning, number))));
  }
  return !pass_->ended();
}

void Exploration::search_on(const ExecutionReport& report, bool violation) {
  exhaustive::ExecutedSchedule executed = executed_schedule(report);
  executed.violation = violation;
  search_->take(executed);
  search_modules_ = report.record.modules;
  searched_ = search_->ended();
}

// The search's executions before this one.
void Exploration::search_again(Executor& executor, uint64_t number) {
  while (!searched_ && search_->executions() + search_memory_.left_out + 1 < number) {
    const uint64_t next = search_->executions() + 1;
    search_on(executor.run(plan_beginning(search_->next(), next)),
              search_memory_.violating.contains(next));
  }
}

// Executions that were left out, and that this one is to have learnt from: under a portfolio all of
// them, with their verdicts, else those that are watched or teach where the clients conflict.
void Exploration::catch_up(Executor& executor, uint64_t number) {
  if (search_) return search_again(executor, number);
  for (uint64_t n = last_ + 1; n < number; ++n) {
    if (settings_.portfolio) {
      explore_next(executor, n);
    } else if (n <= kWatched || (settings_.learn && is_learnt_from(n))) {
      const ExecutionRecord record = executor.run(plan(n)).record;
      learn_from(record, n);
      watch(record, n);
    }
  }
}

Judged Exploration::explore(Executor& executor, uint64_t number) {
  prepare(executor);
  catch_up(executor, number);
  return explore_next(executor, number);
}

Judged Exploration::explore_next(Executor& executor, uint64_t number) {
  // What goes wrong without concurrency is reported in place of the first execution.
  std::optional<ExecutionReport> failed = orders_.take_failed();
  if (failed) failed->record.number = number;
  const bool searches = search_ && !searched_ && !failed;
  const bool systematic = !failed && is_systematic(executor, number);
  ExecutionReport report = failed       ? std::move(*failed)
                           : searches   ? executor.run(plan_beginning(search_->next(), number))
                           : systematic ? executor.run(plan_beginning(pass_->next(), number))
                                        : executor.run(plan(number));
  if (is_learnt_from(number) && number > lessons_.up_to) learn_from(report.record, number);
  Judged judged = judge_report(executor, std::move(report));
  if (judged.cause) confirm(executor, judged);
  if (searches) {
    if (judged.confirmed) search_memory_.violating.insert(search_->executions() + 1);
    search_on(judged.report, judged.confirmed);
  } else {
    ++search_memory_.left_out;
    note_tried(predictions_, number, judged.verdict.violation());
    watch(judged.report.record, number);
  }
  const bool degraded = judged.verdict.verdict == VerdictClass::kDegraded;
  if (!degraded && predicted_schedule(predictions_, number) == nullptr) {
    note_behaviour(judged, systematic ? pass_arm_ : portfolio_.arms[arm_of(seed_of(number))]);
  }
  if (systematic) pass_->take(executed_schedule(judged.report));
  last_ = number;
  return judged;
}

// The first executions show what could go wrong in others.
void Exploration::watch(const ExecutionRecord& record, uint64_t number) {
  if (number > kWatched) return;
  if (record.ending.kind == EndingKind::kFinished && record.trace.size() <= kLongestLearnt) {
    troubles_.add(record);
  }
  if (number != kWatched) return;
  predictions_ = predict(troubles_, record, client_names(input_.input));
  troubles_ = TroubleCollector(0);
}

void Exploration::note_behaviour(const Judged& judged, ArmRecord& arm) {
  const uint64_t classes = coverage_.classes.distinct();
  const uint64_t outcomes = coverage_.outcomes.distinct();
  const ExecutionRecord& record = judged.report.record;
  const Behaviour behaviour = behaviour_of(record, kMaxSlots, masks());
  coverage_.add(behaviour);
  Earned earned;
  earned.violation = judged.confirmed;
  earned.new_cause = judged.confirmed && judged.new_cause;
  earned.new_outcome = coverage_.outcomes.distinct() > outcomes;
  earned.new_order = coverage_.classes.distinct() > classes;
  note_earned(arm, earned);
  if (settings_.portfolio && record.ending.kind == EndingKind::kFinished) {
    note_exemplar(exemplars_, behaviour.outcome, earned.violation, record, judged.report.points);
  }
}

Judged Exploration::judge_report(Executor& executor, ExecutionReport report) {
  return judge_.judge(executor, std::move(report));
}

void Exploration::confirm(Executor& executor, Judged& judged) {
  if (causes_.contains(judged.cause->id)) {
    judged.confirmed = true;
    return;
  }
  const auto doubt = doubts_.find(judged.cause->id);
  if (doubt != doubts_.end() && doubt->second.attempts >= kReplayAttempts) {
    judged.doubt = doubt->second.text;
    return;
  }
  if (settings_.is_no_news && settings_.is_no_news(finding_in(judged))) {
    judged.doubt = "its cause is known";
    return;
  }
  try {
    examine(executor, judged);
  } catch (const Executor::Interrupted&) {
    // It must not be lost: what could not be confirmed in time is told as such.
    judged.doubt = "esox was stopped before its schedule could be replayed";
    judged.cut_short = true;
  }
}

Finding Exploration::finding_in(const Judged& judged) const {
  return make_finding(input_, judged.report.record, judged.verdict, orders_.runs(), orders_.masks(),
                      *judged.cause, rules());
}

// A reader would be told of waits that ended by themselves dozens of times, for a hang in which
// these only went round in a circle.
void Exploration::leave_out_idle_values(Executor& executor, Judged& judged) {
  ExecutionRecord& record = judged.report.record;
  std::vector<uint64_t> needed = values_before_standstill(record);
  if (needed.size() == record.values.size()) return;
  const ExecutionReport replay = executor.run(plan_replay(record.choices, needed, record.seed));
  ++replays_;
  if (match_replay(replay.record, finding_in(judged), rules()).same) {
    record.values = std::move(needed);
  }
}

void Exploration::examine(Executor& executor, Judged& judged) {
  const std::string first_cause = judged.cause->id;
  judge_.doubt(executor, judged);
  if (!judged.cause) return;
  const ExecutionRecord& record = judged.report.record;
  if (record.ending.kind == EndingKind::kHang) leave_out_idle_values(executor, judged);
  const Finding expected = finding_in(judged);
  for (unsigned i = 0; i < settings_.confirmations; ++i) {
    const ExecutionReport replay =
        executor.run(plan_replay(record.choices, record.values, record.seed));
    ++replays_;
    const ReplayMatch match = match_replay(replay.record, expected, rules());
    if (match.same) continue;
    judged.doubt = fmt::format("its schedule did not give it again: {}", match.why);
    for (const std::string& cause : std::set{judged.cause->id, first_cause}) {
      doubts_[cause] = {judged.doubt, doubts_[cause].attempts + 1};
    }
    return;
  }
  judged.confirmed = true;
  judged.new_cause = causes_.insert(judged.cause->id).second;
}

}  // namespace esox
