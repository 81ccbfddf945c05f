// SPDX-License-Identifier: Apache-2.0
#include "harness/findings/reproduce/sync_points.h"

#include <fmt/format.h>

#include "analysis/linearization.h"
#include "base/process/server_error.h"
#include "harness/findings/reproduce/plan_json.h"
#include "harness/findings/reproduce/player.h"
#include "targets/registry.h"

namespace esox {
namespace {

using OrderedJson = nlohmann::ordered_json;

SyncSegment sync_segment(const HeldSegment& held) {
  using Until = SyncSegment::Until;
  const Until until = held.until == HeldSegment::Until::kPlace     ? Until::kHeld
                      : held.until == HeldSegment::Until::kBlocked ? Until::kBlocked
                                                                   : Until::kEnd;
  return {static_cast<size_t>(held.client), held.request, until, {}};
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

// For each hold, the sync points passed until then; left unknown where the build for debugging has
// no such place, or does not come there.
void count_passed(const Reproducer& reproducer, const Input& input,
                  const std::filesystem::path& debug_server, const std::string& function,
                  const std::atomic<bool>& stop, std::vector<SyncSegment>& segments) {
  if (function.empty()) return;
  OrderedJson plan = reproducer.plan;
  const OrderedJson held = segments_json(reproducer.by_names, input);
  plan["server"]["options"].push_back("--loose-debug-sync-timeout=300");
  try {
    Player player(debug_server, plan, stop);
    for (size_t i = 0; i < segments.size(); ++i) {
      if (segments[i].until != SyncSegment::Until::kHeld) continue;
      const nlohmann::json answer =
          player.ask({{"segments", held}, {"rounds", 1}, {"counted", {i, {function}}}});
      const auto& counts = answer.at("counts");
      if (counts.is_array() && !counts.empty()) segments[i].passed = counts[0].get<unsigned>();
    }
  } catch (const ServerError&) {
    return;  // all points are tried then, in the order in which they are passed
  }
}

std::vector<std::string> options_of(const Finding& finding) {
  std::vector<std::string> options = finding.input.input.server_options;
  options.insert(options.end(), finding.server.options.begin(), finding.server.options.end());
  return options;
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
  std::vector<SyncSegment> segments;
  for (const HeldSegment& held : reproducer.by_names) segments.push_back(sync_segment(held));
  count_passed(reproducer, input, debug_server, target.sync_point_function(), stop, segments);
  std::vector<size_t> counts;
  for (const InputClient& client : input.clients) counts.push_back(client.requests.size());
  const SyncTestRequest request{input,
                                reproducer.plan.value("title", ""),
                                debug_server,
                                options_of(finding),
                                std::move(segments),
                                all_orders(counts).orders,
                                sync_violation(finding.verdict),
                                parts_that_differ(finding),
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
                          : "not run by mtr: " + test.runner;
  return fmt::format(
      "finding.test, for {}, held: {}\nfails {} of {}, passes {} of {} on the serial orders; {}\n",
      test.version, test.held, test.failed.count, test.failed.rounds, test.passed.count,
      test.passed.rounds, by_runner);
}

OrderedJson sync_test_json(const SyncTest& test) {
  return {{"why_not", test.why_not},
          {"version", test.version},
          {"held", test.held},
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
