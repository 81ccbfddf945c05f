// SPDX-License-Identifier: Apache-2.0
// The states that serial execution can reach, as a graph grown on demand.
//
// Two sessions of n requests have C(2n, n) serial orders, but far fewer serial states. A node is a
// state: so many requests of each client done, and what the server holds then. An edge is one more
// request of one client, executed from there, with its reply. Every prefix is executed once,
// however many orders begin with it; two prefixes over the same requests that lead to equal states
// become one node, whose continuations are executed once. So n^2 steps or so take the place of
// C(2n, n) orders of 2n requests each. (Wing and Gong's search for a linearization, with Lowe's
// memory of states already seen, on states of a real server.)
//
// "Equal" is what the state summary can see, and what the sessions hold besides (SerialStep::
// session). Merging can therefore hide a difference that no component shows (roles, say). Then a
// serial order counts as explanation that, executed on its own, would not be one; and another one,
// which would be, is not found, since its requests are executed after some other prefix. So callers
// who are about to report that no order explains an execution search once more, in a graph whose
// stepper lets no two prefixes be equal.
//
// Each step is executed under two dates, as whole orders are (serial_run.h): what differs between
// the two is nondeterminism.
//
// Used by one thread. Throws what the stepper throws; the graph then is as before the step.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "analysis/execution_record.h"
#include "analysis/forgiveness.h"
#include "analysis/linearization.h"
#include "analysis/masks.h"
#include "analysis/serial_run.h"

namespace esox {

// One request executed after a prefix.
struct SerialStep {
  Output first;  // the reply, under two dates
  Output second;
  StateSummary first_state;  // afterwards
  StateSummary second_state;
  // What the sessions hold that the summary does not tell and that later requests may depend on;
  // prefixes are merged only if these texts are equal too.
  std::string session;
  std::string infeasible;  // not empty: the request cannot be executed to its end here, and why
  bool given_up = false;   // infeasible, as far as somebody impatient can say
  bool transient = false;  // it failed for want of luck: nothing is known, and nothing is kept
};

// Executes requests on a real server.
class SerialStepper {
 public:
  virtual ~SerialStepper() = default;
  // Executes the next request of `client` in the state after `prefix`. `prefix` is one of the
  // orders that lead to that state, always the same one for one state.
  virtual SerialStep step(const Order& prefix, uint16_t client) = 0;
};

class SerialGraph {
 public:
  using Node = uint32_t;

  struct Edge {
    Node to = 0;  // meaningless if infeasible
    Output first;
    std::optional<Output> other;  // under the second date, if it is not the same
    std::string infeasible;
    bool given_up = false;

    const Output& second() const { return other ? *other : first; }
  };

  struct Counts {
    uint64_t steps = 0;   // executed
    uint64_t states = 1;  // nodes, the beginning included
    uint64_t merged = 0;  // steps that led to a state known already
  };

  // `requests[client]` is the number of its requests; `stepper` must outlive the graph.
  SerialGraph(std::vector<size_t> requests, SerialStepper& stepper);

  static constexpr Node kBeginning = 0;

  // The step of `client` from `node`, executed if it was not yet. nullptr if it failed for want of
  // luck. The client must have a request left. The pointer holds as long as the graph,
  // of a step that was given up until these are forgotten.
  const Edge* follow(Node node, uint16_t client);

  // Whether that step has been executed.
  bool knows(Node node, uint16_t client) const;

  const std::vector<size_t>& done(Node node) const { return nodes_[node].done; }
  bool is_end(Node node) const { return nodes_[node].done == requests_; }
  // Of an end: the state after all requests, under the first and the second date.
  const std::pair<StateSummary, StateSummary>& end_state(Node node) const;

  // The run of a whole order, its missing steps executed. nullopt: a step failed for want of luck.
  // An order whose step is infeasible has that as its reason.
  std::optional<SerialRun> run_of(const Order& order);

  const Counts& counts() const { return counts_; }

  // The steps executed so far, in their order, each as the prefix it was executed after and the
  // client; and the same executed on a new graph, which then is as this one.
  using Steps = std::vector<std::pair<Order, uint16_t>>;
  const Steps& executed() const { return executed_; }
  void execute_again(const Steps& steps);
  // Whether some step was given up; then they count as not executed. Which they were.
  bool gave_up() const { return gave_up_; }
  Steps forget_given_up();

  const std::vector<size_t>& requests() const { return requests_; }

 private:
  struct State {
    std::vector<size_t> done;
    Order prefix;                               // one way to get here
    std::map<uint16_t, Edge> edges;             // by client
    std::pair<StateSummary, StateSummary> end;  // only of an end
  };

  Node reach(const State& from, uint16_t client, SerialStep& step);

  std::vector<size_t> requests_;
  SerialStepper& stepper_;
  std::deque<State> nodes_;            // which does not move them
  std::map<std::string, Node> known_;  // done requests, state and sessions -> node
  Counts counts_;
  Steps executed_;
  bool gave_up_ = false;
};

struct Explanation {
  std::optional<Order> order;  // a serial order that explains the execution
  // Without one: a serial order that real time allows and that gives the same replies, but another
  // state.
  std::optional<Order> same_replies;
  // No order does, and none was left out. If false without an order, nobody can say.
  bool exhausted = false;
  // Some order gives the same replies up to a request that could not be executed there.
  bool blocked = false;
};

// Searches the graph for a serial order that real time allows and that gives the same replies and
// the same state, following only replies that match; executes at most `max_steps` new steps.
// Rules are applied only if there is none without them. `masks` grows by the nondeterminism of
// every step looked at.
Explanation explain(SerialGraph& graph, const ExecutionRecord& record, Masks& masks,
                    uint64_t max_steps, const Forgiveness& forgiveness = {});

}  // namespace esox
