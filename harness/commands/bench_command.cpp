// SPDX-License-Identifier: Apache-2.0
// esox bench executions: how many executions this machine makes per second, by each isolation, and
// where the time goes.
#include <fmt/format.h>

#include <array>
#include <atomic>
#include <chrono>
#include <exception>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include "harness/commands/command.h"
#include "harness/commands/options.h"
#include "harness/commands/output.h"
#include "harness/commands/stop_signals.h"
#include "harness/commands/workbench.h"
#include "harness/hunt/pinning.h"
#include "harness/records/json_text.h"
#include "targets/registry.h"

namespace esox {
namespace {

using Clock = std::chrono::steady_clock;

constexpr const char* kBenchExamples = R"(
Examples:
  esox bench executions                     both isolations, each engine, five seconds each
  esox bench executions memcached
  esox bench executions --seconds 2 --jobs 1 --engine InnoDB

An execution is whole: two clients with one request each under control, replies, state summary.

Exit status: 0 measured, 2 wrong use, or no server, 3 esox itself failed.)";

constexpr unsigned kInputChanges = 10;

struct BenchOptions {
  std::string target;  // empty: the one whose program --server names
  CommonOptions common;
  SearchOptions search;
  double seconds = 5;
  unsigned jobs = 0;
};

struct Measured {
  std::string engine;
  Isolation isolation = Isolation::kAuto;
  uint64_t executions = 0;
  uint64_t degraded = 0;
  uint64_t rewound = 0;
  double per_second = 0;
  StepTimes steps;          // means, boot and setup left out
  double new_input_ms = 0;  // snapshot: mean time to go on to another input, its setup included
};

constexpr std::array kSteps = {std::pair{"files_ms", &StepTimes::files_ms},
                               std::pair{"fork_ms", &StepTimes::fork_ms},
                               std::pair{"descriptors_ms", &StepTimes::descriptors_ms},
                               std::pair{"threads_ms", &StepTimes::threads_ms},
                               std::pair{"run_ms", &StepTimes::run_ms},
                               std::pair{"state_ms", &StepTimes::state_ms},
                               std::pair{"end_ms", &StepTimes::end_ms}};

void add(StepTimes& sum, const StepTimes& one) {
  for (const auto& [name, step] : kSteps) sum.*step += one.*step;
}

// One input on one engine by one isolation, by all jobs at once.
class Bench {
 public:
  Bench(const Workbench& bench, const BenchOptions& options, const ExplorationSettings& settings)
      : bench_(bench), options_(options), settings_(settings) {}

  Measured run(const ConcreteInput& input, Isolation isolation) {
    measured_ = Measured{};
    measured_.engine = input.engine;
    measured_.isolation = isolation;
    ready_ = 0;
    failure_ = nullptr;
    std::vector<std::thread> workers;
    for (unsigned i = 0; i < options_.jobs; ++i) {
      workers.emplace_back([&, i] { work(input, isolation, i); });
    }
    for (std::thread& worker : workers) worker.join();
    if (failure_) std::rethrow_exception(failure_);
    for (const auto& [name, step] : kSteps) {
      measured_.steps.*step /= static_cast<double>(measured_.executions);
    }
    return measured_;
  }

 private:
  void work(const ConcreteInput& input, Isolation isolation, unsigned worker) {
    try {
      const CorePin pin(worker, options_.jobs);
      ExecutorOptions options = bench_.executor;
      options.isolation = isolation;
      ServerExecutor executor(*bench_.server, options);
      Exploration exploration(input, settings_);
      exploration.prepare(executor);  // boot, setup, lengths: not part of the measure
      ++ready_;
      while (ready_.load() < options_.jobs) std::this_thread::yield();
      measure(executor, exploration, worker);
    } catch (...) {
      const std::lock_guard lock(mutex_);
      failure_ = std::current_exception();
      ready_ = options_.jobs;
    }
  }

  void measure(Executor& executor, Exploration& exploration, unsigned worker) {
    uint64_t executions = 0;
    uint64_t degraded = 0;
    uint64_t rewound = 0;
    StepTimes sum;
    const auto start = Clock::now();
    double seconds = 0;
    do {
      const uint64_t number = 1 + executions * options_.jobs + worker;
      const ExecutionReport report = executor.run(exploration.plan(number));
      degraded += report.record.ending.kind == EndingKind::kFinished ? 0 : 1;
      rewound += report.steps.rewound ? 1 : 0;
      add(sum, report.steps);
      ++executions;
      seconds = std::chrono::duration<double>(Clock::now() - start).count();
    } while (seconds < options_.seconds);
    const double new_input_ms = change_inputs(executor, exploration);
    const std::lock_guard lock(mutex_);
    measured_.new_input_ms += new_input_ms / options_.jobs;
    measured_.executions += executions;
    measured_.degraded += degraded;
    measured_.rewound += rewound;
    measured_.per_second += static_cast<double>(executions) / seconds;
    add(measured_.steps, sum);
  }

  // To and fro between two inputs that differ in name only.
  static double change_inputs(Executor& executor, const Exploration& exploration) {
    ConcreteInput other = exploration.input();
    other.input.id += "-again";
    double sum_ms = 0;
    for (unsigned i = 0; i < kInputChanges; ++i) {
      ExecutionPlan plan = exploration.plan(1);
      if (i % 2 == 0) plan.input = &other;
      sum_ms += executor.run(plan).steps.set_up_ms;
    }
    executor.run(exploration.plan(1));  // back: `other` goes
    return sum_ms / kInputChanges;
  }

  const Workbench& bench_;
  const BenchOptions& options_;
  const ExplorationSettings& settings_;
  std::atomic<unsigned> ready_{0};
  std::mutex mutex_;  // guards what follows
  Measured measured_;
  std::exception_ptr failure_;
};

std::string line_of(const Measured& m, double restart_per_second) {
  std::string text =
      fmt::format("{:<8} {:<9} {:>9.1f} ", m.engine, isolation_name(m.isolation), m.per_second);
  text += m.isolation == Isolation::kRestart || restart_per_second == 0
              ? fmt::format("{:>6} ", "")
              : fmt::format("{:>5.1f}x ", m.per_second / restart_per_second);
  const StepTimes& s = m.steps;
  text += fmt::format("{:>7.3f} {:>7.3f} {:>11.3f} {:>7.3f} {:>7.3f} {:>7.3f} {:>7.3f}", s.files_ms,
                      s.fork_ms, s.descriptors_ms, s.threads_ms, s.run_ms, s.state_ms, s.end_ms);
  if (m.isolation == Isolation::kSnapshot) {
    const double rewound = static_cast<double>(m.rewound) / static_cast<double>(m.executions);
    text += fmt::format(" {:>9.1f} {:>6.1f}%", m.new_input_ms, rewound * 100);
  }
  return text + "\n";
}

OrderedJson json_of(const Measured& m) {
  OrderedJson json = {{"engine", m.engine},         {"isolation", isolation_name(m.isolation)},
                      {"executions", m.executions}, {"not_finished", m.degraded},
                      {"rewound", m.rewound},       {"per_second", m.per_second}};
  for (const auto& [name, step] : kSteps) json[name] = m.steps.*step;
  json["new_input_ms"] = m.new_input_ms;
  return json;
}

int bench_executions(BenchOptions options) {
  const StopSignals signals;
  const ExplorationSettings settings = exploration_settings(options.search);
  if (settings.search) {
    throw UsageError(
        fmt::format("--strategy {}: a bench makes the same executions again and again; "
                    "give one that draws them, as pct:d=3",
                    settings.strategy_text));
  }
  const Target& target = target_wanted(options.target, options.common.server);
  std::vector<std::string> left_out;
  const std::vector<ConcreteInput> inputs =
      instantiate_all({trial_input(target)}, options.search, &left_out);
  Workbench workbench = make_workbench(options.common, target.name());
  workbench.executor.contexts = settings.background != Background::kOff;
  if (options.jobs == 0) options.jobs = static_cast<unsigned>(usable_cores());
  OrderedJson json = {{"version", kEsoxVersion},
                      {"server", workbench.description.version},
                      {"jobs", options.jobs},
                      {"measured", OrderedJson::array()}};
  if (!options.common.json.on_stdout()) {
    put(fmt::format(
        "{} on {}, {} pinned jobs, {} s each; means of the steps in ms (boot and setup "
        "left out)\n\n",
        "esox " + kEsoxVersion, workbench.description.version, options.jobs, options.seconds));
    put(fmt::format(
        "{:<8} {:<9} {:>9} {:>6} {:>7} {:>7} {:>11} {:>7} {:>7} {:>7} {:>7} {:>9} {:>7}\n",
        "engine", "isolation", "per s", "", "files", "fork", "descriptors", "threads", "run",
        "state", "end", "new input", "rewound"));
  }
  for (const ConcreteInput& input : inputs) {
    double restart_per_second = 0;
    for (const Isolation isolation : {Isolation::kRestart, Isolation::kSnapshot}) {
      const Measured measured = Bench(workbench, options, settings).run(input, isolation);
      if (isolation == Isolation::kRestart) restart_per_second = measured.per_second;
      json["measured"].push_back(json_of(measured));
      if (!options.common.json.on_stdout()) put(line_of(measured, restart_per_second));
    }
  }
  put_json(options.common.json, json_text(json));
  return kNothingFound;
}

}  // namespace

void add_bench_command(Command& app, Chosen& chosen) {
  Command* bench = app.add_subcommand("bench", "what this machine achieves");
  bench->require_subcommand(1, 1);
  const auto [command, options] = define<BenchOptions>(
      *bench, chosen,
      {"executions", "executions per second, by snapshot and by restart, and where the time goes",
       kBenchExamples},
      bench_executions);
  command.add_option("SERVER", options.target,
                     "which server: " + target_names() + " (default: as --server's program)");
  add_common_options(command, options.common);
  add_search_options(command, options.search);
  add_data_choices_option(command, options.common, "timer");
  add_background_option(command, options.search);
  command.add_defaulted("--seconds", options.seconds, "how long each measure takes",
                        within(0.1, 3600.0));
  command.add_option("--jobs", options.jobs, "servers at once (default: one per core)")
      ->check(within(1u, 256u));
}

}  // namespace esox
