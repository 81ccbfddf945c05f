// SPDX-License-Identifier: Apache-2.0
// Same seed, same trace: every execution is made twice, and the two are compared, event by event
// and value by value.
//
//   soak_determinism [EXECUTIONS-PER-INPUT-AND-ENGINE] [JOBS] [ISOLATION] [PART-OF-A-NAME] [SERVER]
//                    [INPUTS]
//
// The isolation is `snapshot` (the default) or `restart` for both executions of a pair; or `both`:
// the first by snapshot, the second by restart; or `servers`: both by snapshot, of two servers.
// With a part of a name only what contains it is run, e.g. "InnoDB" or "03a"; "" is part of all.
// SERVER as for --server of the esox command; without it this machine's MariaDB. An input whose
// setup it does not understand is named and left out. With INPUTS, a file or folder, these are run,
// and the server's own threads are scheduled beside the clients' (--background on).
//
// Outcomes of executions that nobody judges (degraded) are not compared, but counted.
//
// Prints a line per input and engine and the sums; with $CONTEXTS set also, for each function in
// which a thread of the server's own did something between two points of one client's request, in
// how many executions it did (the program needs symbols). Exit status 1 if under 99 % of the traces
// or under 100 % of the outcomes are equal.
#include <fmt/format.h>

#include <array>
#include <atomic>
#include <cstdlib>
#include <map>
#include <mutex>
#include <set>
#include <thread>

#include "analysis/masks.h"
#include "analysis/nondeterminism.h"
#include "analysis/symbols.h"
#include "analysis/trace_equality.h"
#include "harness/engine/data_choice_list.h"
#include "harness/engine/debug_symbols.h"
#include "harness/engine/known_servers.h"
#include "harness/engine/server_executor.h"
#include "harness/hunt/exploration.h"
#include "harness/search/strategy_text.h"
#include "inputs/engine.h"
#include "inputs/reader.h"
#include "targets/registry.h"

namespace esox {
namespace {

constexpr size_t kInputs = 10;

struct Sums {
  uint64_t executions = 0;
  uint64_t degraded = 0;  // one of the two: nobody judges that, and its outcome is not compared
  uint64_t equal_traces = 0;
  uint64_t equal_outcomes = 0;
};

// Where two outcomes differ, outside of what is masked; empty: nowhere.
std::string difference(const Outcome& first, const Outcome& second, const Masks& masks) {
  const Masks differing = differing_places(first, second);
  for (const auto& [place, count] : differing.outputs) {
    if (!masks.hides(place)) return place_name(place);
  }
  for (const auto& [place, count] : differing.state) {
    if (!masks.state.contains(place) && !masks.hides_component(place.component))
      return place_name(place);
  }
  return "";
}

using Functions = std::map<std::string, uint64_t>;  // in how many executions

// Those that contexts called in the middle of a client's request.
void count_contexts(const ExecutionRecord& record, Functions& functions) {
  constexpr size_t kNone = SIZE_MAX;
  std::array<size_t, kMaxClients> open;  // where the last point of the request was
  open.fill(kNone);
  std::set<size_t> between;
  std::set<size_t> waiting;  // contexts' events since then, of which it is not known yet
  for (size_t i = 0; i < record.trace.size(); ++i) {
    const TraceEvent& event = record.trace[i];
    if (event.thread == kNoThread) continue;
    if (event.thread >= kMaxClients) {
      waiting.insert(i);
      continue;
    }
    size_t& last = open[event.thread];
    const bool begins = event.kind == OpKind::kRequestBegin;
    if (last != kNone && !begins) between.insert(waiting.lower_bound(last), waiting.end());
    last = event.kind == OpKind::kRequestEnd ? kNone : i;
  }
  Symbols symbols = debug_symbols(record.modules);
  std::set<std::string> names;
  for (const size_t i : between) {
    const uint64_t site = record.trace[i].site;
    if (site != 0) names.insert(symbols.function(site));
  }
  for (const std::string& name : names) ++functions[name];
}

// The executors are the same one unless isolations are compared.
Sums measure(Executor& executor, Executor& again, Exploration& exploration, uint64_t count,
             std::mutex& output) {
  exploration.prepare(again);
  Sums sums;
  std::string first_difference;
  Functions functions;
  for (uint64_t n = 1; n <= count; ++n) {
    const ExecutionRecord a = executor.run(exploration.plan(n)).record;
    const ExecutionRecord b = again.run(exploration.plan(n)).record;
    const TraceDifference traces = compare_traces(a.trace, a.modules, b.trace, b.modules);
    const bool degraded = !a.degraded_reasons.empty() || !b.degraded_reasons.empty();
    const std::string place = degraded ? "" : difference(a.outcome, b.outcome, exploration.masks());
    sums.degraded += degraded ? 1 : 0;
    if (std::getenv("CONTEXTS") != nullptr) count_contexts(a, functions);
    ++sums.executions;
    sums.equal_traces += traces.equal ? 1 : 0;
    sums.equal_outcomes += place.empty() ? 1 : 0;
    if (first_difference.empty() && !traces.equal) first_difference = traces.text;
    if (!place.empty()) first_difference += fmt::format("\n    {} of execution {}", place, n);
  }
  const std::lock_guard lock(output);
  fmt::print("{:55} traces {:4}/{}  outcomes {:4}/{}{}  {}\n", exploration.name(),
             sums.equal_traces, sums.executions, sums.equal_outcomes, sums.executions,
             sums.degraded > 0 ? fmt::format(" ({} degraded)", sums.degraded) : "",
             first_difference);
  for (const auto& [name, executions] : functions) fmt::print("    {:6} {}\n", executions, name);
  std::fflush(stdout);
  return sums;
}

int run(uint64_t count, unsigned jobs, const std::string& isolation, const std::string& part,
        const std::string& program, const std::string& file) {
  const Target& target = target_of(program);
  const std::unique_ptr<Server> server = target.make_server({program, {}, {}, temporary_base()});
  server->prepare();
  ExecutorOptions options;
  options.preload_library = ESOX_PRELOAD;
  options.base = temporary_base();
  options.contexts = !file.empty();
  if (!file.empty()) {
    options.control.data_choices = shipped_data_choices();
  }
  ExplorationSettings settings;
  settings.strategy_text = "pct:d=3";
  settings.strategy = strategy_from_text(settings.strategy_text);
  settings.clock_base_ns = 1'750'000'000'000'000'000;
  settings.confirmations = 0;
  if (!file.empty()) settings.background = Background::kOn;

  std::vector<Input> inputs =
      read_inputs(file.empty() ? std::filesystem::path(ESOX_INPUTS) / "pike-table-5-2"
                               : std::filesystem::path(file),
                  languages());
  if (file.empty() && inputs.size() > kInputs) inputs.resize(kInputs);
  std::vector<ConcreteInput> work;
  for (Input& input : inputs) {
    adapt_input(input, target);
    for (ConcreteInput& concrete : instantiate(input, {})) {
      const std::string name = Exploration(concrete, settings).name();
      if (name.find(part) != std::string::npos) work.push_back(std::move(concrete));
    }
  }

  if (work.empty()) {
    fmt::print(stderr, "soak_determinism: no input's name contains '{}'\n", part);
    return 2;
  }
  Sums total;
  std::mutex mutex;
  std::mutex output;
  std::atomic<size_t> next{0};
  auto worker = [&] {
    ExecutorOptions first = options;
    first.isolation = isolation == "restart" ? Isolation::kRestart : Isolation::kSnapshot;
    ExecutorOptions second = options;
    second.isolation = isolation == "both" ? Isolation::kRestart : first.isolation;
    ServerExecutor executor(*server, first);
    ServerExecutor other(*server, second);
    Executor& again = isolation == "both" || isolation == "servers" ? other : executor;
    for (size_t i = next++; i < work.size(); i = next++) {
      Exploration exploration(work[i], settings);
      Sums sums;
      try {
        sums = measure(executor, again, exploration, count, output);
      } catch (const SetupError& failure) {
        const std::lock_guard lock(output);
        fmt::print("{:55} left out: {}\n", exploration.name(), failure.what());
      }
      const std::lock_guard lock(mutex);
      total.executions += sums.executions;
      total.degraded += sums.degraded;
      total.equal_traces += sums.equal_traces;
      total.equal_outcomes += sums.equal_outcomes;
    }
  };
  std::vector<std::thread> threads;
  for (unsigned i = 0; i < jobs; ++i) threads.emplace_back(worker);
  for (std::thread& thread : threads) thread.join();

  if (total.executions == 0) return 1;
  fmt::print(
      "all: {} pairs of executions, {} degraded, traces equal {} ({:.2f} %), outcomes equal {} "
      "({:.2f} %)\n",
      total.executions, total.degraded, total.equal_traces,
      100.0 * static_cast<double>(total.equal_traces) / static_cast<double>(total.executions),
      total.equal_outcomes,
      100.0 * static_cast<double>(total.equal_outcomes) / static_cast<double>(total.executions));
  const bool traces = total.equal_traces * 100 >= total.executions * 99;
  const bool good = traces && total.equal_outcomes == total.executions;
  return good ? 0 : 1;
}

}  // namespace
}  // namespace esox

int main(int argc, char** argv) {
  const uint64_t count = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 100;
  const auto jobs = argc > 2 ? static_cast<unsigned>(std::strtoul(argv[2], nullptr, 10)) : 2u;
  const std::string isolation = argc > 3 ? argv[3] : "snapshot";
  const bool known = isolation == "snapshot" || isolation == "restart" || isolation == "both" ||
                     isolation == "servers";
  if (count == 0 || jobs == 0 || jobs > 64 || !known) {
    fmt::print(stderr,
               "usage: soak_determinism [EXECUTIONS] [JOBS] [snapshot|restart|both|servers] "
               "[PART-OF-A-NAME] [SERVER] [INPUTS]\n");
    return 2;
  }
  return esox::run(count, jobs, isolation, argc > 4 ? argv[4] : "", argc > 5 ? argv[5] : "",
                   argc > 6 ? argv[6] : "");
}
