// SPDX-License-Identifier: Apache-2.0
#include "harness/hunt/exploration.h"

#include <fmt/format.h>
#include <xxhash.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "analysis/linearization.h"
#include "analysis/nondeterminism.h"
#include "analysis/tolerance.h"
#include "harness/execution/shared_objects.h"
#include "harness/execution/told_schedule.h"
#include "inputs/parts.h"
#include "preload/strategy/registry.h"

namespace esox {
namespace {

// Executions with one cause whose replay may fail before the cause is no longer looked into.
constexpr unsigned kAttempts = 3;

std::vector<size_t> request_counts(const Input& input) {
  std::vector<size_t> counts;
  for (const InputClient& client : input.clients) counts.push_back(client.requests.size());
  return counts;
}

// All of the first client's requests, then all of the second's, ... and the reverse.
std::vector<Order> extreme_orders(const Input& input) {
  std::vector<Order> orders(1);
  const std::vector<size_t> counts = request_counts(input);
  for (size_t c = 0; c < counts.size(); ++c) {
    orders[0].insert(orders[0].end(), counts[c], static_cast<uint16_t>(c));
  }
  if (counts.size() > 1) {
    orders.emplace_back();
    for (size_t c = counts.size(); c-- > 0;) {
      orders[1].insert(orders[1].end(), counts[c], static_cast<uint16_t>(c));
    }
  }
  return orders;
}

// The requests in the order in which they were answered.
Order order_of_replies(const Stamps& stamps) {
  struct Reply {
    uint64_t response;
    uint16_t client;
  };
  std::vector<Reply> replies;
  for (size_t c = 0; c < stamps.size(); ++c) {
    for (const Stamp& stamp : stamps[c]) {
      replies.push_back({stamp.response, static_cast<uint16_t>(c)});
    }
  }
  std::stable_sort(replies.begin(), replies.end(),
                   [](const Reply& a, const Reply& b) { return a.response < b.response; });
  Order order;
  for (const Reply& reply : replies) order.push_back(reply.client);
  return order;
}

SerialExecution serial_execution_of(const ExecutionReport& report) {
  const ExecutionRecord& record = report.record;
  SerialExecution serial;
  // A degraded execution proves nothing: the machine was busy, or control was lost.
  serial.transient =
      record.ending.kind == EndingKind::kDegraded || !record.degraded_reasons.empty();
  if (report.diverged > 0) {
    serial.infeasible = "a request waited for one that comes later";
  } else if (record.ending.kind != EndingKind::kFinished) {
    serial.infeasible = fmt::format("it ended in {}", ending_name(record.ending.kind));
  }
  serial.outcome = record.outcome;
  return serial;
}

bool was_beside_another(const Stamps& stamps, size_t client, size_t request) {
  for (size_t c = 0; c < stamps.size(); ++c) {
    for (size_t r = 0; c != client && r < stamps[c].size(); ++r) {
      if (overlap(stamps, client, request, c, r)) return true;
    }
  }
  return false;
}

// Whether something is damaged whichever order one compares with.
bool left_damage(const Verdict& verdict) {
  const auto is_damage = [](const ComponentComparison& one) {
    return one.match == ComponentMatch::kDifferent && tells_of_damage(one.name);
  };
  bool compared = false;
  for (const OrderMatch& order : verdict.table) {
    if (!order.usable()) continue;
    compared = true;
    const auto& components = order.comparison.components;
    if (std::none_of(components.begin(), components.end(), is_damage)) return false;
  }
  return compared;
}

void add_masks(Masks& masks, const Masks& more) {
  for (const auto& [place, orders] : more.outputs) {
    masks.outputs[place] = std::max(masks.outputs[place], orders);
  }
  for (const auto& [place, orders] : more.state) {
    masks.state[place] = std::max(masks.state[place], orders);
  }
}

}  // namespace

Exploration::Exploration(ConcreteInput input, ExplorationSettings settings)
    : input_(std::move(input)),
      settings_(std::move(settings)),
      rules_(settings_.filters, circumstances_of(input_, settings_.server_version)),
      part_orders_(input_, rules_, settings_.server_version, kDateShift_ns),
      troubles_(input_.input.clients.size()) {
  if (settings_.search) {
    exhaustive::SearchOptions options;
    options.bound = settings_.search->bound;
    options.most = settings_.search->most;
    search_ = exhaustive::begin_search(options);
  }
  const std::vector<size_t> requests = request_counts(input_.input);
  if (!all_orders(requests, settings_.few_orders).too_many || !has_steps(input_.input)) return;
  stepper_ = std::make_unique<PrefixStepper>(input_.input, kDateShift_ns);
  graph_ = std::make_unique<SerialGraph>(requests, *stepper_);
  unmerged_stepper_ = std::make_unique<PrefixStepper>(input_.input, kDateShift_ns, Merging::kNone);
  unmerged_ = std::make_unique<SerialGraph>(requests, *unmerged_stepper_);
}

SerialGraph::Counts Exploration::serial_counts() const {
  return graph_ ? graph_->counts() : SerialGraph::Counts{0, 0, 0};
}

std::string Exploration::name() const {
  const std::string conditions = conditions_of(input_.engine, input_.setting);
  return conditions.empty() ? input_.input.id : fmt::format("{} [{}]", input_.input.id, conditions);
}

uint64_t Exploration::seed_of(uint64_t number) const {
  const std::string key = fmt::format("{}/{}/{}", input_.input.id,
                                      conditions_of(input_.engine, input_.setting), number);
  return XXH3_64bits_withSeed(key.data(), key.size(), settings_.hunt_seed);
}

ExecutionPlan Exploration::base_plan() const {
  ExecutionPlan plan;
  plan.input = &input_;
  plan.clock_base_ns = settings_.clock_base_ns;
  plan.expected_points = expected_points_;
  plan.expected_points_of = expected_points_of_;
  plan.shared_objects = shared_objects_;
  return plan;
}

ExecutionPlan Exploration::plan_replay(const std::vector<Choice>& choices,
                                       const std::vector<uint64_t>& values, uint64_t seed) const {
  ExecutionPlan plan = base_plan();
  plan.strategy.kind = StrategyKind::kReplay;
  plan.strategy_text = "replay";
  plan.seed = seed;
  plan.fresh = true;
  plan.choices = choices;
  plan.values = values;
  return plan;
}

ExecutionPlan Exploration::serial_plan(const Input& input, const Order& order,
                                       const RequestSet& without, int64_t shift_ns) const {
  ExecutionPlan plan = base_plan();
  plan.strategy.kind = StrategyKind::kSerial;
  plan.strategy_text = "serial";
  plan.fresh = true;  // what all others are measured by
  plan.serial_order.assign(order.begin(), order.end());
  plan.requests.assign(input.clients.size(), 0);
  for (uint16_t client : order) ++plan.requests[client];
  for (const RequestId& id : without) ++plan.requests[id.client];
  plan.without = without;
  plan.clock_base_ns += shift_ns;
  return plan;
}

SerialExecution Exploration::execute_serially(Executor& executor, const Order& order,
                                              const RequestSet& without, int64_t shift_ns) {
  ExecutionReport report = executor.run(serial_plan(input_.input, order, without, shift_ns));
  ++serial_executions_;
  const ExecutionRecord& record = report.record;
  SerialExecution serial = serial_execution_of(report);
  if (!serial.transient && report.diverged == 0) serial_endings_.insert(record.ending.kind);
  if (report.offered > expected_points_) {
    expected_points_ = report.offered;
    expected_points_of_ = report.offered_of;
    shared_objects_ = shared_objects_of(record.trace);
  }
  // Of those executed first; a hunt that goes on knows them.
  if (!prepared_ && !restored_) learn_from(record, 0);
  if (record.ending.kind == EndingKind::kCrash && !serial_crash_) serial_crash_ = std::move(report);
  return serial;
}

// Tries again what failed for want of luck; still transient if it goes on failing.
SerialExecution Exploration::execute_serially_for_sure(Executor& executor, const Order& order,
                                                       const RequestSet& without,
                                                       int64_t shift_ns) {
  SerialExecution serial;
  for (unsigned i = 0; i < kAttempts; ++i) {
    serial = execute_serially(executor, order, without, shift_ns);
    if (!serial.transient) break;
  }
  return serial;
}

void Exploration::execute_order(Executor& executor, const Order& order, const RequestSet& without) {
  if (executed_.contains({without, order})) return;
  SerialExecution first = execute_serially_for_sure(executor, order, without, 0);
  SerialExecution second = execute_serially_for_sure(executor, order, without, kDateShift_ns);
  executed_.insert({without, order});
  // An order that could not be executed is not one that explains nothing: it stays out, and what
  // only it might explain is degraded, not flagged.
  if (first.transient || second.transient) return;
  SerialRun run;
  run.order = order;
  run.without = without;
  run.first = std::move(first.outcome);
  run.second = std::move(second.outcome);
  run.infeasible = first.infeasible.empty() ? second.infeasible : first.infeasible;
  serial_runs_.push_back(std::move(run));
  add_masks(masks_, find_nondeterminism(serial_runs_));
}

void Exploration::prepare(Executor& executor) {
  if (prepared_) return;
  if (restored_) {
    remember(executor);
  } else {
    for (const Order& order : extreme_orders(input_.input)) execute_order(executor, order);
  }
  prepared_ = true;
}

void Exploration::recall(const Experience& experience) {
  lessons_ = experience.lessons;
  portfolio_ = recalled_ = experience.portfolio;
  exemplars_ = experience.exemplars;
}

void Exploration::restore(ExplorationMemory memory) {
  add_masks(masks_, memory.masks);
  causes_ = memory.causes;
  doubts_ = memory.doubts;
  serial_executions_ = memory.serial_executions;
  replays_ = memory.replays;
  lessons_ = memory.lessons;
  coverage_ = memory.coverage;
  portfolio_ = memory.portfolio;
  exemplars_ = memory.exemplars;
  last_ = memory.last;
  foretold_ = memory.foretold;
  search_memory_ = memory.search;
  restored_ = std::move(memory);
}

// In the order of then: how many points to expect follows from it, and the order of the table.
void Exploration::remember(Executor& executor) {
  const ExplorationMemory& memory = *restored_;
  executed_.insert(memory.without_luck.begin(), memory.without_luck.end());
  for (const auto& [without, order] : memory.executed) execute_order(executor, order, without);
  if (graph_) {
    let_execute(*stepper_, executor);
    graph_->execute_again(memory.steps);
  }
  repeated_.insert(memory.repeated.begin(), memory.repeated.end());
  serial_endings_.insert(memory.serial_endings.begin(), memory.serial_endings.end());
  if (!memory.serial_crash_untold) serial_crash_.reset();
  expected_points_ = memory.expected_points;
  expected_points_of_ = memory.expected_points_of;
  serial_executions_ = memory.serial_executions;
  restored_.reset();
}

ExplorationMemory Exploration::memory() const {
  if (restored_) return *restored_;
  ExplorationMemory memory;
  std::set<PartialOrder> without_luck = executed_;
  for (const SerialRun& run : serial_runs_) {
    memory.executed.emplace_back(run.without, run.order);
    without_luck.erase(memory.executed.back());
  }
  memory.without_luck.assign(without_luck.begin(), without_luck.end());
  memory.repeated.assign(repeated_.begin(), repeated_.end());
  if (graph_) memory.steps = graph_->executed();
  memory.serial_endings = serial_endings_;
  memory.serial_crash_untold = serial_crash_.has_value();
  memory.masks = masks_;
  memory.expected_points = expected_points_;
  memory.expected_points_of = expected_points_of_;
  memory.serial_executions = serial_executions_;
  memory.replays = replays_;
  memory.doubts = doubts_;
  memory.causes = causes_;
  memory.lessons = lessons_;
  memory.coverage = coverage_;
  memory.portfolio = portfolio_;
  memory.exemplars = exemplars_;
  memory.last = last_;
  memory.foretold = foretold_;
  memory.search = search_memory_;
  return memory;
}

void Exploration::add_known_masks(const Masks& masks) {
  add_masks(masks_, masks);
}

size_t Exploration::whole_orders_executed() const {
  return static_cast<size_t>(std::count_if(executed_.begin(), executed_.end(),
                                           [](const auto& one) { return one.first.empty(); }));
}

// Until one of them explains the execution, likely ones first.
void Exploration::execute_missing_orders(Executor& executor, Judged& judged) {
  const ExecutionRecord& record = judged.report.record;
  Linearizations possible = linearizations(record.stamps, settings_.max_orders);
  possible.orders.insert(possible.orders.begin(), order_of_replies(record.stamps));
  for (const Order& order : possible.orders) {
    if (whole_orders_executed() >= settings_.max_orders || !judged.verdict.matched.empty()) return;
    if (executed_.contains({{}, order})) continue;
    execute_order(executor, order);
    judged.verdict = judge_now(record);
  }
}

// Serial orders without the requests that failed in a way that a filter tolerates, until one of
// them explains all the rest.
void Exploration::execute_tolerated_orders(Executor& executor, Judged& judged) {
  const ExecutionRecord& record = judged.report.record;
  const Forgiveness forgiveness(rules_, record.stamps);
  const RequestSet tolerated = tolerated_requests(record, serial_runs_, forgiveness);
  if (tolerated.empty()) return;
  const Linearizations possible =
      linearizations(without(record.stamps, tolerated), settings_.max_orders);
  for (const Order& order : possible.orders) {
    if (!judged.verdict.matched.empty()) return;
    if (executed_.contains({tolerated, order})) continue;
    execute_order(executor, order, tolerated);
    judged.verdict = judge_now(record);
  }
}

void Exploration::let_execute(PrefixStepper& stepper, Executor& executor) {
  stepper.execute_with([this, &executor](const Order& order, int64_t shift_ns) {
    return execute_serially_for_sure(executor, order, {}, shift_ns);
  });
}

// Along the replies seen, through a graph of serial states.
Explanation Exploration::explain_in(SerialGraph& graph, PrefixStepper& stepper, Executor& executor,
                                    Judged& judged) {
  const ExecutionRecord& record = judged.report.record;
  let_execute(stepper, executor);
  const Forgiveness forgiveness(rules_, record.stamps);
  Explanation found = explain(graph, record, masks_, settings_.max_steps, forgiveness);
  if (!found.order) return found;
  const std::optional<SerialRun> run = graph.run_of(*found.order);
  if (run) judged.verdict = judge(record, {&*run, 1}, masks_, Orders::kAsGiven, forgiveness);
  return found;
}

// If no order explains the execution, the order of the replies is executed whole: the one that a
// reader will compare with.
void Exploration::search_graph(Executor& executor, Judged& judged) {
  const ExecutionRecord& record = judged.report.record;
  const Explanation explanation = explain_in(*graph_, *stepper_, executor, judged);
  if (explanation.order) return;
  exhausted_ = explanation.exhausted;
  if (whole_orders_executed() < settings_.max_orders) {
    execute_order(executor, order_of_replies(record.stamps));
  }
  judged.verdict = judge_now(record);
}

Verdict Exploration::judge_now(const ExecutionRecord& record) const {
  return judge(record, serial_runs_, masks_, exhausted_ ? Orders::kSearched : Orders::kAsGiven,
               Forgiveness(rules_, record.stamps));
}

// Rare nondeterminism: every order twice more, under other dates. What is new joins the masks.
void Exploration::repeat_orders(Executor& executor) {
  for (const SerialRun& run : serial_runs_) {
    if (!run.infeasible.empty() || repeated_.contains({run.without, run.order})) continue;
    for (int64_t shift = 2; shift <= 3; ++shift) {
      SerialExecution serial =
          execute_serially_for_sure(executor, run.order, run.without, shift * kDateShift_ns);
      if (serial.transient || !serial.infeasible.empty()) continue;
      const SerialRun again{run.order, run.first, std::move(serial.outcome), {}, run.without};
      add_masks(masks_, find_nondeterminism({&again, 1}));
    }
    repeated_.insert({run.without, run.order});
  }
}

ExecutionPlan Exploration::plan(uint64_t number) const {
  ExecutionPlan plan = base_plan();
  plan.seed = seed_of(number);
  if (const Schedule* schedule = foretold_schedule(foretold_, number)) {
    plan.strategy.kind = StrategyKind::kSegments;
    plan.strategy_text = "foretold";
    plan.choices = tape_of(*schedule);
    plan.number = number;
    return plan;
  }
  choose_strategy(plan);
  plan.number = number;
  if (explores(plan.strategy.kind) && is_filtered(lessons_, number, plan.seed)) filter(plan);
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
  char error[kStrategyErrorBytes];
  parse_strategy(plan.strategy_text, &plan.strategy, error, sizeof error);
}

std::vector<ArmFigures> Exploration::arms() const {
  std::vector<ArmFigures> arms;
  if (!settings_.portfolio) return arms;
  for (size_t i = 0; i < kPortfolio.size(); ++i) {
    const PortfolioRecord::Arm& now = portfolio_.arms[i];
    const PortfolioRecord::Arm& before = recalled_.arms[i];
    arms.push_back(
        {kPortfolio[i].strategy, now.executions - before.executions, now.earned - before.earned});
  }
  return arms;
}

size_t Exploration::arm_of(uint64_t seed) const {
  return portfolio_arm(portfolio_, !exemplars_.empty(), seed);
}

// Its length, which strategies go by, is that of the points that are left.
void Exploration::filter(ExecutionPlan& plan) const {
  plan.conflicts = &lessons_.conflicts;
  plan.expected_points = 0;
  for (size_t c = 0; c < plan.expected_points_of.size() && c < lessons_.shares.size(); ++c) {
    uint64_t& points = plan.expected_points_of[c];
    points = static_cast<uint64_t>(std::ceil(static_cast<double>(points) * lessons_.shares[c]));
    plan.expected_points += points;
  }
}

void Exploration::learn_from(const ExecutionRecord& record, uint64_t number) {
  if (settings_.learn) learn(lessons_, record, input_.input.clients.size(), number);
}

const exhaustive::SearchResult* Exploration::search() const {
  return search_ ? &search_->result() : nullptr;
}

ExecutionPlan Exploration::plan_search(uint64_t number) const {
  ExecutionPlan plan = base_plan();
  plan.number = number;
  plan.seed = settings_.hunt_seed;
  plan.strategy.kind = StrategyKind::kPrefix;
  plan.strategy_text = settings_.strategy_text;
  plan.choices = tape_of(search_->next());
  return plan;
}

// What did not come to its end tells only of the way there.
void Exploration::search_on(const ExecutionReport& report, bool violation) {
  const ExecutionRecord& record = report.record;
  exhaustive::ExecutedSchedule executed = schedule_of(report.decisions);
  rename_objects(executed, record.names);
  executed.usable = record.ending.kind != EndingKind::kDegraded &&
                    record.degraded_reasons.empty() && report.diverged == 0;
  executed.ended_early = record.ending.kind != EndingKind::kFinished;
  executed.violation = violation;
  searched_ = !search_->take(executed);
}

// The search's executions before this one.
void Exploration::search_again(Executor& executor, uint64_t number) {
  while (!searched_ && search_->result().executions + search_memory_.left_out + 1 < number) {
    const uint64_t next = search_->result().executions + 1;
    search_on(executor.run(plan_search(next)), search_memory_.violating.contains(next));
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
  // A crash needs no concurrency to be one: it is reported in place of the first execution.
  std::optional<ExecutionReport> crashed = std::exchange(serial_crash_, std::nullopt);
  if (crashed) crashed->record.number = number;
  const bool searches = search_ && !searched_ && !crashed;
  ExecutionReport report =
      crashed ? std::move(*crashed) : executor.run(searches ? plan_search(number) : plan(number));
  if (is_learnt_from(number) && number > lessons_.up_to) learn_from(report.record, number);
  Judged judged = judge_report(executor, std::move(report));
  if (judged.cause) confirm(executor, judged);
  if (searches) {
    if (judged.confirmed) search_memory_.violating.insert(search_->result().executions + 1);
    search_on(judged.report, judged.confirmed);
  } else {
    ++search_memory_.left_out;
    note_tried(foretold_, number, judged.verdict.violation());
    watch(judged.report.record, number);
  }
  const bool degraded = judged.verdict.verdict == VerdictClass::kDegraded;
  if (!degraded && foretold_schedule(foretold_, number) == nullptr) {
    note_behaviour(judged, seed_of(number));
  }
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
  foretold_ = foretell(troubles_, record, client_names(input_.input));
  troubles_ = TroubleCollector(0);
}

void Exploration::note_behaviour(const Judged& judged, uint64_t seed) {
  const uint64_t classes = coverage_.classes.distinct();
  const uint64_t outcomes = coverage_.outcomes.distinct();
  const ExecutionRecord& record = judged.report.record;
  const Behaviour behaviour = behaviour_of(record, input_.input.clients.size(), masks_);
  coverage_.add(behaviour);
  Earned earned;
  earned.violation = judged.confirmed;
  earned.new_cause = judged.confirmed && judged.new_cause;
  earned.new_outcome = coverage_.outcomes.distinct() > outcomes;
  earned.new_order = coverage_.classes.distinct() > classes;
  note_earned(portfolio_, arm_of(seed), earned);
  if (settings_.portfolio && record.ending.kind == EndingKind::kFinished) {
    note_exemplar(exemplars_, behaviour.outcome, earned.violation, record, judged.report.points);
  }
}

void Exploration::explain_by_orders(Executor& executor, Judged& judged) {
  if (graph_) {
    search_graph(executor, judged);
  } else {
    execute_missing_orders(executor, judged);
  }
  if (judged.verdict.matched.empty()) execute_tolerated_orders(executor, judged);
  if (judged.verdict.violation()) explain_by_parts(executor, judged);
  if (judged.verdict.violation()) leave_calls_unjudged(judged);
}

void Exploration::explain_by_parts(Executor& executor, Judged& judged) {
  const auto execute = [&](const ConcreteInput& parts, const Order& order, int64_t shift_ns) {
    return execute_parts(executor, parts, order, shift_ns);
  };
  std::vector<ForgivenPlace> forgiven =
      part_orders_.explain(judged.report.record, masks_, settings_.max_steps, execute);
  if (forgiven.empty()) return;
  judged.verdict.verdict = VerdictClass::kNone;
  judged.verdict.latent = false;
  judged.verdict.forgiven = std::move(forgiven);
}

// Not counted among the serial executions, nor remembered: a hunt that goes on executes them again
// when it needs them.
SerialExecution Exploration::execute_parts(Executor& executor, const ConcreteInput& parts,
                                           const Order& order, int64_t shift_ns) {
  SerialExecution serial;
  for (unsigned i = 0; i < kAttempts; ++i) {
    ExecutionPlan plan = serial_plan(parts.input, order, {}, shift_ns);
    plan.input = &parts;
    const ExecutionReport report = executor.run(plan);
    serial = serial_execution_of(report);
    if (!serial.transient) break;
  }
  return serial;
}

// Each statement of the procedure is a step of its own, others may come between, and a serial order
// of whole requests is not what the server promises. Two structures that disagree are damage all
// the same.
void Exploration::leave_calls_unjudged(Judged& judged) const {
  const VerdictClass verdict = judged.verdict.verdict;
  const bool ended = verdict == VerdictClass::kSemantic || verdict == VerdictClass::kError ||
                     verdict == VerdictClass::kLatent;
  if (!ended || left_damage(judged.verdict)) return;
  const auto& clients = input_.input.clients;
  for (size_t c = 0; c < clients.size(); ++c) {
    for (size_t r = 0; r < clients[c].requests.size(); ++r) {
      if (!calls_several_statements(clients[c].requests[r].text, input_.input.setup)) continue;
      if (!was_beside_another(judged.report.record.stamps, c, r)) continue;
      judged.verdict.verdict = VerdictClass::kDegraded;
      judged.verdict.latent = false;
      judged.verdict.degraded_reasons.emplace_back(
          "a procedure of several statements was called, and other requests may come between them");
      return;
    }
  }
}

Judged Exploration::judge_report(Executor& executor, ExecutionReport report) {
  Judged judged;
  judged.report = std::move(report);
  const ExecutionRecord& record = judged.report.record;
  exhausted_ = false;
  judged.verdict = judge_now(record);
  // Not explained by the orders at hand: execute what real time also allows, and judge again.
  const bool ended = record.ending.kind == EndingKind::kFinished;
  if (ended && judged.verdict.matched.empty() && record.degraded_reasons.empty()) {
    explain_by_orders(executor, judged);
  }
  // What ends the same way without any concurrency is not the schedule's doing.
  const bool stuck = judged.verdict.verdict == VerdictClass::kHang ||
                     judged.verdict.verdict == VerdictClass::kDeadlock;
  if (stuck && serial_endings_.contains(record.ending.kind)) {
    judged.verdict.verdict = VerdictClass::kDegraded;
    judged.verdict.degraded_reasons.push_back(
        fmt::format("a serial order ends in {} too", ending_name(record.ending.kind)));
  }
  if (judged.verdict.violation()) {
    Symbols symbols(record.modules);
    judged.cause = cause_of(record, judged.verdict, symbols, client_names(input_.input));
  }
  return judged;
}

void Exploration::confirm(Executor& executor, Judged& judged) {
  if (causes_.contains(judged.cause->id)) {
    judged.confirmed = true;
    return;
  }
  const auto doubt = doubts_.find(judged.cause->id);
  if (doubt != doubts_.end() && doubt->second.attempts >= kAttempts) {
    judged.doubt = doubt->second.text;
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

// What the summaries do not tell may have made states one that are two.
void Exploration::search_unmerged(Executor& executor, Judged& judged) {
  if (unmerged_) explain_in(*unmerged_, *unmerged_stepper_, executor, judged);
}

void Exploration::examine(Executor& executor, Judged& judged) {
  const std::string first_cause = judged.cause->id;
  repeat_orders(executor);
  const ExecutionRecord& record = judged.report.record;
  judged.verdict = judge_now(record);
  if (judged.verdict.violation()) explain_by_orders(executor, judged);  // under all masks
  if (judged.verdict.violation()) search_unmerged(executor, judged);
  if (!judged.verdict.violation()) {
    judged.cause.reset();  // explained by nondeterminism that had not shown before
    return;
  }
  Symbols symbols(record.modules);
  judged.cause = cause_of(record, judged.verdict, symbols, client_names(input_.input));
  const Finding expected =
      make_finding(input_, record, judged.verdict, serial_runs_, masks_, *judged.cause, rules_);
  for (unsigned i = 0; i < settings_.confirmations; ++i) {
    const ExecutionReport replay =
        executor.run(plan_replay(record.choices, record.values, record.seed));
    ++replays_;
    const ReplayMatch match = match_replay(replay.record, expected, rules_);
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
