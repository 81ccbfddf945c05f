// SPDX-License-Identifier: Apache-2.0
// A prepared MariaDB with faults seeded into it (seeded_faults.c), and inputs for it.
#pragma once

#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <vector>

#include "harness/engine/server_executor.h"
#include "harness/hunt/exploration.h"
#include "harness/search/strategy_text.h"
#include "targets/mariadb/language.h"
#include "tests/integration/mariadb_server.h"

namespace esox {

inline const std::vector<std::string> kFunctions = {
    "CREATE FUNCTION esox_lost_update RETURNS INTEGER SONAME 'esox_seeded_faults.so'",
    "CREATE FUNCTION esox_lock_pair RETURNS INTEGER SONAME 'esox_seeded_faults.so'",
    "CREATE FUNCTION esox_spin RETURNS INTEGER SONAME 'esox_seeded_faults.so'",
    "CREATE FUNCTION esox_crash RETURNS INTEGER SONAME 'esox_seeded_faults.so'",
    "CREATE FUNCTION esox_crash_alone RETURNS INTEGER SONAME 'esox_seeded_faults.so'",
    "CREATE FUNCTION esox_peek RETURNS INTEGER SONAME 'esox_seeded_faults.so'",
    "CREATE FUNCTION esox_write_alone RETURNS INTEGER SONAME 'esox_seeded_faults.so'",
    "CREATE FUNCTION esox_read_even RETURNS INTEGER SONAME 'esox_seeded_faults.so'",
    "CREATE FUNCTION esox_join_worker RETURNS INTEGER SONAME 'esox_seeded_faults.so'",
    "CREATE FUNCTION esox_join_hasty RETURNS INTEGER SONAME 'esox_seeded_faults.so'",
    "CREATE FUNCTION esox_touched RETURNS INTEGER SONAME 'esox_seeded_faults.so'",
    "CREATE FUNCTION esox_stall_once RETURNS INTEGER SONAME 'esox_seeded_faults.so'"};

inline std::string text_of(const std::vector<std::string>& lines) {
  std::string text;
  for (const std::string& line : lines) text += line + "\n";
  return text;
}

class ExecutionFixture : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    folder_ = new PrivateDirectory(temporary_base());
    server_ = new MariadbServer(ServerOptions{
        "", {"--plugin-dir=" ESOX_FAULTS}, folder_->path() / "cache", folder_->path()});
    server_->prepare();
  }
  static void TearDownTestSuite() {
    delete server_;
    delete folder_;
  }

  static ExecutorOptions options() {
    ExecutorOptions options;
    options.preload_library = ESOX_PRELOAD;
    options.base = folder_->path();
    options.stall_limit = std::chrono::milliseconds(8'000);  // the machine may be busy
    return options;
  }

  static ConcreteInput input(const std::vector<std::string>& setup,
                             const std::vector<std::vector<std::string>>& sessions) {
    ConcreteInput concrete;
    concrete.input.language = &mariadb_language();
    concrete.input.id = "test";
    concrete.input.origin = "execution_test.cpp";
    concrete.input.setup = setup;
    for (size_t i = 0; i < sessions.size(); ++i) {
      InputClient client;
      client.name = std::string(1, static_cast<char>('A' + i));
      for (const std::string& text : sessions[i]) client.requests.push_back(Request{text, false});
      concrete.input.clients.push_back(client);
    }
    return concrete;
  }

  static ExplorationSettings settings(const std::string& strategy) {
    ExplorationSettings settings;
    settings.strategy = strategy_from_text(strategy);
    settings.strategy_text = strategy;
    settings.clock_base_ns = 1'750'000'000'000'000'000;
    return settings;
  }

  // The first execution with a confirmed cause, or the last one.
  Judged explore_until_found(const ConcreteInput& concrete, uint64_t most,
                             const std::string& strategy = "random:p=0.3") {
    ServerExecutor executor(*server_, options());
    Exploration exploration(concrete, settings(strategy));
    Judged judged;
    for (uint64_t n = 1; n <= most; ++n) {
      judged = exploration.explore(executor, n);
      if (judged.confirmed) break;
    }
    return judged;
  }

  static inline PrivateDirectory* folder_ = nullptr;
  static inline MariadbServer* server_ = nullptr;
};

}  // namespace esox
