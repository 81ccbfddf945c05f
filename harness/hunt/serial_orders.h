// SPDX-License-Identifier: Apache-2.0
// The serial orders of one input on one engine, executed on a real server when first needed.
//
// Each is executed twice, under two dates (the virtual clock of the second run is a day and some
// ahead): what then differs is nondeterminism, masked and named.
//
// An input with few serial orders has them executed whole. One with many has them executed step by
// step, as a graph in which equal states are one (analysis/serial_graph.h), along the replies that
// were seen.
//
// They are executed as all else is, mostly on servers that were rewound; those that a violation is
// doubted by (Judge::doubt), twice more each, on servers in which nothing else was executed before
// (but for a graph's, where it did not come to its end): what rewinding might lose becomes
// nondeterminism there, and no finding. (With all of them on fresh servers a hunt of imported
// inputs, eight executions each, took four times the processor's time.)
//
// What they also show is what schedules are made from: how many scheduling points to expect, and
// which objects the clients share.
//
// Used by one thread at a time, with any executor. Throws SetupError and ServerError (executor.h).
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "analysis/masks.h"
#include "analysis/serial_failure.h"
#include "analysis/serial_graph.h"
#include "analysis/serial_run.h"
#include "harness/engine/background.h"
#include "harness/engine/executor.h"
#include "harness/hunt/prefix_stepper.h"
#include "harness/records/exploration_memory.h"
#include "inputs/input.h"

namespace esox {

// Between equal serial runs: a day, two hours, three minutes, four and a bit seconds, so that every
// field of a date changes.
inline constexpr int64_t kDateShift_ns = 93'784'123'456'000;

// Serial orders executed whole for one input, at most.
inline constexpr size_t kMaxWholeOrders = 64;
// An input with more orders than these gets a graph.
inline constexpr size_t kFewOrders = 6;
// Steps of a graph, executed to explain one execution, at most.
inline constexpr uint64_t kMaxSteps = 400;

class SerialOrders {
 public:
  // Told of each execution.
  using Watcher = std::function<void(const ExecutionRecord&)>;

  // `input` must outlive it. `clock_base_ns`: the first of the dates.
  SerialOrders(const ConcreteInput& input, int64_t clock_base_ns,
               Background background = Background::kOff);
  SerialOrders(const SerialOrders&) = delete;
  SerialOrders& operator=(const SerialOrders&) = delete;

  // Executes the two extreme orders: all of the first client's requests, then all of the second's,
  // ..., and the reverse. `watcher` may be empty. With Background::kAuto the first execution of
  // each is under contexts, for what the server does by itself.
  void begin(Executor& executor, const Watcher& watcher);
  // Instead: those of an earlier launch, in the order of then, for how many points to expect
  // follows from it. They are not counted again.
  void begin_again(Executor& executor, const ExplorationMemory& memory);
  // Adds what begin_again() needs.
  void remember(ExplorationMemory& memory) const;

  // Of any execution of this input, as far as is known by now.
  ExecutionPlan base_plan() const;

  // Whole, without some requests. Nothing happens if that was done; an order whose executions
  // failed for want of luck is not tried again, and never among the runs.
  void execute(Executor& executor, const Order& order, const RequestSet& without = {});
  bool executed(const Order& order, const RequestSet& without = {}) const;
  // Whether as many were executed whole as may be.
  bool enough() const;

  // From here on, on servers in which nothing else was executed before, or not.
  void on_fresh_servers(bool fresh) { fresh_ = fresh; }
  // Rare nondeterminism: every order twice more, under other dates. What is new joins the masks.
  void repeat(Executor& executor);

  // An input with many orders has two graphs: `graph` merges equal states; `unmerged` does not, for
  // what the summaries do not tell may have made states one that are two.
  bool has_graph() const { return graph_ != nullptr; }
  SerialGraph& graph(Executor& executor) { return ready(*graph_, *stepper_, executor); }
  SerialGraph& unmerged(Executor& executor) {
    return ready(*unmerged_, *unmerged_stepper_, executor);
  }
  SerialGraph::Counts graph_counts() const;  // all 0 without a graph

  // A step whose request waits for what another session holds has no end, and where the server
  // leaves the time-out of such a wait to a thread of its own (MySQL) none comes by virtual time:
  // each would take as long as a deadlock takes to be believed, two seconds. So `graph` gives them
  // up early, since another order explains most executions all the same. Who has found none
  // becomes patient and asks once more: they are forgotten, and from here on none is given up.
  bool gave_up() const { return graph_ && graph_->gave_up(); }
  SerialGraph::Steps become_patient();  // what was forgotten

  // While this holds, no step of a graph is executed that was not before. Empty: never.
  void stop_when(std::function<bool()> enough) { enough_known_ = std::move(enough); }

  // An order of requests that stand for parts of this input's (part_orders.h). Neither counted
  // among the executions nor remembered: a hunt that goes on executes them again when it needs
  // them.
  SerialExecution execute_parts(Executor& executor, const ConcreteInput& parts, const Order& order,
                                int64_t shift_ns);

  const std::vector<SerialRun>& runs() const { return runs_; }
  Masks& masks() { return masks_; }
  const Masks& masks() const { return masks_; }
  void add_masks(const Masks& masks);
  // What went wrong in some of them, each kind of ending once, crashes by where.
  const std::vector<SerialFailure>& failures() const { return failures_; }
  // The first execution of a whole order that went wrong, once.
  std::optional<ExecutionReport> take_failed() { return std::exchange(failed_, std::nullopt); }
  uint64_t expected_points() const { return expected_points_; }
  uint64_t executions() const { return executions_; }
  uint64_t endless() const { return endless_; }  // executions that hung, in this launch
  // Whether threads of the server's own are scheduled in all executions; after begin().
  bool contexts() const { return contexts_; }

 private:
  using PartialOrder = ExplorationMemory::PartialOrder;

  ExecutionPlan plan(const Input& input, const Order& order, const RequestSet& without,
                     int64_t shift_ns) const;
  bool needs_contexts(Executor& executor);
  std::optional<SerialExecution> probed(const Order& order, const RequestSet& without);
  SerialExecution run(Executor& executor, const ExecutionPlan& one);
  SerialExecution learnt_from(ExecutionReport& report, size_t requests);
  SerialExecution run_for_sure(Executor& executor, const ExecutionPlan& one);
  void note_failure(ExecutionReport& report, bool whole);
  SerialGraph& ready(SerialGraph& graph, PrefixStepper& stepper, Executor& executor);

  const ConcreteInput& input_;
  int64_t clock_base_ns_;
  Background background_;
  bool contexts_;
  std::map<Order, ExecutionReport> probes_;  // executed under contexts, not yet taken
  Watcher watcher_;
  std::function<bool()> enough_known_;
  bool fresh_ = false;
  bool patient_ = false;
  std::vector<SerialRun> runs_;
  std::set<PartialOrder> executed_;
  std::set<PartialOrder> repeated_;  // looked at for rare nondeterminism
  Masks masks_;
  std::vector<SerialFailure> failures_;
  std::optional<ExecutionReport> failed_;  // not yet taken
  std::unique_ptr<PrefixStepper> stepper_;
  std::unique_ptr<SerialGraph> graph_;
  std::unique_ptr<PrefixStepper> unmerged_stepper_;
  std::unique_ptr<SerialGraph> unmerged_;
  uint64_t expected_points_ = 0;
  std::vector<uint64_t> expected_points_of_;
  std::vector<ObjectPoints> shared_objects_;  // of the same serial run
  uint64_t executions_ = 0;
  uint64_t endless_ = 0;
};

// The requests in the order in which they were answered.
Order order_of_replies(const Stamps& stamps);

}  // namespace esox
