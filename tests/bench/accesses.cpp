// SPDX-License-Identifier: Apache-2.0
// What a memory access costs in a program built with -fsanitize=thread and linked with
// libesox_tsan_rt: where nobody listens, where it is not offered, and where it is.
//
// The same loop of writes, instrumented and not, the best of several runs of each. Exit status: 0
// within the limit, 1 beyond it, 2 wrong use, 3 it could not be measured.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <fstream>
#include <sstream>
#include <string>

#include "base/process/private_directory.h"
#include "base/process/server_error.h"
#include "harness/programs/program_server.h"
#include "preload/strategy/registry.h"

namespace esox {
namespace {

constexpr double kMostUnoffered_ns = 5;
constexpr long kUnoffered = 5'000'000;  // writes
constexpr long kOffered = 50'000;       // fewer than the trace holds
constexpr std::chrono::minutes kLimit{2};

struct Cost {
  double told_ns = 1e9;
  double untold_ns = 1e9;

  void improve(const std::string& output) {
    double told = 0;
    double untold = 0;
    if (!(std::istringstream(output) >> told >> untold)) {
      throw ServerError("the program said: " + output);
    }
    told_ns = std::min(told_ns, told);
    untold_ns = std::min(untold_ns, untold);
  }
};

class Bench {
 public:
  explicit Bench(unsigned runs) : runs_(runs), folder_(temporary_base()) {}

  Cost alone() {
    ProcessPlan plan;
    plan.program = ESOX_ACCESS_PROGRAM;
    plan.arguments = {std::to_string(kUnoffered), "shared"};
    plan.folder = folder_.path();
    plan.log = folder_.path() / "output";
    Cost cost;
    for (unsigned i = 0; i < runs_; ++i) {
      Process process(plan);
      if (!process.wait(kLimit)) throw ServerError("the program did not end");
      std::ifstream file(plan.log);
      cost.improve({std::istreambuf_iterator<char>(file), {}});
    }
    return cost;
  }

  Cost controlled(AccessLevel level, long writes, const char* where) {
    ProgramTarget target;
    target.program = ESOX_ACCESS_PROGRAM;
    target.arguments = {std::to_string(writes), where};
    target.folder = folder_.path();
    target.preload_library = ESOX_PRELOAD;
    target.control = program_control();
    target.accesses.level = level;
    ProgramServer server(target, stop_);
    ProgramSpec spec;
    spec.strategy.kind = StrategyKind::kPct;
    spec.strategy.depth = 1;  // no switch but where one is due
    spec.limit = kLimit;
    Cost cost;
    for (unsigned i = 0; i < runs_; ++i) {
      spec.seed = i + 1;
      const ProgramEnd end = server.run(spec);
      if (end.status.signal != 0 || end.degraded != 0) throw ServerError("control was lost");
      cost.improve(server.output());
    }
    return cost;
  }

 private:
  unsigned runs_;
  PrivateDirectory folder_;
  const std::atomic<bool> stop_{false};
};

double print(const char* what, const Cost& cost) {
  const double added_ns = cost.told_ns - cost.untold_ns;
  fmt::print("{:<42} {:>8.1f} ns, of which instrumentation {:>8.1f} ns\n", what, cost.told_ns,
             added_ns);
  std::fflush(stdout);
  return added_ns;
}

int measure(unsigned runs) {
  Bench bench(runs);
  double most_ns = print("esox is not there", bench.alone());
  most_ns = std::max(most_ns, print("level atomics, a plain write",
                                    bench.controlled(AccessLevel::kAtomics, kUnoffered, "shared")));
  most_ns =
      std::max(most_ns, print("level conflicting, its site not listed",
                              bench.controlled(AccessLevel::kConflicting, kUnoffered, "shared")));
  print("level all, to the thread's own stack",
        bench.controlled(AccessLevel::kAll, kUnoffered, "stack"));
  print("level all, offered, the thread goes on",
        bench.controlled(AccessLevel::kAll, kOffered, "shared"));
  const bool within = most_ns < kMostUnoffered_ns;
  fmt::print("not offered: {} the limit of {} ns\n", within ? "within" : "ABOVE",
             kMostUnoffered_ns);
  return within ? 0 : 1;
}

}  // namespace
}  // namespace esox

int main(int argc, char** argv) try {
  unsigned runs = 9;
  CLI::App app("what a memory access costs that esox may schedule");
  app.add_option("--runs", runs, "of each, of which the best counts")
      ->check(CLI::Range(1, 1000))
      ->capture_default_str();
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : 2;
  }
  return esox::measure(runs);
} catch (const std::exception& error) {
  fmt::print(stderr, "bench_accesses: {}\n", error.what());
  return 3;
}
