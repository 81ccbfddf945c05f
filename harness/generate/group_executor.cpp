// SPDX-License-Identifier: Apache-2.0
#include "harness/generate/group_executor.h"

#include <algorithm>

namespace esox {
namespace {

// What is left of it is what a snapshot is made of.
Input without_requests(const Input& input, size_t clients) {
  Input rest = input;
  rest.id.clear();
  rest.title.clear();
  rest.origin.clear();
  rest.clients.resize(clients);
  for (InputClient& client : rest.clients) client.requests.clear();
  return rest;
}

bool same_requests(const Input& one, const Input& other) {
  return std::ranges::equal(
      one.clients, other.clients,
      [](const InputClient& a, const InputClient& b) { return a.requests == b.requests; });
}

// Nothing of clients that it has not.
void forget_idle_clients(ExecutionReport& report, size_t clients) {
  report.record.outcome.outputs.resize(clients);
  report.record.stamps.resize(clients);
  report.offered_of.resize(clients);
}

}  // namespace

bool same_group(const Input& one, const Input& other) {
  const size_t both = std::min(one.clients.size(), other.clients.size());
  return without_requests(one, both) == without_requests(other, both);
}

GroupExecutor::GroupExecutor(Executor& executor, const std::vector<const Input*>& inputs)
    : executor_(executor) {
  Input& all = input_.input =
      **std::ranges::max_element(inputs, [](const Input* one, const Input* other) {
        return one->clients.size() < other->clients.size();
      });
  for (InputClient& client : all.clients) client.requests.clear();
  for (const Input* one : inputs) {
    std::vector<size_t>& first = first_.emplace_back();
    for (size_t c = 0; c < all.clients.size(); ++c) {
      std::vector<Request>& requests = all.clients[c].requests;
      first.push_back(requests.size());
      if (c >= one->clients.size()) continue;
      const std::vector<Request>& own = one->clients[c].requests;
      requests.insert(requests.end(), own.begin(), own.end());
    }
    members_.push_back(*one);
  }
}

ExecutionPlan GroupExecutor::of_group(const ExecutionPlan& plan) const {
  const Input& input = plan.input->input;
  if (!same_group(input, input_.input)) return plan;
  const auto member =
      std::ranges::find_if(members_, [&](const Input& one) { return same_requests(one, input); });
  if (member == members_.end()) return plan;
  ExecutionPlan own = plan;
  own.input = &input_;
  own.first_requests = first_[static_cast<size_t>(member - members_.begin())];
  if (own.requests.empty()) {
    for (const InputClient& client : input.clients) own.requests.push_back(client.requests.size());
  }
  own.requests.resize(input_.input.clients.size());
  own.without.clear();
  for (const RequestId& id : plan.without) {
    own.without.insert({id.client, own.first_requests[id.client] + id.request});
  }
  for (size_t c = 0; c < plan.first_requests.size(); ++c) {
    own.first_requests[c] += plan.first_requests[c];
  }
  return own;
}

ExecutionReport GroupExecutor::run(const ExecutionPlan& plan) {
  ExecutionReport report = executor_.run(of_group(plan));
  forget_idle_clients(report, plan.input->input.clients.size());
  return report;
}

std::vector<StateAnswer> GroupExecutor::answer(const ExecutionPlan& plan, const RowLog& log,
                                               std::span<const StateQuestion> questions) {
  return executor_.answer(of_group(plan), log, questions);
}

}  // namespace esox
