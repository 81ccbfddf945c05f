// SPDX-License-Identifier: Apache-2.0
// What the state summary of MariaDB takes: its time with three small tables, and its share of an
// execution's time, whole and with parts left out.
//
// The variants take turns, so that what else the machine does strikes all alike; shown are medians.
// A turn is as many executions in a row as a hunt makes of one input: one at a time, each would
// find the processor's caches full of the other variants' servers, which happens in no hunt. One
// execution is that of a hunt: a fork of the server that was set up, two clients under control, the
// summary, the end.
//
// `auto` is what a hunt does by default, `basic` what cannot be switched off, the others basic and
// one part more (inputs/summary_parts.h).
//
// Exit status: 0 auto within the limits, 1 above one, 3 it could not be measured.
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "harness/commands/options.h"
#include "harness/commands/workbench.h"
#include "harness/hunt/exploration.h"
#include "harness/hunt/pinning.h"
#include "harness/hunt/plan.h"
#include "inputs/reader.h"
#include "inputs/summary_parts.h"

namespace esox {
namespace {

constexpr double kLimit_ms = 1.0;
constexpr double kLimitShare = 0.25;
constexpr unsigned kWarmUps = 5;
constexpr unsigned kRounds = 8;
constexpr uint64_t kExecutionsOfRound = 25;

constexpr const char* kInput = R"yaml(
id: bench
engines: [Aria]
setup:
  - CREATE TABLE t1 (a INT, b VARCHAR(20), KEY k (b)) ENGINE=${engine}
  - INSERT INTO t1 VALUES (1,'one'),(2,'two'),(3,'three')
  - CREATE TABLE t2 (a INT PRIMARY KEY AUTO_INCREMENT, b INT, KEY k (b)) ENGINE=InnoDB
  - INSERT INTO t2 (b) VALUES (1),(2),(3)
  - CREATE TABLE t3 (a INT, UNIQUE KEY k (a)) ENGINE=MyISAM
  - INSERT INTO t3 VALUES (1),(2),(3)
clients:
  - {name: A, requests: [SELECT a FROM t1]}
  - {name: B, requests: ["INSERT INTO t1 VALUES (10,'x'),(11,'y'),(12,'z')"]}
)yaml";

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values.empty() ? 0 : values[values.size() / 2];
}

struct Variant {
  std::string name;
  std::unique_ptr<Executor> executor;
  std::unique_ptr<Exploration> exploration;
  std::vector<double> state_ms;
  std::vector<double> share;
  size_t components = 0;
};

void execute(Variant& variant, uint64_t number, bool counted) {
  const ExecutionReport report = variant.executor->run(variant.exploration->plan(number));
  const StepTimes& steps = report.steps;
  const double all = steps.files_ms + steps.fork_ms + steps.run_ms + steps.state_ms + steps.end_ms;
  variant.components = report.record.outcome.state.components.size();
  if (!counted) return;
  variant.state_ms.push_back(steps.state_ms);
  variant.share.push_back(steps.state_ms / all);
}

// The first one is the whole, which the limits are for.
std::vector<Variant> make_variants(const Workbench& workbench,
                                   const ExplorationSettings& settings) {
  std::vector<std::string> left_out;
  std::vector<std::string> summaries = {"auto", "basic"};
  summaries.insert(summaries.end(), kSummaryParts.begin(), kSummaryParts.end());
  std::vector<Variant> variants;
  for (const std::string& summary : summaries) {
    SearchOptions search;
    search.summary = summary;
    const ConcreteInput input =
        instantiate_all(parse_inputs(kInput, "bench"), search, &left_out).front();
    Variant variant;
    variant.name = summary;
    variant.executor = std::make_unique<Executor>(*workbench.server, workbench.executor);
    variant.exploration = std::make_unique<Exploration>(input, settings);
    variants.push_back(std::move(variant));
  }
  return variants;
}

int report(const std::vector<Variant>& variants) {
  fmt::print("{:<12} {:>10} {:>11} {:>12}   three tables of three engines, {} executions each\n",
             "summary", "components", "median ms", "share", variants[0].state_ms.size());
  for (const Variant& variant : variants) {
    fmt::print("{:<12} {:>10} {:>11.3f} {:>10.1f} %\n", variant.name, variant.components,
               median(variant.state_ms), 100 * median(variant.share));
  }
  const bool within =
      median(variants[0].state_ms) < kLimit_ms && median(variants[0].share) < kLimitShare;
  fmt::print("{} the limits of {} ms and {:.0f} % of an execution\n", within ? "within" : "ABOVE",
             kLimit_ms, 100 * kLimitShare);
  return within ? 0 : 1;
}

int measure(unsigned rounds) {
  const CorePin pin(0, 1);
  SearchOptions search;
  search.seed = "1";
  const ExplorationSettings settings = exploration_settings(search);
  CommonOptions common;
  common.isolation = "snapshot";
  common.preload = ESOX_PRELOAD;
  const Workbench workbench = make_workbench(common, kMariadb);
  std::vector<Variant> variants = make_variants(workbench, settings);
  for (Variant& variant : variants) {
    variant.exploration->prepare(*variant.executor);
    for (unsigned i = 1; i <= kWarmUps; ++i) execute(variant, i, false);
  }
  for (unsigned round = 1; round <= rounds; ++round) {
    for (Variant& variant : variants) {
      for (uint64_t i = 0; i < kExecutionsOfRound; ++i) {
        execute(variant, kWarmUps + round * kExecutionsOfRound + i, true);
      }
    }
  }
  return report(variants);
}

}  // namespace
}  // namespace esox

int main() try { return esox::measure(esox::kRounds); } catch (const std::exception& error) {
  fmt::print(stderr, "bench_summary: {}\n", error.what());
  return 3;
}
