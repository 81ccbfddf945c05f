// SPDX-License-Identifier: Apache-2.0
// What the state summary of MariaDB takes: its time with three small tables, and its share of an
// execution's time, whole and with parts left out.
//
// The variants take turns, so that what else the machine does strikes all alike; shown are medians.
// A turn is as many executions in a row as a hunt makes of one input: one at a time, each would
// find the processor's caches full of the other variants' servers, which happens in no hunt. One
// execution is that of a hunt: planned, a rewound server that was set up, two clients under
// control, the summary, the end, judged and learnt from.
//
// `auto` is what a hunt does by default, `basic` what cannot be switched off, the others basic and
// one part more (inputs/summary_parts.h). The requests are of all three tables, or of one: of the
// other two `auto` then reads definitions and rows (targets/sql/touched_tables.h).
//
// Exit status: 0 auto within the limits, 1 above one, 3 it could not be measured.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "harness/commands/options.h"
#include "harness/commands/workbench.h"
#include "harness/engine/known_servers.h"
#include "harness/hunt/exploration.h"
#include "harness/hunt/pinning.h"
#include "harness/search/plan.h"
#include "inputs/reader.h"
#include "inputs/summary_parts.h"
#include "targets/mariadb/language.h"

namespace esox {
namespace {

constexpr double kLimit_ms = 1.0;
constexpr double kLimitShare = 0.25;
constexpr unsigned kWarmUps = 5;
constexpr unsigned kRounds = 8;
constexpr uint64_t kExecutionsOfRound = 25;

constexpr const char* kSetup = R"yaml(
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
)yaml";
constexpr const char* kOneTable = R"yaml(
  - {name: A, requests: [SELECT a FROM t1]}
  - {name: B, requests: ["INSERT INTO t1 VALUES (10,'x'),(11,'y'),(12,'z')"]}
)yaml";
constexpr const char* kThreeTables = R"yaml(
  - {name: A, requests: [SELECT a FROM t1, UPDATE t2 SET b = 5 WHERE a = 1]}
  - name: B
    requests: ["INSERT INTO t1 VALUES (10,'x'),(11,'y'),(12,'z')", DELETE FROM t3 WHERE a = 1]
)yaml";

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values.empty() ? 0 : values[values.size() / 2];
}

struct Variant {
  std::string summary;
  const char* clients;
  bool limited;  // it must be within the limits
  std::unique_ptr<ServerExecutor> executor;
  std::unique_ptr<Exploration> exploration;
  std::vector<double> state_ms;
  std::vector<double> share;
  size_t components = 0;
};

void execute(Variant& variant, uint64_t number, bool counted) {
  const auto start = std::chrono::steady_clock::now();
  const ExecutionReport report = variant.exploration->explore(*variant.executor, number).report;
  const std::chrono::duration<double, std::milli> took = std::chrono::steady_clock::now() - start;
  variant.components = report.record.outcome.state.components.size();
  if (!counted) return;
  variant.state_ms.push_back(report.steps.state_ms);
  variant.share.push_back(report.steps.state_ms / took.count());
}

Variant make_variant(const std::string& summary, const char* clients, const Workbench& workbench,
                     const ExplorationSettings& settings) {
  std::vector<std::string> left_out;
  SearchOptions search;
  search.summary = summary;
  const ConcreteInput input =
      instantiate_all(parse_inputs(std::string(kSetup) + clients, "bench", languages()), search,
                      &left_out)
          .front();
  Variant variant{summary, clients, summary == "auto"};
  variant.executor = std::make_unique<ServerExecutor>(*workbench.server, workbench.executor);
  variant.exploration = std::make_unique<Exploration>(input, settings);
  return variant;
}

std::vector<Variant> make_variants(const Workbench& workbench,
                                   const ExplorationSettings& settings) {
  std::vector<Variant> variants;
  variants.push_back(make_variant("auto", kOneTable, workbench, settings));
  std::vector<std::string> summaries = {"auto", "basic"};
  const auto parts = mariadb_language().summary_parts();
  summaries.insert(summaries.end(), parts.begin(), parts.end());
  for (const std::string& summary : summaries) {
    variants.push_back(make_variant(summary, kThreeTables, workbench, settings));
  }
  return variants;
}

bool within_limits(const Variant& variant) {
  return median(variant.state_ms) < kLimit_ms && median(variant.share) < kLimitShare;
}

int report(const std::vector<Variant>& variants) {
  fmt::print(
      "{:<12} {:<9} {:>10} {:>11} {:>12}   three tables of three engines, {} executions each\n",
      "summary", "requests", "components", "median ms", "share", variants[0].state_ms.size());
  bool within = true;
  for (const Variant& variant : variants) {
    fmt::print("{:<12} {:<9} {:>10} {:>11.3f} {:>10.1f} %\n", variant.summary,
               variant.clients == kOneTable ? "of one" : "of three", variant.components,
               median(variant.state_ms), 100 * median(variant.share));
    within = within && (!variant.limited || within_limits(variant));
  }
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
  const Workbench workbench = make_workbench(common, "mariadb");
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
