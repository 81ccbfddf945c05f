// SPDX-License-Identifier: Apache-2.0
#include "harness/hunt/prefix_stepper.h"

#include <algorithm>
#include <vector>

namespace esox {
namespace {

bool keeps_something(const RequestLanguage& language, const InputClient& client) {
  const auto lasting = [&](const Request& request) {
    const SessionEffect effect = language.session_effect(request.text);
    return effect == SessionEffect::kLasting || effect == SessionEffect::kChooses;
  };
  // A session setting is the same in every order, unless transactions or locks hang on it.
  const auto opens = [&](const std::string& statement) {
    const SessionEffect effect = language.session_effect(statement);
    return effect == SessionEffect::kOpens || effect == SessionEffect::kLasting;
  };
  return std::ranges::any_of(client.requests, lasting) || std::ranges::any_of(client.setup, opens);
}

bool in_transaction(const RequestLanguage& language, const InputClient& client, size_t done) {
  bool open = false;
  for (size_t i = 0; i < done; ++i) {
    const SessionEffect effect = language.session_effect(client.requests[i].text);
    if (effect == SessionEffect::kOpens) open = true;
    if (effect == SessionEffect::kCloses) open = false;
  }
  return open;
}

// No other session can tell when it was executed, nor what its own sees of others by it. A BEGIN
// ends what was open before, which only the first request of a session is sure not to do: a server
// may have been told to open the next one by itself (AND CHAIN, autocommit, completion_type).
bool is_its_own(const RequestLanguage& language, const InputClient& client, size_t index) {
  const std::string& text = client.requests[index].text;
  if (!language.only_begins_or_marks(text)) return false;
  const bool begins = language.session_effect(text) == SessionEffect::kOpens;
  return !begins || (index == 0 && client.setup.empty());
}

// The requests in their order, without those.
std::string told_by_requests(const Input& input, const Order& order) {
  std::vector<size_t> done(input.clients.size(), 0);
  std::string text;
  for (const uint16_t client : order) {
    const size_t index = done[client]++;
    if (is_its_own(*input.language, input.clients[client], index)) continue;
    text += request_name(client, index) + ' ';
  }
  return text;
}

}  // namespace

bool has_steps(const Input& input) {
  const auto gives = [&](const std::string& text) {
    return input.language->gives_identities(text);
  };
  return std::ranges::none_of(input.clients, [&](const InputClient& client) {
    return std::ranges::any_of(client.setup, gives) ||
           std::ranges::any_of(client.requests,
                               [&](const Request& request) { return gives(request.text); });
  });
}

KeptBySessions session_state(const Input& input, const Order& order) {
  std::vector<size_t> done(input.clients.size(), 0);
  for (uint16_t client : order) ++done[client];
  for (size_t i = 0; i < done.size(); ++i) {
    const InputClient& client = input.clients[i];
    if (keeps_something(*input.language, client) ||
        in_transaction(*input.language, client, done[i])) {
      return {told_by_requests(input, order), true};
    }
  }
  return {};
}

KeptBySessions PrefixStepper::session_after(const Order& order) const {
  if (merging_ == Merging::kNone) return {order_name(order), true};
  return tell_sessions_ ? tell_sessions_(order) : session_state(input_, order);
}

size_t PrefixStepper::all_requests() const {
  size_t all = 0;
  for (const InputClient& client : input_.clients) all += client.requests.size();
  return all;
}

SerialStep PrefixStepper::step(const Order& prefix, uint16_t client) {
  Order order = prefix;
  order.push_back(client);
  SerialStep step;
  // What sessions hold matters to what comes later.
  const bool last = order.size() == all_requests();
  KeptBySessions session = last ? KeptBySessions{} : session_after(order);
  step.session = std::move(session.text);
  // What else is taken for this one is known by its requests: of its state nothing depends.
  const bool replies_only = session.by_requests;
  SerialExecution first = execute_(order, 0, replies_only);
  step.transient = first.transient;
  step.infeasible = first.infeasible;
  step.given_up = first.given_up;
  // Of such a one nothing is compared, and it may have taken its time (a wait that nobody ends).
  if (step.transient || !step.infeasible.empty()) return step;
  SerialExecution second = execute_(order, shift_ns_, replies_only);
  step.transient = second.transient;
  step.infeasible = second.infeasible;
  step.given_up = second.given_up;
  if (step.transient || !step.infeasible.empty()) return step;
  step.first = std::move(first.outcome.outputs[client].back());
  step.second = std::move(second.outcome.outputs[client].back());
  step.first_state = std::move(first.outcome.state);
  step.second_state = std::move(second.outcome.state);
  return step;
}

}  // namespace esox
