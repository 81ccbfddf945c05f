// SPDX-License-Identifier: Apache-2.0
// How executions are to be made on a real server (server_executor.h says what it all means).
#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "harness/engine/control.h"
#include "harness/engine/execution_meter.h"
#include "harness/engine/snapshot_server.h"
#include "targets/client.h"

namespace esox {

enum class Isolation { kAuto, kSnapshot, kRestart };

const char* isolation_name(Isolation isolation);  // "auto", ...

// A server whose execution ended at its limit of steps: every client's thread is parked.
struct ParkedServer {
  pid_t pid = 0;
  std::vector<pid_t> threads;  // by client: the thread that serves it, by its number in the server
};

struct ExecutorOptions {
  std::filesystem::path preload_library;
  std::filesystem::path base;  // of private folders
  Isolation isolation = Isolation::kAuto;
  // Told the reason when `auto` falls back to restart; by the thread that runs the executor.
  std::function<void(const std::string&)> on_fallback;
  // Told of a server that stands at the limit of steps, which ends when this returns; by the thread
  // that runs the executor.
  std::function<void(const ParkedServer&)> on_parked;
  ControlSettings control;
  bool contexts = false;                        // some executions schedule the server's own threads
  std::chrono::milliseconds settle_limit{500};  // of each rest during setup
  std::chrono::milliseconds arrival_limit{10'000};
  // No heartbeat for so long while a thread should be running: it is lost outside control.
  std::chrono::milliseconds stall_limit{3'000};
  std::chrono::milliseconds execution_limit{60'000};
  // Of a question about the state, afterwards: the server stands still.
  std::chrono::milliseconds state_reply_limit{kLongestReply_ms};
  uint64_t snapshot_store_bytes = kStoreBytes;  // see SnapshotServerOptions
  SnapshotStep snapshot_fail_at = SnapshotStep::kNone;
  ExecutionMeter* meter = nullptr;  // told of each run, if there is one; outlives the executor
};

}  // namespace esox
