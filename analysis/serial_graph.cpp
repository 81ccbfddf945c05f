// SPDX-License-Identifier: Apache-2.0
#include "analysis/serial_graph.h"

#include <set>
#include <string>
#include <tuple>
#include <utility>

#include "analysis/comparison.h"
#include "analysis/nondeterminism.h"

namespace esox {
namespace {

// nullopt if a component is unavailable: then two states cannot be called equal.
std::optional<std::string> fingerprint(const StateSummary& state) {
  FieldEncoder fields;
  for (const Component& component : state.components) {
    if (!component.unavailable.empty()) return std::nullopt;
    fields.append(component.name).append(hex(component.digest));
  }
  return fields.bytes();
}

// An outcome of one reply only, so that the finder of nondeterminism names the right place.
Outcome only(const Output& output, size_t client, size_t request) {
  Outcome outcome;
  outcome.outputs.resize(client + 1);
  outcome.outputs[client].resize(request + 1);
  outcome.outputs[client][request] = output;
  return outcome;
}

// True if some place is new.
bool add_places(Masks& masks, const Masks& more) {
  bool grown = false;
  for (const auto& [place, orders] : more.outputs) {
    grown |= masks.outputs.emplace(place, orders).second;
  }
  for (const auto& [place, orders] : more.state) grown |= masks.state.emplace(place, orders).second;
  return grown;
}

// One search under fixed masks. A node is looked at once: what is left to explain depends only on
// which requests are done, and that is part of the node.
class Search {
 public:
  Search(SerialGraph& graph, const ExecutionRecord& record, Masks& masks, uint64_t max_steps,
         const Forgiveness& forgiveness)
      : graph_(graph),
        record_(record),
        masks_(masks),
        max_steps_(max_steps),
        forgiveness_(forgiveness) {}

  Explanation run() {
    Explanation explanation;
    if (visit(SerialGraph::kBeginning)) explanation.order = prefix_;
    if (!explanation.order) explanation.same_replies = std::move(same_replies_);
    explanation.exhausted = !explanation.order && !cut_short_;
    explanation.blocked = blocked_;
    return explanation;
  }

  bool masks_grew() const { return masks_grew_; }

 private:
  bool visit(SerialGraph::Node node) {
    if (graph_.is_end(node)) {
      if (state_matches(node)) return true;
      if (!same_replies_) same_replies_ = prefix_;
      return false;
    }
    if (!seen_.insert(node).second) return false;
    const std::vector<size_t> done = graph_.done(node);
    for (size_t client = 0; client < done.size(); ++client) {
      if (!may_be_next(record_.stamps, done, client)) continue;
      if (step(node, static_cast<uint16_t>(client), done[client])) return true;
    }
    return false;
  }

  bool step(SerialGraph::Node node, uint16_t client, size_t request) {
    const uint64_t before = graph_.counts().steps;
    if (before >= max_steps_ && !graph_.knows(node, client)) {
      cut_short_ = true;
      return false;
    }
    const SerialGraph::Edge* edge = graph_.follow(node, client);
    if (edge == nullptr) {
      cut_short_ = true;
      return false;
    }
    if (!edge->infeasible.empty()) {
      blocked_ = true;
      return false;
    }
    masks_grew_ |= add_places(masks_, differing_places(only(edge->first, client, request),
                                                       only(edge->second(), client, request)));
    const Output& seen = record_.outcome.outputs[client][request];
    const bool any_reply = record_.cut_off.contains({client, request});
    if (!any_reply &&
        !compare_output(seen, edge->first, client, request, masks_, forgiveness_).equal()) {
      return false;
    }
    prefix_.push_back(client);
    if (visit(edge->to)) return true;
    prefix_.pop_back();
    return false;
  }

  bool state_matches(SerialGraph::Node end) {
    Outcome first;
    Outcome second;
    first.state = graph_.end_state(end).first;
    second.state = graph_.end_state(end).second;
    masks_grew_ |= add_places(masks_, differing_places(first, second));
    Outcome seen;
    seen.state = record_.outcome.state;
    return compare(seen, first, masks_, forgiveness_).state_match();
  }

  SerialGraph& graph_;
  const ExecutionRecord& record_;
  Masks& masks_;
  uint64_t max_steps_;
  const Forgiveness& forgiveness_;
  std::set<SerialGraph::Node> seen_;
  Order prefix_;
  std::optional<Order> same_replies_;
  bool cut_short_ = false;
  bool blocked_ = false;
  bool masks_grew_ = false;
};

// A mask found late may make a reply match that was turned away before: then once more. Masks only
// grow and their places are finite, so this ends; what was executed is not executed again.
Explanation search(SerialGraph& graph, const ExecutionRecord& record, Masks& masks, uint64_t limit,
                   const Forgiveness& forgiveness) {
  for (;;) {
    Search one(graph, record, masks, limit, forgiveness);
    Explanation explanation = one.run();
    if (explanation.order || !one.masks_grew()) return explanation;
  }
}

}  // namespace

SerialGraph::SerialGraph(std::vector<size_t> requests, SerialStepper& stepper)
    : requests_(std::move(requests)), stepper_(stepper) {
  State beginning;
  beginning.done.assign(requests_.size(), 0);
  nodes_.push_back(std::move(beginning));
}

bool SerialGraph::knows(Node node, uint16_t client) const {
  return nodes_[node].edges.contains(client);
}

const SerialGraph::Edge* SerialGraph::follow(Node node, uint16_t client) {
  const auto known = nodes_[node].edges.find(client);
  if (known != nodes_[node].edges.end()) return &known->second;
  SerialStep step = stepper_.step(nodes_[node].prefix, client);
  ++counts_.steps;
  if (step.transient) return nullptr;
  executed_.emplace_back(nodes_[node].prefix, client);
  Edge edge;
  edge.infeasible = step.infeasible;
  edge.given_up = step.given_up;
  gave_up_ |= step.given_up;
  if (edge.infeasible.empty()) edge.to = reach(nodes_[node], client, step);
  edge.first = std::move(step.first);
  if (step.second != edge.first) edge.other = std::move(step.second);
  return &nodes_[node].edges.emplace(client, std::move(edge)).first->second;
}

void SerialGraph::execute_again(const Steps& steps) {
  for (const auto& [prefix, client] : steps) {
    Order whole = prefix;
    whole.push_back(client);
    Node node = kBeginning;
    for (uint16_t one : whole) {
      const Edge* edge = follow(node, one);
      if (edge == nullptr || !edge->infeasible.empty()) break;
      node = edge->to;
    }
  }
}

SerialGraph::Steps SerialGraph::forget_given_up() {
  Steps forgotten;
  for (State& node : nodes_) {
    std::erase_if(node.edges, [&](const auto& edge) {
      if (edge.second.given_up) forgotten.emplace_back(node.prefix, edge.first);
      return edge.second.given_up;
    });
  }
  gave_up_ = false;
  for (const auto& step : forgotten) counts_.steps -= std::erase(executed_, step);
  return forgotten;
}

SerialGraph::Node SerialGraph::reach(const State& from, uint16_t client, SerialStep& step) {
  State next;
  next.done = from.done;
  ++next.done[client];
  next.prefix = from.prefix;
  next.prefix.push_back(client);
  const auto node = static_cast<Node>(nodes_.size());
  const auto first = fingerprint(step.first_state);
  const auto second = fingerprint(step.second_state);
  if (first && second) {
    FieldEncoder key;
    for (size_t done : next.done) key.append(std::to_string(done));
    key.append(*first).append(*second).append(step.session);
    const auto [known, is_new] = known_.emplace(key.bytes(), node);
    if (!is_new) {
      ++counts_.merged;
      return known->second;
    }
  }
  if (next.done == requests_) {
    next.end = {std::move(step.first_state), std::move(step.second_state)};
  }
  nodes_.push_back(std::move(next));
  ++counts_.states;
  return node;
}

const std::pair<StateSummary, StateSummary>& SerialGraph::end_state(Node node) const {
  return nodes_[node].end;
}

std::optional<SerialRun> SerialGraph::run_of(const Order& order) {
  SerialRun run;
  run.order = order;
  run.first.outputs.resize(requests_.size());
  run.second.outputs.resize(requests_.size());
  Node node = kBeginning;
  for (uint16_t client : order) {
    const Edge* edge = follow(node, client);
    if (edge == nullptr) return std::nullopt;
    if (!edge->infeasible.empty()) {
      run.infeasible = edge->infeasible;
      return run;
    }
    run.first.outputs[client].push_back(edge->first);
    run.second.outputs[client].push_back(edge->second());
    node = edge->to;
  }
  std::tie(run.first.state, run.second.state) = end_state(node);
  return run;
}

Explanation explain(SerialGraph& graph, const ExecutionRecord& record, Masks& masks,
                    uint64_t max_steps, const Forgiveness& forgiveness) {
  const uint64_t limit = graph.counts().steps + max_steps;
  Explanation plain = search(graph, record, masks, limit, {});
  if (plain.order || forgiveness.empty()) return plain;
  Explanation forgiving = search(graph, record, masks, limit, forgiveness);
  if (!forgiving.order && plain.same_replies) forgiving.same_replies = plain.same_replies;
  return forgiving;
}

}  // namespace esox
