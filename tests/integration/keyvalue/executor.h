// SPDX-License-Identifier: Apache-2.0
// Executions on a keyvalue_server with options, by snapshot.
#pragma once

#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "base/process/private_directory.h"
#include "harness/engine/server_executor.h"
#include "harness/search/strategy_text.h"
#include "tests/integration/keyvalue/inputs.h"
#include "tests/integration/plans.h"

namespace esox {

class KeyvalueExecutor {
 public:
  explicit KeyvalueExecutor(
      std::vector<std::string> options,
      std::chrono::milliseconds state_reply_limit = std::chrono::milliseconds(kLongestReply_ms)) {
    ServerOptions of_server;
    of_server.program = ESOX_KEYVALUE_SERVER;
    of_server.options = std::move(options);
    of_server.base = temporary_base();
    server_ = keyvalue_target().make_server(of_server);
    server_->prepare();
    ExecutorOptions of_executor;
    of_executor.preload_library = ESOX_PRELOAD;
    of_executor.base = of_server.base;
    of_executor.isolation = Isolation::kSnapshot;
    of_executor.state_reply_limit = state_reply_limit;
    executor_ = std::make_unique<ServerExecutor>(*server_, of_executor);
    settings_.strategy_text = "random:p=0.3";
    settings_.strategy = strategy_from_text(settings_.strategy_text);
    settings_.clock_base_ns = 1'750'000'000'000'000'000;
  }

  ExecutionReport run(const ConcreteInput& input, uint64_t seed) {
    return executor_->run(plan_by(settings_, input, seed));
  }

 private:
  std::unique_ptr<Server> server_;
  std::unique_ptr<ServerExecutor> executor_;
  ExplorationSettings settings_;
};

}  // namespace esox
