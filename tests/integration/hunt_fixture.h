// SPDX-License-Identifier: Apache-2.0
// What tests of a hunt inside the process need: a prepared server, the preload, inputs in memory.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <string>
#include <vector>

#include "harness/engine/known_servers.h"
#include "harness/engine/server_executor.h"
#include "harness/hunt/hunt.h"
#include "harness/records/out_folder.h"
#include "inputs/reader.h"
#include "tests/integration/mariadb_server.h"

namespace esox {

class HuntTest : public testing::Test {
 protected:
  HuntTest() : server_({"", {}, std::filesystem::path(ESOX_TEST_CACHE) / "esox", folder_.path()}) {
    server_.prepare();
  }

  static std::vector<ConcreteInput> inputs(const std::string& yaml) {
    std::vector<ConcreteInput> all;
    for (Input& input : parse_inputs(yaml, "test.yaml", languages()))
      all.push_back({std::move(input), ""});
    return all;
  }

  // One client reads what the other writes: nothing to find with MyISAM.
  static std::vector<ConcreteInput> harmless(size_t count) {
    std::string yaml = "inputs:\n";
    for (size_t i = 0; i < count; ++i) {
      yaml += "  - {id: in" + std::to_string(i) +
              ", setup: [CREATE TABLE t1 (a INT) ENGINE=MyISAM], clients: [{name: A, requests: "
              "[SELECT a FROM t1]}, {name: B, requests: [INSERT INTO t1 VALUES (1)]}]}\n";
    }
    return inputs(yaml);
  }

  HuntSettings settings() const {
    HuntSettings settings;
    settings.exploration.strategy.kind = StrategyKind::kPct;
    settings.exploration.strategy_text = "pct:d=3";
    settings.exploration.clock_base_ns = 1'893'456'000'000'000'000;
    settings.executions_each = 2;
    settings.jobs = 2;
    settings.out = folder_.path() / "out";
    return settings;
  }

  ExecutorOptions options() const {
    ExecutorOptions options;
    options.preload_library = ESOX_PRELOAD;
    options.base = folder_.path();
    return options;
  }

  ExecutorFactory executors() { return server_executors(server_, options()); }

  PrivateDirectory folder_{temporary_base()};
  MariadbServer server_;
  std::atomic<bool> stop_{false};
};

}  // namespace esox
