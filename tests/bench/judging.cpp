// SPDX-License-Identifier: Apache-2.0
// What the judges of transactions take of a hunt's speed: whole transactions in serial order, who
// read what, and views of statements, each on two clients of four requests.
//
// A hunt's executions, judged and learnt from, take turns with bare ones, which nobody judges and
// whose state is looked at for tables and rows alone, on servers of their own, so that what else
// the machine does strikes both alike; before it is measured a hunt has executed its serial orders
// (docs/isolation-levels.md: which ones there are). Told are two shares: of a hunt's time what its
// executions alone take, with the same state (the rest is judging, and learning), and how fast a
// hunt is as a whole beside the bare ones, whose schedules are others.
//
// Exit status: 0 all as fast as they are to be, 1 one is slower, 3 it could not be measured.
#include <fmt/format.h>

#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "harness/commands/options.h"
#include "harness/commands/workbench.h"
#include "harness/engine/known_servers.h"
#include "harness/hunt/exploration.h"
#include "harness/hunt/pinning.h"
#include "inputs/reader.h"
#include "inputs/summary_parts.h"

namespace esox {
namespace {

constexpr uint64_t kWarmUps = 1000;
constexpr unsigned kRounds = 10;
constexpr uint64_t kExecutionsOfRound = 50;

constexpr const char* kSkew = R"yaml(
id: bench
engines: [InnoDB]
isolation_level: {}
setup:
  - CREATE TABLE t (id INT PRIMARY KEY, v INT) ENGINE=${{engine}}
  - INSERT INTO t VALUES (1,10),(2,20)
clients:
  - requests: [BEGIN, SELECT * FROM t, UPDATE t SET v=v-30 WHERE id=1, COMMIT]
  - requests: [BEGIN, SELECT * FROM t, UPDATE t SET v=v-30 WHERE id=2, COMMIT]
)yaml";
constexpr const char* kLists = R"yaml(
id: bench
engines: [InnoDB]
isolation_level: {}
setup:
  - CREATE TABLE t (id INT PRIMARY KEY, l VARCHAR(60) NOT NULL) ENGINE=${{engine}}
  - INSERT INTO t VALUES (1,'a'),(2,'b')
clients:
  - requests: [BEGIN, SELECT l FROM t, "UPDATE t SET l=CONCAT(l,',1') WHERE id=1", COMMIT]
  - requests: [BEGIN, SELECT l FROM t, "UPDATE t SET l=CONCAT(l,',2') WHERE id=2", COMMIT]
)yaml";

struct Judging {
  const char* name;
  std::string input;
  std::vector<std::string> server_options;
  double share;  // of the bare speed that it is to have
};

std::vector<Judging> all_judgings() {
  return {{"whole transactions", fmt::format(kSkew, "serializable"), {}, 0.80},
          {"who read what", fmt::format(kLists, "repeatable-read"), {}, 0.95},
          {"views of statements",
           fmt::format(kSkew, "repeatable-read"),
           {"--log-bin=binlog", "--server-id=1", "--binlog-format=ROW"},
           0.50}};
}

// One input with a server of its own.
struct Side {
  Side(const Judging& judging, const std::string& summary, const Workbench& workbench,
       const ExplorationSettings& settings)
      : executor(*workbench.server, workbench.executor) {
    std::vector<std::string> left_out;
    SearchOptions search;
    search.summary = summary;
    std::vector<Input> inputs = parse_inputs(judging.input, "bench", languages());
    inputs.front().server_options = judging.server_options;
    exploration =
        std::make_unique<Exploration>(instantiate_all(inputs, search, &left_out).front(), settings);
  }

  ServerExecutor executor;
  std::unique_ptr<Exploration> exploration;
  uint64_t number = 0;
  double seconds = 0;
  double in_executions = 0;
};

double seconds_of(const StepTimes& s) {
  return (s.set_up_ms + s.files_ms + s.fork_ms + s.run_ms + s.state_ms + s.end_ms) / 1000;
}

template <class Execute>
void measure(Side& side, uint64_t executions, const Execute& execute) {
  const auto start = std::chrono::steady_clock::now();
  for (uint64_t i = 0; i < executions; ++i) {
    side.in_executions += seconds_of(execute(++side.number).steps);
  }
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
  side.seconds += took.count();
}

struct Shares {
  double executing;
  double whole;
};

Shares shares_of(const Judging& judging, const std::string& summary, const Workbench& workbench,
                 const ExplorationSettings& settings) {
  Side judged(judging, summary, workbench, settings);
  Side bare(judging, "basic", workbench, settings);
  const auto explore = [&](uint64_t n) {
    return judged.exploration->explore(judged.executor, n).report;
  };
  const auto run = [&](uint64_t n) { return bare.executor.run(bare.exploration->plan(n)); };
  bare.exploration->prepare(bare.executor);
  measure(judged, kWarmUps, explore);
  measure(bare, kExecutionsOfRound, run);
  judged.seconds = bare.seconds = judged.in_executions = bare.in_executions = 0;
  for (unsigned round = 0; round < kRounds; ++round) {
    measure(judged, kExecutionsOfRound, explore);
    measure(bare, kExecutionsOfRound, run);
  }
  return {judged.in_executions / judged.seconds / (bare.in_executions / bare.seconds),
          bare.seconds / judged.seconds};
}

int measure_all() {
  const CorePin pin(0, 1);
  SearchOptions search;
  search.seed = "1";
  const ExplorationSettings settings = exploration_settings(search);
  CommonOptions common;
  common.isolation = "snapshot";
  common.preload = ESOX_PRELOAD;
  const Workbench workbench = make_workbench(common, "mariadb");
  bool fast = true;
  fmt::print("{:<22} {:>10} {:>7} {:>12} {:>14}\n", "judged", "executing", "wanted", "whole, basic",
             "whole, auto");
  for (const Judging& judging : all_judgings()) {
    const Shares basic = shares_of(judging, "basic", workbench, settings);
    const Shares all = shares_of(judging, "auto", workbench, settings);
    fmt::print("{:<22} {:>10.2f} {:>7.2f} {:>12.2f} {:>14.2f}\n", judging.name, basic.executing,
               judging.share, basic.whole, all.whole);
    fast = fast && basic.executing >= judging.share;
  }
  return fast ? 0 : 1;
}

}  // namespace
}  // namespace esox

int main() try { return esox::measure_all(); } catch (const std::exception& error) {
  fmt::print(stderr, "bench_judging: {}\n", error.what());
  return 3;
}
