// SPDX-License-Identifier: Apache-2.0
#include "harness/findings/reproduce/sync_points.h"

#include <fmt/format.h>

#include <algorithm>

#include "analysis/linearization.h"
#include "base/process/server_error.h"
#include "harness/findings/reproduce/plan_json.h"
#include "harness/findings/reproduce/player.h"
#include "inputs/signals.h"
#include "targets/registry.h"

namespace esox {
namespace {

using OrderedJson = nlohmann::ordered_json;

constexpr unsigned kRoundsThere = 5;
constexpr size_t kMostFunctions = 4;  // around a place, into which lines may be added

// That of its place, and those around it.
std::vector<std::string> functions_around(const HeldSegment& held,
                                          const StackFunctions& functions) {
  std::vector<std::string> around;
  if (held.place && !held.place->function.empty()) around.push_back(held.place->function);
  const auto stack = functions.find(held.point);
  if (stack == functions.end()) return around;
  auto outer = std::find(stack->second.begin(), stack->second.end(),
                         around.empty() ? std::string() : around.front());
  if (outer == stack->second.end()) outer = stack->second.begin();
  for (; outer != stack->second.end() && around.size() < kMostFunctions; ++outer) {
    if (around.empty() || *outer != around.front()) around.push_back(*outer);
  }
  return around;
}

SyncSegment sync_segment(const HeldSegment& held, const StackFunctions& functions) {
  using Until = SyncSegment::Until;
  const Until until = held.until == HeldSegment::Until::kPlace     ? Until::kHeld
                      : held.until == HeldSegment::Until::kBlocked ? Until::kBlocked
                                                                   : Until::kEnd;
  return {static_cast<size_t>(held.client), held.request, until, functions_around(held, functions)};
}

SyncViolation sync_violation(VerdictClass verdict) {
  switch (verdict) {
    case VerdictClass::kDeadlock:
    case VerdictClass::kHang:
      return SyncViolation::kStandstill;
    case VerdictClass::kCrash:
      return SyncViolation::kCrash;
    default:
      return SyncViolation::kOutcome;
  }
}

// Left unknown where the build for debugging has no such place, or does not come there.
PassedPoints passed_points(const Reproducer& reproducer, const Input& input,
                           const std::string& function, const std::atomic<bool>& stop) {
  return [&, function](const std::filesystem::path& debug_server) {
    std::vector<std::optional<unsigned>> passed(reproducer.by_names.size());
    if (function.empty()) return passed;
    OrderedJson plan = reproducer.plan;
    const OrderedJson held = segments_json(reproducer.by_names, input);
    plan["server"]["options"].push_back("--loose-debug-sync-timeout=300");
    try {
      Player player(debug_server, plan, stop);
      for (size_t i = 0; i < passed.size(); ++i) {
        if (!reproducer.by_names[i].place) continue;
        const nlohmann::json answer =
            player.ask({{"segments", held}, {"rounds", 1}, {"counted", {i, {function}}}});
        const auto& counts = answer.at("counts");
        if (counts.is_array() && !counts.empty()) passed[i] = counts[0].get<unsigned>();
      }
    } catch (const ServerError&) {
      // All points are tried then, in the order in which they are passed.
    }
    return passed;
  };
}

// On this build, where the reproducer's own places have names; empty: it may come there.
std::string why_it_does_not_come(const Reproducer& reproducer, const Input& input,
                                 const std::filesystem::path& debug_server,
                                 const std::atomic<bool>& stop) {
  if (!reproducer.measured.by_name) return {};
  Player player(debug_server, reproducer.plan, stop);
  const nlohmann::json answer = player.ask({{"segments", segments_json(reproducer.by_names, input)},
                                            {"rounds", kRoundsThere},
                                            {"all_must", false}});
  if (answer.at("what").value("held", 0u) < kRoundsThere) return {};
  return fmt::format("on this build it does not come: held where reproduce.py holds, 0 of {}",
                     kRoundsThere);
}

std::vector<std::string> options_of(const Finding& finding) {
  std::vector<std::string> options = finding.input.input.server_options;
  options.insert(options.end(), finding.server.options.begin(), finding.server.options.end());
  return options;
}

// Where an isolation level is broken, those of whole transactions.
std::vector<std::vector<uint16_t>> serial_orders(const Finding& finding) {
  const auto& clients = finding.input.input.clients;
  std::vector<size_t> counts(clients.size(), 1);
  if (finding.anomaly.empty()) {
    for (size_t i = 0; i < clients.size(); ++i) counts[i] = clients[i].requests.size();
    return all_orders(counts).orders;
  }
  std::vector<std::vector<uint16_t>> orders;
  for (const auto& order : all_orders(counts).orders) {
    orders.emplace_back();
    for (const uint16_t client : order) {
      orders.back().insert(orders.back().end(), clients[client].requests.size(), client);
    }
  }
  return orders;
}

// It needs a line in the source.
bool is_patched(const SyncTest& test) {
  return test.files.contains("finding.patch");
}

OrderedJson tally_json(const SyncTally& tally) {
  return {{"count", tally.count}, {"rounds", tally.rounds}};
}

}  // namespace

SyncTest sync_point_test(const Reproducer& reproducer, const Finding& finding,
                         const std::filesystem::path& debug_server,
                         std::chrono::milliseconds budget, const std::atomic<bool>& stop) {
  const Input& input = finding.input.input;
  const Target& target = target_named(input.server());
  const bool holds_own =
      std::any_of(reproducer.by_names.begin(), reproducer.by_names.end(),
                  [&](const HeldSegment& held) { return held.client >= input.clients.size(); });
  SyncTest none;
  if (signalling_client(input.clients)) {
    none.why_not = "it needs a signal to the server, which no session sends";
  } else if (holds_own) {
    none.why_not = "a thread of the server's own is held, for which no session speaks";
  } else {
    none.why_not = why_it_does_not_come(reproducer, input, debug_server, stop);
  }
  if (!none.why_not.empty()) return none;
  std::vector<SyncSegment> segments;
  for (const HeldSegment& held : reproducer.by_names) {
    segments.push_back(sync_segment(held, reproducer.functions));
  }
  const SyncTestRequest request{
      input,
      reproducer.plan.value("title", ""),
      debug_server,
      options_of(finding),
      std::move(segments),
      passed_points(reproducer, input, target.sync_point_function(), stop),
      serial_orders(finding),
      sync_violation(finding.verdict),
      reproducer.plan.at("compared"),
      errors_seen(finding),
      budget,
      stop};
  return target.sync_test(request);
}

std::string sync_test_line(const SyncTest& test) {
  if (!test.why_not.empty()) return "No test with sync points: " + test.why_not + ".\n";
  const std::string by_runner =
      test.runner.empty() ? fmt::format("by mtr {} of {}, {} of {}", test.failed_by_runner.count,
                                        test.failed_by_runner.rounds, test.passed_by_runner.count,
                                        test.passed_by_runner.rounds)
                          : "no verdict by mtr: " + test.runner;
  return fmt::format(
      "finding.test, for {}{}, held: {}{}\nfails {} of {}, passes {} of {} on the serial orders; "
      "{}\n",
      test.version, is_patched(test) ? " with finding.patch" : "", test.held,
      test.condition.empty() ? "" : "\nlooks at: " + test.condition, test.failed.count,
      test.failed.rounds, test.passed.count, test.passed.rounds, by_runner);
}

OrderedJson sync_test_json(const SyncTest& test) {
  return {{"why_not", test.why_not},
          {"version", test.version},
          {"held", test.held},
          {"patched", is_patched(test)},
          {"condition", test.condition},
          {"failed", tally_json(test.failed)},
          {"passed", tally_json(test.passed)},
          {"failed_by_runner", tally_json(test.failed_by_runner)},
          {"passed_by_runner", tally_json(test.passed_by_runner)},
          {"runner", test.runner},
          {"trials", test.trials},
          {"points", test.points},
          {"seconds", test.seconds}};
}

}  // namespace esox
