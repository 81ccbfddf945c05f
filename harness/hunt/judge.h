// SPDX-License-Identifier: Apache-2.0
// Judges executions of one input on one engine: does some serial order explain what was seen?
//
// Where the input's sessions promise whole transactions in serial order, the orders are of these
// (analysis/transactions.h); else of requests.
//
// Where the server writes a log of rows, plain reads at the weaker levels are held against the
// states that the log tells, too (analysis/statement_views.h).
//
// Serial orders are executed only when those at hand do not explain an execution. Rules of the
// tester (filters/) are part of each judgement. Where one tolerates an error, the serial orders
// without that request are executed too, as whole orders; where one says that a request counts as
// several, serial orders of those (part_orders.h); where one tolerates that a task of the server's
// own failed, serial orders in which that ends early (cut_tasks.h). What is tolerated of a victim
// of a deadlock is that it said no more than ROLLBACK: its transaction leaves more behind than none
// at all (numbers of AUTO_INCREMENT are gone, tables without transactions keep their rows, sessions
// their variables), so that where orders without it explain nothing, those with a ROLLBACK in its
// place are executed. A request that the
// language knows as several steps and that cannot be taken apart (a call of a procedure): an
// execution in which one was beside others is judged by its ending, by damage and by who read what.
//
// Used by one thread at a time, with any executor. Throws SetupError and ServerError (executor.h).
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "analysis/cause.h"
#include "analysis/serial_failure.h"
#include "analysis/serial_graph.h"
#include "analysis/statement_views.h"
#include "analysis/verdict.h"
#include "filters/rules_in_force.h"
#include "harness/engine/executor.h"
#include "harness/hunt/part_orders.h"
#include "harness/hunt/serial_orders.h"
#include "harness/hunt/state_answers.h"
#include "inputs/input.h"

namespace esox {

struct Judged {
  ExecutionReport report;
  Verdict verdict;
  ViewVerdict views;           // of its plain reads
  std::optional<Cause> cause;  // of a violation
  bool confirmed = false;      // replayed with the same outcome
  bool new_cause = false;      // first time here
  std::string doubt;           // a violation that could not be confirmed: why
  bool by_reads = false;       // who read what was judged, too (analysis/dependency_graph.h)
  bool cut_short = false;      // for esox was stopped; nothing to go on from
};

class Judge {
 public:
  // `input` and `orders` must outlive it. `filters` may be null: nothing is forgiven.
  Judge(const ConcreteInput& input, SerialOrders& orders,
        const std::shared_ptr<const RuleSet>& filters, const ServerFacts& server);
  ~Judge();
  Judge(const Judge&) = delete;
  Judge& operator=(const Judge&) = delete;

  // With its cause, if it is a violation.
  Judged judge(Executor& executor, ExecutionReport report);

  // Once more, the violation that was judged last: under the masks of serial orders repeated twice
  // more, and in a graph of serial states that were never taken for equal. Its cause is gone if
  // that explains it.
  void doubt(Executor& executor, Judged& judged);

  const RulesInForce& rules() const { return rules_; }

 private:
  void judge_views(Executor& executor, Judged& judged);
  void look_for_doubts(Executor& executor, Judged& judged);
  Verdict judge_now(ExecutionRecord& record) const;
  void explain(Executor& executor, Judged& judged);
  void explain_as_told(Executor& executor, Judged& judged);
  void explain_without_cut_off(Executor& executor, Judged& judged);
  void execute_missing_orders(Executor& executor, Judged& judged);
  void execute_tolerated_orders(Executor& executor, Judged& judged);
  void search_graph(Executor& executor, Judged& judged);
  Explanation explain_in(SerialGraph& graph, Judged& judged);
  void explain_by_parts(Executor& executor, Judged& judged);
  void explain_by_rollbacks(Executor& executor, Judged& judged);
  void explain_by_failed_tasks(Executor& executor, Judged& judged);
  void leave_several_steps_unjudged(Judged& judged) const;
  void name_cause(Judged& judged) const;
  static void blame_serial_order(Judged& judged, const SerialFailure& failure);

  // The input as somewhat else would have been asked for, and what is known of it.
  struct Variant;
  using Variants = std::vector<std::unique_ptr<Variant>>;
  Variants& cuts_short(const std::vector<FailedTask>& failed);
  Variant& rolled_back(const RequestSet& victims);
  // Of an execution of this input, as one of the variant's; nothing: the server refuses that.
  std::optional<Verdict> verdict_as(Variant& one, Executor& executor, ExecutionRecord record) const;

  const ConcreteInput& input_;
  SerialOrders& orders_;
  RulesInForce rules_;
  ServerFacts server_;
  PartOrders part_orders_;
  StateAnswers state_answers_;
  std::map<std::set<std::string>, Variants> cuts_short_;        // by the tasks' names
  std::map<RequestSet, std::unique_ptr<Variant>> rolled_back_;  // by their victims
  RequestSet any_reply_;                                        // whose replies are not compared
  Orders others_ = Orders::kAsGiven;  // what the search of the graph for the last execution showed
};

}  // namespace esox
