// SPDX-License-Identifier: Apache-2.0
#include "harness/hunt/serial_orders.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "analysis/background_work.h"
#include "analysis/ended_server.h"
#include "analysis/finding.h"
#include "analysis/linearization.h"
#include "analysis/nondeterminism.h"
#include "analysis/transactions.h"
#include "harness/engine/debug_symbols.h"
#include "harness/engine/shared_objects.h"
#include "inputs/signals.h"

namespace esox {
namespace {

// Of one serial execution, before it is taken for one that cannot be had.
constexpr unsigned kSerialAttempts = 3;

// Of those that are in a serial order.
std::vector<size_t> request_counts(const Input& input) {
  std::vector<size_t> counts;
  for (const InputClient& client : input.clients) counts.push_back(client.requests.size());
  for (const RequestId& id : ending_signal(input)) --counts[id.client];
  return counts;
}

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
  serial.given_up = report.given_up;
  serial.outcome = record.outcome;
  return serial;
}

// Work of the server's own that can be done only when no client is served (memcached stops all its
// threads before its hash table grows) cannot come before the next request: a thread that has that
// in its hands waits for its turn. Such work comes late, or the order is none.
bool waits_for_idle_clients(const Input& input, const ExecutionPlan& plan,
                            const ExecutionReport& report) {
  return plan.contexts_first != ContextsFirst::kNo && plan.contexts && report.diverged > 0 &&
         !may_wait_for_session(input, report.record);
}

}  // namespace

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
  std::ranges::stable_sort(replies, {}, &Reply::response);
  Order order;
  for (const Reply& reply : replies) order.push_back(reply.client);
  return order;
}

SerialOrders::SerialOrders(const ConcreteInput& input, int64_t clock_base_ns, Background background)
    : input_(input),
      clock_base_ns_(clock_base_ns),
      background_(background),
      contexts_(background == Background::kOn) {
  const std::vector<size_t> requests = request_counts(input_.input);
  if (judges_transactions(input_.input)) return;  // few orders
  if (ends_server(input_.input.clients)) return;  // what is left of a server tells of no step
  if (!all_orders(requests, kFewOrders).too_many || !has_steps(input_.input)) return;
  stepper_ = std::make_unique<PrefixStepper>(input_.input, kDateShift_ns);
  graph_ = std::make_unique<SerialGraph>(requests, *stepper_);
  unmerged_stepper_ = std::make_unique<PrefixStepper>(input_.input, kDateShift_ns, Merging::kNone);
  unmerged_ = std::make_unique<SerialGraph>(requests, *unmerged_stepper_);
}

void SerialOrders::begin(Executor& executor, const Watcher& watcher) {
  if (background_ == Background::kAuto) contexts_ = needs_contexts(executor);
  watcher_ = watcher;
  const RequestSet without = ending_signal(input_.input);
  for (const Order& order : extreme_orders(input_.input)) execute(executor, order, without);
  watcher_ = nullptr;
  probes_.clear();
}

// Timers of the server's own come in these orders, so that work which goes by time shows, too. What
// does not come to its end is looked at under contexts, as one that needs them. What was executed
// is the first execution of its order: without such work it is one as any other.
bool SerialOrders::needs_contexts(Executor& executor) {
  for (const Order& order : extreme_orders(input_.input)) {
    ExecutionPlan one = plan(input_.input, order, ending_signal(input_.input), 0);
    one.contexts = true;
    const ExecutionReport& report = probes_[order] = executor.run(one);
    ++executions_;
    const bool finished = report.record.ending.kind == EndingKind::kFinished;
    if (!finished || has_background_work(report.record, input_.input.clients.size())) return true;
  }
  return false;
}

// Not of one that did not come to its end.
std::optional<SerialExecution> SerialOrders::probed(const Order& order, const RequestSet& without) {
  const auto probe = without.empty() ? probes_.extract(order) : decltype(probes_)::node_type{};
  if (probe.empty()) return std::nullopt;
  SerialExecution serial =
      contexts_ ? learnt_from(probe.mapped(), order.size()) : serial_execution_of(probe.mapped());
  const bool sound = !serial.transient && serial.infeasible.empty();
  return sound ? std::optional(std::move(serial)) : std::nullopt;
}

void SerialOrders::begin_again(Executor& executor, const ExplorationMemory& memory) {
  if (background_ == Background::kAuto) contexts_ = memory.contexts;
  executed_.insert(memory.without_luck.begin(), memory.without_luck.end());
  for (const auto& [without, order] : memory.executed) execute(executor, order, without);
  patient_ = memory.patient;
  if (graph_) graph(executor).execute_again(memory.steps);
  repeated_.insert(memory.repeated.begin(), memory.repeated.end());
  failures_ = memory.serial_failures;
  if (!memory.serial_failure_untold) failed_.reset();
  expected_points_ = memory.expected_points;
  expected_points_of_ = memory.expected_points_of;
  executions_ = memory.serial_executions;
}

void SerialOrders::remember(ExplorationMemory& memory) const {
  std::set<PartialOrder> without_luck = executed_;
  for (const SerialRun& run : runs_) {
    memory.executed.emplace_back(run.without, run.order);
    without_luck.erase(memory.executed.back());
  }
  memory.without_luck.assign(without_luck.begin(), without_luck.end());
  memory.repeated.assign(repeated_.begin(), repeated_.end());
  if (graph_) memory.steps = graph_->executed();
  memory.serial_failures = failures_;
  memory.serial_failure_untold = failed_.has_value();
  memory.masks = masks_;
  memory.expected_points = expected_points_;
  memory.expected_points_of = expected_points_of_;
  memory.serial_executions = executions_;
  memory.patient = patient_;
  memory.contexts = contexts_;
}

ExecutionPlan SerialOrders::base_plan() const {
  ExecutionPlan plan;
  plan.input = &input_;
  plan.clock_base_ns = clock_base_ns_;
  plan.contexts = contexts_;
  plan.expected_points = expected_points_;
  plan.expected_points_of = expected_points_of_;
  plan.shared_objects = shared_objects_;
  return plan;
}

ExecutionPlan SerialOrders::plan(const Input& input, const Order& order, const RequestSet& without,
                                 int64_t shift_ns) const {
  ExecutionPlan plan = base_plan();
  plan.strategy.kind = StrategyKind::kSerial;
  plan.strategy_text = "serial";
  plan.fresh = fresh_;
  plan.serial_order.assign(order.begin(), order.end());
  plan.requests.assign(input.clients.size(), 0);
  for (uint16_t client : order) ++plan.requests[client];
  for (const RequestId& id : without) ++plan.requests[id.client];
  plan.without = without;
  plan.clock_base_ns += shift_ns;
  // What the server does by itself may come at once or as late as it can, and by time anywhere:
  // both are tried, and where it makes a difference, that is none to be judged by.
  static constexpr ContextsFirst kTurns[] = {ContextsFirst::kTimersAtAll, ContextsFirst::kNo,
                                             ContextsFirst::kTimersAtEven,
                                             ContextsFirst::kTimersAtOdd};
  plan.contexts_first = kTurns[static_cast<size_t>(shift_ns / kDateShift_ns) % std::size(kTurns)];
  return plan;
}

SerialExecution SerialOrders::run(Executor& executor, const ExecutionPlan& one) {
  ExecutionReport report = executor.run(one);
  ++executions_;
  if (report.given_up && !may_wait_for_session(input_.input, report.record)) {
    ExecutionPlan patient = one;  // whatever it waits for is the server's own
    patient.impatient = false;
    report = executor.run(patient);
    ++executions_;
  }
  if (waits_for_idle_clients(input_.input, one, report)) {
    ExecutionPlan late = one;
    late.contexts_first = ContextsFirst::kNo;
    report = executor.run(late);
    ++executions_;
  }
  return learnt_from(report, one.serial_order.size());
}

SerialExecution SerialOrders::learnt_from(ExecutionReport& report, size_t requests) {
  if (report.given_up) return serial_execution_of(report);
  const ExecutionRecord& record = report.record;
  endless_ += record.ending.kind == EndingKind::kHang && report.diverged == 0 ? 1 : 0;
  SerialExecution serial = serial_execution_of(report);
  if (report.offered > expected_points_) {
    expected_points_ = report.offered;
    expected_points_of_ = report.offered_of;
    shared_objects_ = shared_objects_of(record.trace);
  }
  if (watcher_) watcher_(record);
  const std::vector<size_t> counts = request_counts(input_.input);
  const size_t all = std::accumulate(counts.begin(), counts.end(), size_t{0});
  if (!serial.transient) note_failure(report, requests == all);
  return serial;
}

// A request that waited for a later one is not in the order that was asked for. Nor can a schedule
// that leaves requests out be replayed as one of the whole input, unless it ends in a crash.
void SerialOrders::note_failure(ExecutionReport& report, bool whole) {
  const ExecutionRecord& record = report.record;
  const bool crash = record.ending.kind == EndingKind::kCrash;
  if (report.diverged > 0 && !crash) return;
  Symbols symbols = debug_symbols(record.modules);
  std::optional<SerialFailure> failure = serial_failure(input_.input, record, symbols);
  if (!failure) return;
  const bool known = failure_like(failures_, input_.input, record, symbols) != nullptr;
  const bool tellable = crash || (whole && !failure->may_wait_for_session);
  if (known) return;  // told already, or about to be
  failures_.push_back(std::move(*failure));
  if (tellable && !failed_) failed_ = std::move(report);
}

// Tries again what failed for want of luck; still transient if it goes on failing.
SerialExecution SerialOrders::run_for_sure(Executor& executor, const ExecutionPlan& one) {
  SerialExecution serial;
  for (unsigned i = 0; i < kSerialAttempts; ++i) {
    serial = run(executor, one);
    if (!serial.transient) break;
  }
  return serial;
}

void SerialOrders::execute(Executor& executor, const Order& order, const RequestSet& without) {
  if (executed(order, without)) return;
  std::optional<SerialExecution> probe = probed(order, without);
  SerialExecution first =
      probe ? std::move(*probe) : run_for_sure(executor, plan(input_.input, order, without, 0));
  // What cannot be had is not asked for twice: it may have taken its time (a wait that nobody
  // ends).
  SerialExecution second =
      first.transient || !first.infeasible.empty()
          ? first
          : run_for_sure(executor, plan(input_.input, order, without, kDateShift_ns));
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
  runs_.push_back(std::move(run));
  add_masks(find_nondeterminism(runs_));
}

bool SerialOrders::executed(const Order& order, const RequestSet& without) const {
  return executed_.contains({without, order});
}

bool SerialOrders::enough() const {
  const auto whole =
      std::ranges::count_if(executed_, [](const auto& one) { return one.first.empty(); });
  return static_cast<size_t>(whole) >= kMaxWholeOrders;
}

void SerialOrders::repeat(Executor& executor) {
  for (const SerialRun& run : runs_) {
    if (!run.infeasible.empty() || repeated_.contains({run.without, run.order})) continue;
    for (int64_t shift = 2; shift <= 3; ++shift) {
      SerialExecution serial =
          run_for_sure(executor, plan(input_.input, run.order, run.without, shift * kDateShift_ns));
      if (serial.transient || !serial.infeasible.empty()) continue;
      const SerialRun again{run.order, run.first, std::move(serial.outcome), {}, run.without};
      add_masks(find_nondeterminism({&again, 1}));
    }
    repeated_.insert({run.without, run.order});
  }
}

SerialGraph& SerialOrders::ready(SerialGraph& graph, PrefixStepper& stepper, Executor& executor) {
  const bool impatient = &graph == graph_.get() && !patient_;
  stepper.execute_with(
      [this, &executor, impatient](const Order& order, int64_t shift_ns, bool replies_only) {
        if (enough_known_ && enough_known_()) {
          SerialExecution none;
          none.transient = true;
          return none;
        }
        ExecutionPlan one = plan(input_.input, order, {}, shift_ns);
        one.replies_only = replies_only;
        one.impatient = impatient;
        return run_for_sure(executor, one);
      });
  return graph;
}

SerialGraph::Steps SerialOrders::become_patient() {
  patient_ = true;
  return graph_ ? graph_->forget_given_up() : SerialGraph::Steps{};
}

SerialGraph::Counts SerialOrders::graph_counts() const {
  return graph_ ? graph_->counts() : SerialGraph::Counts{0, 0, 0};
}

SerialExecution SerialOrders::execute_parts(Executor& executor, const ConcreteInput& parts,
                                            const Order& order, int64_t shift_ns) {
  SerialExecution serial;
  for (unsigned i = 0; i < kSerialAttempts; ++i) {
    ExecutionPlan one = plan(parts.input, order, {}, shift_ns);
    one.input = &parts;
    ExecutionReport report = executor.run(one);
    if (waits_for_idle_clients(parts.input, one, report)) {
      one.contexts_first = ContextsFirst::kNo;
      report = executor.run(one);
    }
    serial = serial_execution_of(report);
    if (!serial.transient) break;
  }
  return serial;
}

void SerialOrders::add_masks(const Masks& masks) {
  for (const auto& [place, orders] : masks.outputs) {
    masks_.outputs[place] = std::max(masks_.outputs[place], orders);
  }
  for (const auto& [place, orders] : masks.state) {
    masks_.state[place] = std::max(masks_.state[place], orders);
  }
}

}  // namespace esox
