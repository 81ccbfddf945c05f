// SPDX-License-Identifier: Apache-2.0
// What the machine tells a thread under control (tests/programs/machine_facts.h) is the same in all
// executions, however they are made: docs/machine.md.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <map>
#include <set>
#include <thread>

#include "base/process/private_directory.h"
#include "harness/engine/server_executor.h"
#include "harness/hunt/pinning.h"
#include "harness/search/strategy_text.h"
#include "tests/integration/keyvalue/inputs.h"
#include "tests/integration/plans.h"

namespace esox {
namespace {

namespace fs = std::filesystem;
using testing::IsEmpty;

// Name and value; a name that comes twice has its values side by side.
using Facts = std::map<std::string, std::string>;

// A server that is started again for each execution has other numbers than the one before: two
// equal serial runs always show it. And its stacks lie elsewhere than those of a template, which
// keeps memory for its children: in all executions by restart at the same place.
const std::set<std::string> kOfAStart = {"getpid", "getppid",       "gettid",        "getpgrp",
                                         "getsid", "address.stack", "address.thread"};

std::vector<std::string> differing(const Facts& a, const Facts& b,
                                   const std::set<std::string>& but = {}) {
  std::vector<std::string> texts;
  for (const auto& [name, value] : a) {
    const auto found = b.find(name);
    const std::string other = found == b.end() ? "(none)" : found->second;
    if (!but.contains(name) && other != value) texts.push_back(name + ": " + value + " / " + other);
  }
  return texts;
}

class Machine : public testing::Test {
 protected:
  Machine() {
    ServerOptions options;
    options.program = ESOX_KEYVALUE_SERVER;
    options.base = temporary_base();
    server_ = keyvalue_target().make_server(options);
    server_->prepare();
    input_ = keyvalue_input("machine", {{"MACHINE"}, {"SET a 1", "GET a"}});
    input_.input.setup = {"MACHINE files"};
    settings_.strategy_text = "random:p=0.3";
    settings_.strategy = strategy_from_text(settings_.strategy_text);
    settings_.clock_base_ns = 1'750'000'000'000'000'000;
    first_ = facts(*by(Isolation::kSnapshot), concurrent(1));
    EXPECT_GT(first_.size(), 100u);
  }

  std::unique_ptr<ServerExecutor> by(Isolation isolation,
                                     const fs::path& base = temporary_base()) const {
    ExecutorOptions options;
    options.preload_library = ESOX_PRELOAD;
    options.base = base;
    options.isolation = isolation;
    return std::make_unique<ServerExecutor>(*server_, options);
  }

  ExecutionPlan concurrent(uint64_t seed) const { return plan_by(settings_, input_, seed); }

  ExecutionPlan serial(std::vector<ThreadId> order) const {
    ExecutionPlan plan = concurrent(1);
    plan.strategy = {};
    plan.strategy.kind = StrategyKind::kSerial;
    plan.strategy_text = "serial";
    plan.serial_order = std::move(order);
    return plan;
  }

  static Facts facts(Executor& executor, const ExecutionPlan& plan) {
    const ExecutionRecord record = executor.run(plan).record;
    EXPECT_EQ(record.ending.kind, EndingKind::kFinished);
    EXPECT_THAT(record.degraded_reasons, IsEmpty());
    Facts facts;
    for (const Row& row : record.outcome.outputs.at(0).at(0).results.at(0).rows) {
      std::string& value = facts[row.at(0).value_or("")];
      for (size_t i = 1; i < row.size(); ++i) value += " " + row[i].value_or("");
    }
    return facts;
  }

  std::unique_ptr<Server> server_;
  ConcreteInput input_;
  ExplorationSettings settings_;
  Facts first_;  // of an execution by snapshot
};

TEST_F(Machine, TellsTheSameInRewoundAndForkedServersAndInSerialOrders) {
  const auto executor = by(Isolation::kSnapshot);
  for (uint64_t seed = 1; seed <= 20; ++seed) {
    EXPECT_THAT(differing(first_, facts(*executor, concurrent(seed))), IsEmpty()) << seed;
  }
  EXPECT_GT(executor->lives().rewound, 0u);
  ExecutionPlan forked = concurrent(3);
  forked.fresh = true;
  EXPECT_THAT(differing(first_, facts(*executor, forked)), IsEmpty());
  // But for the order in which B has left before: the number of its connection is then free.
  for (const std::vector<ThreadId>& order : {std::vector<ThreadId>{0, 1, 1}, {1, 0, 1}})
    EXPECT_THAT(differing(first_, facts(*executor, serial(order))), IsEmpty());
}

TEST_F(Machine, TellsTheSameInServersStartedAnewOnDiskAndInMemory) {
  for (const char* base : {"/tmp", "/var/tmp", "/dev/shm"}) {
    if (!fs::is_directory(base)) continue;
    const auto executor = by(Isolation::kRestart, base);
    for (const ExecutionPlan& plan : {concurrent(1), concurrent(2), serial({1, 0, 1})}) {
      EXPECT_THAT(differing(first_, facts(*executor, plan), kOfAStart), IsEmpty()) << base;
    }
  }
}

TEST_F(Machine, TellsTheSameToAllWorkers) {
  constexpr size_t kWorkers = 2;
  Facts told[kWorkers];
  std::vector<std::thread> workers;
  for (size_t worker = 0; worker < kWorkers; ++worker) {
    workers.emplace_back([&, worker] {
      const CorePin pin(worker, kWorkers);
      const auto executor = by(Isolation::kSnapshot);
      for (uint64_t seed = 1; seed <= 5; ++seed) told[worker] = facts(*executor, concurrent(seed));
    });
  }
  for (std::thread& worker : workers) worker.join();
  for (const Facts& one : told) EXPECT_THAT(differing(first_, one), IsEmpty());
}

}  // namespace
}  // namespace esox
