// SPDX-License-Identifier: Apache-2.0
// Are the admitted inputs of a corpus deterministic? A random draw of them is executed serially by
// snapshot, and again more than a day later by the virtual clock, on a server booted afresh. Every
// reply and every part of the state must be the same.
//
//   soak_corpus_determinism CORPUS [INPUTS] [SEED] [JOBS]
//
// Prints those that differ, and the sums. Exit status 1 if more than 0.5 % differ.
#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <mutex>
#include <random>
#include <thread>

#include "analysis/comparison.h"
#include "harness/engine/server_executor.h"
#include "harness/hunt/exploration.h"
#include "harness/import/corpus_reader.h"
#include "inputs/engine.h"
#include "tests/integration/mariadb_server.h"

namespace esox {
namespace {

struct Sums {
  size_t executed = 0;
  size_t differing = 0;
  size_t failing = 0;  // could not be executed at all
};

ExecutionRecord execute(Executor& executor, const ConcreteInput& input, int64_t shift_ns) {
  ExecutionPlan plan;
  plan.input = &input;
  plan.clock_base_ns = kClockBase_ns + shift_ns;
  plan.strategy.kind = StrategyKind::kSerial;
  plan.strategy_text = "serial";
  plan.fresh = true;
  for (size_t client = 0; client < input.input.clients.size(); ++client) {
    const size_t requests = input.input.clients[client].requests.size();
    plan.requests.push_back(requests);
    plan.serial_order.insert(plan.serial_order.end(), requests, static_cast<ThreadId>(client));
  }
  return std::move(executor.run(plan).record);
}

std::string difference(const ExecutionRecord& one, const ExecutionRecord& other) {
  if (one.ending.kind != other.ending.kind) return "the endings";
  const Comparison comparison = compare(other.outcome, one.outcome, {});
  for (const RequestComparison& request : comparison.requests) {
    if (!request.equal())
      return fmt::format("the reply to {}", request_name(request.client, request.request));
  }
  for (const ComponentComparison& component : comparison.components) {
    if (component.match == ComponentMatch::kDifferent) return component.name;
  }
  return "";
}

// One instance of each drawn input, on one of its engines.
std::vector<ConcreteInput> draw(const std::filesystem::path& corpus, size_t count, uint64_t seed) {
  std::vector<Input> inputs = read_corpus(corpus, SIZE_MAX);
  std::mt19937_64 random(seed);
  std::shuffle(inputs.begin(), inputs.end(), random);
  std::vector<ConcreteInput> drawn;
  for (size_t i = 0; i < inputs.size() && i < count; ++i) {
    std::vector<ConcreteInput> all = instantiate(inputs[i], {});
    drawn.push_back(std::move(all[random() % all.size()]));
  }
  std::stable_sort(drawn.begin(), drawn.end(), [](const auto& a, const auto& b) {
    return a.input.server_options < b.input.server_options;
  });
  return drawn;
}

int run(const std::filesystem::path& corpus, size_t count, uint64_t seed, unsigned jobs) {
  MariadbServer server;
  server.prepare();
  const std::vector<ConcreteInput> drawn = draw(corpus, count, seed);
  ExecutorOptions options;
  options.preload_library = ESOX_PRELOAD;
  options.base = temporary_base();
  Sums sums;
  std::mutex mutex;
  std::atomic<size_t> next{0};
  const auto work = [&] {
    ServerExecutor executor(server, options);
    ExecutorOptions restarting = options;
    restarting.isolation = Isolation::kRestart;
    ServerExecutor again(server, restarting);
    for (size_t i = next++; i < drawn.size(); i = next++) {
      std::string told;
      bool failed = false;
      try {
        const ExecutionRecord one = execute(executor, drawn[i], 0);
        told = difference(one, execute(again, drawn[i], kDateShift_ns));
      } catch (const std::exception& error) {
        told = error.what();
        failed = true;
      }
      const std::lock_guard lock(mutex);
      ++sums.executed;
      if (told.empty()) continue;
      ++(failed ? sums.failing : sums.differing);
      fmt::print("{} [{}]: {}\n", drawn[i].input.id, drawn[i].engine, told);
      std::fflush(stdout);
    }
  };
  std::vector<std::thread> threads;
  for (unsigned i = 0; i < jobs; ++i) threads.emplace_back(work);
  for (std::thread& thread : threads) thread.join();
  const size_t bad = sums.differing + sums.failing;
  fmt::print(
      "{} inputs, {} differ, {} cannot be executed ({:.2f} % of all)\n", sums.executed,
      sums.differing, sums.failing,
      100.0 * static_cast<double>(bad) / static_cast<double>(std::max<size_t>(1, sums.executed)));
  return bad * 200 > sums.executed ? 1 : 0;
}

}  // namespace
}  // namespace esox

int main(int argc, char** argv) {
  if (argc < 2) {
    fmt::print(stderr, "usage: soak_corpus_determinism CORPUS [INPUTS] [SEED] [JOBS]\n");
    return 2;
  }
  const size_t count = argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 500;
  const uint64_t seed = argc > 3 ? std::strtoull(argv[3], nullptr, 10) : 1;
  const auto jobs = argc > 4 ? static_cast<unsigned>(std::strtoul(argv[4], nullptr, 10)) : 2u;
  try {
    return esox::run(argv[1], count, seed, std::clamp(jobs, 1u, 64u));
  } catch (const std::exception& error) {
    fmt::print(stderr, "soak_corpus_determinism: {}\n", error.what());
    return 2;
  }
}
