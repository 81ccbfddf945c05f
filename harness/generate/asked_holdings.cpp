// SPDX-License-Identifier: Apache-2.0
#include "harness/generate/asked_holdings.h"

#include <string>
#include <vector>

#include "base/process/server_error.h"
#include "harness/generate/mutant_runs.h"
#include "targets/registry.h"

namespace esox {

std::optional<Holdings> asked_holdings(Executor& executor, const Input& setup, std::string* why) {
  const auto nothing = [&](const std::string& reason) -> std::optional<Holdings> {
    if (why != nullptr) *why = reason;
    return std::nullopt;
  };
  const Target& target = target_named(setup.server());
  ConcreteInput asking{setup, "", ""};
  asking.input.id = asking.input.origin = "setup";
  asking.input.clients = {{"A", {}, {}}};
  for (const std::string& question : target.holdings_questions()) {
    asking.input.clients[0].requests.push_back({question, false});
  }
  std::vector<Output> replies;
  try {
    // Without questions too: whether the setup works is to be known before anything is made for it.
    const ExecutionReport report = MutantRuns(executor, asking, 0).forward();
    if (!is_sound(report)) return nothing("the server does not say what it holds");
    replies = report.record.outcome.outputs[0];
  } catch (const SetupError& error) {
    return nothing(error.what());
  } catch (const ServerError& error) {
    if (setup.server_options.empty()) throw;
    return nothing(error.what());
  }
  return target.holdings_of(replies);
}

}  // namespace esox
