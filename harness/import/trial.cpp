// SPDX-License-Identifier: Apache-2.0
#include "harness/import/trial.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <tuple>

#include "analysis/comparison.h"
#include "harness/hunt/exploration.h"
#include "inputs/engine.h"

namespace esox {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds kTrialLimit{5'000};  // of one execution; the log's tests took far less
// Of one execution. Most have some hundreds; beyond this an input is too slow to hunt with, and the
// places to switch at are too many to hit the right ones.
constexpr uint64_t kMostPoints = 20'000;
constexpr size_t kDetailBytes = 300;

// ---- what an input may change beside its tables

std::string component_of(const std::string& observation) {
  return fmt::format("observation:{}", observation);
}

bool same_component(const StateSummary& one, const StateSummary& other, const std::string& name) {
  const Component* a = one.find(name);
  const Component* b = other.find(name);
  return a != nullptr && b != nullptr && same(*a, *b);
}

bool unknown_component(const StateSummary& state, const std::string& name) {
  const Component* found = state.find(name);
  return found == nullptr || !found->unavailable.empty();
}

// Itself, or in a routine that the setup makes.
bool may_change_more(const Input& input) {
  const auto speaks = [&](const std::string& text) {
    return input.language->changes_more_than_state(text);
  };
  return std::ranges::any_of(input.setup, speaks) ||
         std::ranges::any_of(input.clients, [&](const InputClient& client) {
           return std::ranges::any_of(client.requests,
                                      [&](const Request& request) { return speaks(request.text); });
         });
}

// ---- the group's input

// Equal for inputs that may be of one group.
using GroupKey =
    std::tuple<std::vector<std::string>, std::string, std::string, std::vector<std::string>,
               std::vector<std::vector<std::string>>, bool, bool>;

GroupKey key_of(const ImportedInput& imported, const std::string& engine) {
  std::vector<std::vector<std::string>> sessions;
  for (const InputClient& client : imported.input.clients) sessions.push_back(client.setup);
  return {imported.input.server_options,
          imported.input.isolation_level,
          engine,
          imported.input.setup,
          std::move(sessions),
          imported.one_connection,
          may_change_more(imported.input)};
}

Order blocks(const Input& input, bool reverse) {
  Order order;
  const size_t clients = input.clients.size();
  for (size_t i = 0; i < clients; ++i) {
    const size_t client = reverse ? clients - 1 - i : i;
    order.insert(order.end(), input.clients[client].requests.size(), static_cast<uint16_t>(client));
  }
  return order;
}

Order log_order(const ImportedInput& imported) {
  return imported.log_order.empty() ? blocks(imported.input, false) : imported.log_order;
}

// Every client with the requests of all inputs, one after the other; and, where an input's requests
// came over one connection, one more client who has them all in the order of the log.
class GroupInput {
 public:
  explicit GroupInput(const TrialGroup& group) {
    const ImportedInput& model = *group.inputs.front();
    Input input = model.input;
    const ContentView view = input.language->content_view();
    if (!view.summary.empty()) input.summary = view.summary;
    one_connection_ = model.one_connection && input.clients.size() < kMaxClients;
    for (InputClient& client : input.clients) client.requests.clear();
    if (one_connection_) input.clients.push_back({"ALL", input.clients.front().setup, {}});
    for (const ImportedInput* one : group.inputs) {
      std::vector<size_t> first;
      for (const InputClient& client : input.clients) first.push_back(client.requests.size());
      first_.push_back(std::move(first));
      add(*one, input);
      observed_ = observed_ || may_change_more(one->input);
    }
    if (observed_) {
      for (const auto* more : {&view.observations, &view.untouchable}) {
        input.observations.insert(input.observations.end(), more->begin(), more->end());
      }
    }
    concrete_ = instantiate(input, group.engine.empty() ? std::vector<std::string>{}
                                                        : std::vector<std::string>{group.engine})
                    .at(0);
  }

  const ConcreteInput& input() const { return concrete_; }
  // Where the input's requests begin in each client's.
  const std::vector<size_t>& first(size_t index) const { return first_[index]; }
  bool one_connection() const { return one_connection_; }
  bool observed() const { return observed_; }

 private:
  void add(const ImportedInput& imported, Input& input) const {
    std::vector<size_t> done(imported.input.clients.size(), 0);
    for (const uint16_t client : log_order(imported)) {
      const Request& request = imported.input.clients[client].requests[done[client]++];
      input.clients[client].requests.push_back(request);
      if (one_connection_) input.clients.back().requests.push_back(request);
    }
  }

  ConcreteInput concrete_;
  std::vector<std::vector<size_t>> first_;
  bool one_connection_ = false;
  bool observed_ = false;
};

// ---- the executions

std::string shortened(const std::string& text) {
  return text.size() <= kDetailBytes ? text : text.substr(0, kDetailBytes) + "...";
}

// Thrown: why the input is not taken.
struct Rejected {
  std::string reason;
  std::string detail;
};

class Attempt {
 public:
  Attempt(Executor& executor, const GroupInput& group, const ImportedInput& imported, size_t index)
      : executor_(executor),
        group_(group),
        imported_(imported),
        first_(group.first(index)),
        clients_(imported.input.clients.size()),
        log_order_(log_order(imported)),
        language_(*imported.input.language),
        view_(language_.content_view()) {}

  TrialResult run(const Outcome& before) {
    const ExecutionRecord logged = execute(log_order_, 0, "in the log's order");
    look_at_errors(logged.outcome);
    look_at_time(logged.outcome);
    look_at_one_connection(logged.outcome);
    TrialResult result;
    result.sensitivity = sensitivity(logged.outcome);
    if (group_.observed()) result.observations = changed_beside(before, logged.outcome);
    result.contacts = contacts(logged, clients_);
    return result;
  }

  // Throws Rejected.
  ExecutionRecord execute(const Order& order, int64_t shift_ns, const char* which) {
    ExecutionPlan plan;
    plan.input = &group_.input();
    plan.clock_base_ns = kClockBase_ns + shift_ns;
    plan.strategy.kind = StrategyKind::kSerial;
    plan.strategy_text = "serial";
    plan.serial_order.assign(order.begin(), order.end());
    plan.first_requests = first_;
    plan.requests.assign(group_.input().input.clients.size(), 0);
    for (const uint16_t client : order) ++plan.requests[client];
    ExecutionReport report = executor_.run(plan);
    const ExecutionRecord& record = report.record;
    if (report.diverged > 0) throw Rejected{"a request waits for one of another client", which};
    if (record.ending.kind == EndingKind::kHang) {
      throw Rejected{fmt::format("it takes more than {} scheduling points", kMostPoints), which};
    }
    if (record.ending.kind != EndingKind::kFinished) {
      throw Rejected{fmt::format("a serial execution ended in {}", ending_name(record.ending.kind)),
                     fmt::format("{}: {}", which, fmt::join(record.degraded_reasons, "; "))};
    }
    if (!record.degraded_reasons.empty()) {
      throw Rejected{"a serial execution was degraded",
                     fmt::format("{}: {}", which, fmt::join(record.degraded_reasons, "; "))};
    }
    return std::move(report.record);
  }

 private:
  void look_at_errors(const Outcome& outcome) const {
    for (size_t c = 0; c < imported_.errors.size(); ++c) {
      for (size_t r = 0; r < imported_.errors[c].size(); ++r) {
        const Output& output = outcome.outputs[c][r];
        const uint32_t logged = imported_.errors[c][r];
        if (output.error == logged) continue;
        throw Rejected{
            logged == 0 ? kRequestFails : "a request does not fail as it did in the test",
            fmt::format("{}: error {}, in the test {}; {}", request_name(c, r), output.error,
                        logged, output.message)};
      }
    }
  }

  // Equal runs a day apart; what they differ in can be no evidence.
  void look_at_time(const Outcome& logged) {
    const ExecutionRecord later = execute(log_order_, kDateShift_ns, "a day later");
    const Comparison comparison = compare(later.outcome, logged, {});
    for (const RequestComparison& request : comparison.requests) {
      if (request.equal()) continue;
      throw Rejected{"a reply differs between equal serial runs",
                     request_name(request.client, request.request)};
    }
    for (const ComponentComparison& component : comparison.components) {
      if (component.match == ComponentMatch::kEqual) continue;
      if (component.match == ComponentMatch::kUnavailable) {
        throw Rejected{"a part of the state cannot be taken",
                       fmt::format("{}: {}", component.name, component.note)};
      }
      throw Rejected{"the state differs between equal serial runs", component.name};
    }
  }

  void look_at_one_connection(const Outcome& logged) {
    if (!group_.one_connection()) return;
    const auto one = static_cast<uint16_t>(clients_);
    const ExecutionRecord record = execute(Order(log_order_.size(), one), 0, "over one connection");
    std::vector<size_t> done(clients_, 0);
    for (size_t i = 0; i < log_order_.size(); ++i) {
      const uint16_t client = log_order_[i];
      const size_t request = done[client]++;
      const RequestComparison comparison = compare_output(
          record.outcome.outputs[one][i], logged.outputs[client][request], client, request, {});
      if (comparison.equal()) continue;
      throw Rejected{"a reply depends on what its connection did before",
                     request_name(client, request)};
    }
    if (tables_differ(record.outcome, logged)) {
      throw Rejected{"the state depends on who sends the requests", ""};
    }
  }

  // ---- sensitivity

  // What the clients left; caches, logs and files follow from it, or differ with any order.
  bool is_content(const Component& component) const {
    return component.meaning == ComponentMeaning::kContent ||
           std::ranges::any_of(view_.observations, [&](const std::string& one) {
             return component.name == component_of(one);
           });
  }

  bool tables_differ(const Outcome& one, const Outcome& other) const {
    std::set<std::string> names;
    for (const Outcome* outcome : {&one, &other}) {
      for (const Component& component : outcome->state.components) {
        if (is_content(component)) names.insert(component.name);
      }
    }
    return std::ranges::any_of(names, [&](const std::string& name) {
      return !same_component(one.state, other.state, name);
    });
  }

  Sensitivity sensitivity(const Outcome& logged) {
    Sensitivity found = Sensitivity::kNone;
    for (const Order& order : {blocks(imported_.input, true), blocks(imported_.input, false)}) {
      if (order == log_order_) continue;
      std::optional<Outcome> other = outcome_of(order);
      if (!other) continue;
      const Sensitivity one = difference(logged, *other);
      // A mere existence error in one order is one of the input.
      if (one == Sensitivity::kNone) continue;
      found = found == Sensitivity::kNone ? one : std::min(found, one);
    }
    return found;
  }

  // Nothing if this order cannot be executed serially: one request waits for another client's.
  std::optional<Outcome> outcome_of(const Order& order) {
    try {
      return execute(order, 0, "in another order").outcome;
    } catch (const Rejected&) {
      return std::nullopt;
    }
  }

  Sensitivity difference(const Outcome& logged, const Outcome& other) const {
    bool replies = false;
    bool failing = false;
    bool existence = false;
    for (size_t c = 0; c < clients_; ++c) {
      for (size_t r = 0; r < logged.outputs[c].size(); ++r) {
        const Output& one = logged.outputs[c][r];
        const Output& two = other.outputs[c][r];
        replies = replies || !compare_output(two, one, c, r, {}).equal();
        failing = failing || one.error != 0 || two.error != 0;
        existence =
            existence || (one.error != two.error && (language_.only_of_existence(one.error) ||
                                                     language_.only_of_existence(two.error)));
      }
    }
    if (!replies && !tables_differ(logged, other)) return Sensitivity::kNone;
    if (existence) return Sensitivity::kExistence;
    return failing ? Sensitivity::kFailing : Sensitivity::kClean;
  }

  std::vector<std::string> changed_beside(const Outcome& before, const Outcome& after) {
    for (const std::string& observation : view_.untouchable) {
      if (!same_component(before.state, after.state, component_of(observation))) {
        throw Rejected{"it changes the server's own tables", observation};
      }
    }
    std::vector<std::string> changed;
    for (const std::string& observation : view_.observations) {
      const std::string name = component_of(observation);
      if (unknown_component(before.state, name) || unknown_component(after.state, name)) {
        throw Rejected{"what it changes beside its tables cannot be seen", observation};
      }
      if (!same_component(before.state, after.state, name)) changed.emplace_back(observation);
    }
    return changed;
  }

  Executor& executor_;
  const GroupInput& group_;
  const ImportedInput& imported_;
  const std::vector<size_t>& first_;
  size_t clients_;  // of the input; the group may have one more
  Order log_order_;
  const RequestLanguage& language_;
  ContentView view_;
};

ExecutorOptions for_trials(ExecutorOptions options) {
  options.execution_limit = kTrialLimit;
  options.control.step_limit = kMostPoints;
  return options;
}

TrialResult rejection(const std::string& reason, const std::string& detail) {
  TrialResult result;
  result.rejected = reason;
  result.detail = shortened(detail);
  return result;
}

}  // namespace

Trial::Trial(Server& server, ExecutorOptions options)
    : executor_(server, for_trials(std::move(options))) {}

std::vector<TrialResult> Trial::run(const TrialGroup& group) {
  std::vector<TrialResult> results;
  const GroupInput input(group);
  Outcome before;
  for (size_t i = 0; i < group.inputs.size(); ++i) {
    Attempt attempt(executor_, input, *group.inputs[i], i);
    try {
      if (i == 0 && input.observed()) before = attempt.execute({}, 0, "before any request").outcome;
      results.push_back(attempt.run(before));
    } catch (const Rejected& rejected) {
      results.push_back(rejection(rejected.reason, rejected.detail));
    } catch (const SetupError& error) {
      results.assign(group.inputs.size(), rejection(kSetupFails, error.what()));
      break;
    }
  }
  return results;
}

std::vector<TrialGroup> groups_for_trial(
    const std::vector<std::pair<const ImportedInput*, std::string>>& inputs_and_engines) {
  std::map<GroupKey, std::vector<TrialGroup>> groups;
  for (const auto& [input, engine] : inputs_and_engines) {
    std::vector<TrialGroup>& own = groups[key_of(*input, engine)];
    if (own.empty() || own.back().inputs.size() >= kMostOfGroup) own.push_back({{}, engine});
    own.back().inputs.push_back(input);
  }
  std::vector<TrialGroup> all;
  for (auto& [key, own] : groups) {
    for (TrialGroup& group : own) all.push_back(std::move(group));
  }
  return all;
}

}  // namespace esox
