// SPDX-License-Identifier: Apache-2.0
// What esox exec achieves: executions per second of small programs, beside what it takes merely to
// start them; and what a scheduling point costs, with and without a switch to another thread.
//
// The executions are made by one worker per core. Beside the time that passes, which depends on
// what else the machine does, stands the processor time of all that was done: for esox, the program
// and its forks. A point's cost is the processor time of long runs less that of short ones, so that
// starting, forking and ending are left out.
//
// Exit status: 0 within the limits, 1 beyond one of them, 2 wrong use, 3 it could not be measured.
#include <fmt/format.h>
#include <sys/resource.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <string>
#include <thread>
#include <vector>

#include "base/process/private_directory.h"
#include "base/process/server_error.h"
#include "harness/hunt/pinning.h"
#include "harness/programs/campaign.h"
#include "harness/search/strategy_text.h"

namespace esox {
namespace {

using Clock = std::chrono::steady_clock;

constexpr double kFewestPerSecond = 2'000;  // on two cores
constexpr double kMostPerPoint_us = 2;
constexpr double kMostPerSwitch_us = 6;
constexpr long kShort = 200;
constexpr long kLong = 10'200;
constexpr uint32_t kThreads = 3;

struct Settings {
  uint64_t executions = 4'000;
  unsigned starts = 200;
  unsigned runs = 10;
};

std::atomic<bool> g_stop{false};

double seconds(const timeval& time) {
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) * 1e-6;
}

// Of us and of all processes of ours that have ended.
double cpu_seconds() {
  double sum = 0;
  for (const int who : {RUSAGE_SELF, RUSAGE_CHILDREN}) {
    rusage used{};
    getrusage(who, &used);
    sum += seconds(used.ru_utime) + seconds(used.ru_stime);
  }
  return sum;
}

ProgramTarget target_of(const std::string& program, const std::filesystem::path& folder) {
  ProgramTarget target;
  target.program = std::string(ESOX_PROGRAMS) + "/program_" + program;
  target.folder = folder;
  target.preload_library = ESOX_PRELOAD;
  target.control = program_control();
  target.control.step_limit = 100'000;
  return target;
}

// Of starting it without esox, on one core; nobody waits for what hangs.
double starts_per_second(const ProgramTarget& target, unsigned starts) {
  const CorePin pin(0, 1);
  ProcessPlan plan;
  plan.program = target.program;
  plan.folder = target.folder;
  plan.log = target.folder / "output";
  const auto begin = Clock::now();
  for (unsigned i = 0; i < starts; ++i) {
    Process process(plan);
    process.wait(std::chrono::seconds(1));
  }
  return starts / std::chrono::duration<double>(Clock::now() - begin).count();
}

bool measure_executions(const Settings& settings, const std::string& program,
                        const std::filesystem::path& folder) {
  CampaignPlan plan;
  plan.target = target_of(program, folder);
  plan.strategy = strategy_from_text("random:p=1");
  plan.strategy_text = "random:p=1";
  plan.seed = 1;
  plan.executions = settings.executions;
  plan.jobs = static_cast<unsigned>(usable_cores());
  const double cpu_before = cpu_seconds();
  const CampaignReport report = Campaign(plan, g_stop).run([](const CampaignProgress&) {});
  const double cpu = cpu_seconds() - cpu_before;
  const auto executions = static_cast<double>(report.executions);
  const double per_second = executions / report.seconds;
  const double starts = starts_per_second(plan.target, settings.starts) * plan.jobs;
  fmt::print("{:<24} {:>6.0f} {:>8.1f} {:>10.0f} {:>12.0f} {:>12.0f} {:>6.1f}x\n", program,
             static_cast<double>(report.points) / executions,
             static_cast<double>(report.switches) / executions, per_second,
             executions / cpu * plan.jobs, starts, per_second / starts);
  std::fflush(stdout);
  return executions / cpu * 2 >= kFewestPerSecond;
}

struct Run {
  double cpu_us = 0;
  double points = 0;
  double switches = 0;
};

// Means of several executions, the start of the program among them.
Run mean_run(const char* strategy, long times, unsigned runs, const std::filesystem::path& folder) {
  ProgramTarget target = target_of("points", folder);
  target.arguments = {std::to_string(times)};
  Run sum;
  const double before = cpu_seconds();
  {
    ProgramServer server(target, g_stop);
    for (unsigned i = 0; i < runs; ++i) {
      ProgramSpec spec;
      spec.strategy = strategy_from_text(strategy);
      spec.seed = i + 1;
      spec.expected_threads = kThreads;
      spec.limit = std::chrono::minutes(10);
      const ProgramEnd end = server.run(spec);
      if (end.ending != ControlEnding::kNone || end.status.code != 0 || end.degraded != 0) {
        throw ServerError("the measured program did not end well");
      }
      sum.points += static_cast<double>(end.points);
      sum.switches += static_cast<double>(end.switches);
    }
  }  // what its processes used is known once they have ended
  sum.cpu_us = (cpu_seconds() - before) * 1e6;
  return {sum.cpu_us / runs, sum.points / runs, sum.switches / runs};
}

Run difference(const char* strategy, unsigned runs, const std::filesystem::path& folder) {
  const Run few = mean_run(strategy, kShort, runs, folder);
  const Run many = mean_run(strategy, kLong, runs, folder);
  return {many.cpu_us - few.cpu_us, many.points - few.points, many.switches - few.switches};
}

bool tell_limit(const char* what, double value, double limit) {
  fmt::print("{:<44} {:>6.2f} us   {} the limit of {} us\n", what, value,
             value <= limit ? "within" : "ABOVE", limit);
  return value <= limit;
}

bool measure_points(const Settings& settings, const std::filesystem::path& folder) {
  const CorePin pin(0, 1);
  const Run still = difference("random:p=0.000000001", settings.runs, folder);
  const double per_point = still.cpu_us / still.points;
  const Run lively = difference("random:p=1", settings.runs, folder);
  const double staying = lively.points - lively.switches;
  const double per_switch = (lively.cpu_us - staying * per_point) / lively.switches;
  const bool fine = tell_limit("a point that does not switch", per_point, kMostPerPoint_us);
  return tell_limit("a point that does", per_switch, kMostPerSwitch_us) && fine;
}

int measure(const Settings& settings) {
  const PrivateDirectory folder(temporary_base());
  fmt::print("{} jobs, {} executions each, strategy random:p=1\n", usable_cores(),
             settings.executions);
  fmt::print("{:<24} {:>6} {:>8} {:>10} {:>12} {:>12} {:>7}\n", "program", "points", "switches",
             "per s", "by cpu time", "mere starts", "");
  bool fine = true;
  for (const char* program : {"check_then_act", "two_stage_update", "string_append", "late_check",
                              "class_lock_deadlock", "reordered_setters"}) {
    fine &= measure_executions(settings, program, folder.path());
  }
  fmt::print("{} the limit of {} per s on two cores, by processor time\n\n",
             fine ? "within" : "BELOW", kFewestPerSecond);
  return measure_points(settings, folder.path()) && fine ? 0 : 1;
}

}  // namespace
}  // namespace esox

int main(int argc, char** argv) try {
  esox::Settings settings;
  CLI::App app("what esox exec achieves");
  app.add_option("--executions", settings.executions, "of each program")
      ->check(CLI::Range(100, 10'000'000))
      ->capture_default_str();
  app.add_option("--starts", settings.starts, "of each program, without esox")
      ->check(CLI::Range(1, 1'000'000))
      ->capture_default_str();
  app.add_option("--runs", settings.runs, "of the program whose points are measured")
      ->check(CLI::Range(1, 10'000))
      ->capture_default_str();
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : 2;
  }
  return esox::measure(settings);
} catch (const std::exception& error) {
  fmt::print(stderr, "bench_exec: {}\n", error.what());
  return 3;
}
