// SPDX-License-Identifier: Apache-2.0
// The harness's side of the protocol: the shared block, armed and watched.
//
// One ControlMemory serves one server process at a time; it may be used for one execution after the
// other. Used by one thread at a time, except release(), which any thread may call.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/process/enclosure.h"
#include "base/process/unique_fd.h"
#include "preload/protocol/control_block.h"

namespace esox {

// Settings of the control that do not come from the input; part of every finding, because a replay
// needs the same. The defaults are argued in docs/how-control-works.md.
struct ControlSettings {
  uint64_t step_limit = 200'000;
  uint32_t release_point_odds = 8;
  uint32_t starvation_limit = 200;
  uint32_t grace_ms = 20;
  uint32_t deadlock_grace_ms = 2'000;
  uint32_t request_wait_ms = 10'000;
  DataChoiceModes data_choices;  // of executions that explore; all others follow a record
};

inline constexpr uint32_t kImpatience_ms = 100;

// Which memory accesses are scheduling points, of programs built for it (docs/lock-free.md).
struct AccessSettings {
  AccessLevel level = AccessLevel::kAll;
  bool learn = false;           // note the sites that conflict: ControlMemory::learned_sites()
  std::vector<uint64_t> sites;  // for kConflicting: offered
};

// What one execution is to do.
struct ControlPlan {
  StrategySpec strategy;
  uint64_t seed = 0;
  uint64_t expected_points = 0;
  std::vector<uint64_t> expected_points_of;  // by client, or thread; may be empty
  std::vector<ObjectPoints> shared_objects;  // shared_objects.h; may be empty
  std::vector<uint32_t> requests;            // by client
  std::optional<size_t> signal_client;       // whose requests are signals ...
  std::vector<int> signals;                  // ... these
  bool ends_server = false;                  // by the last of them
  std::vector<ThreadId> serial_order;        // for strategy serial
  std::vector<Choice> choices;               // for strategy replay
  std::vector<uint64_t> values;
  std::vector<uint64_t> filter_keys;  // protocol/conflict_filter.h; empty: no filter
  AccessSettings accesses;
  bool impatient = false;  // waits without a waker are a deadlock after kImpatience_ms
  bool contexts = false;   // threads of the server's own are scheduled, too
  ContextsFirst contexts_first = ContextsFirst::kNo;
};

class ControlMemory {
 public:
  ControlMemory();  // throws std::system_error (no memory)
  ~ControlMemory();
  ControlMemory(const ControlMemory&) = delete;
  ControlMemory& operator=(const ControlMemory&) = delete;

  ControlBlock& block() { return *block_; }
  const ControlBlock& block() const { return *block_; }

  // The environment that makes a process map this block.
  std::vector<std::string> environment(const std::string& preload_library) const;

  // The same for a process in an enclosure, which sees no other process's /proc; with the snapshot
  // agent, which talks over `channel` (the server's end).
  std::vector<std::string> enclose(Enclosure& enclosure, const std::string& preload_library,
                                   int channel) const;

  // For a new server process that lives in the folder `root`: everything empty, phase idle.
  void reset(ControlMode mode, const ControlSettings& settings, int64_t clock_base_ns,
             const std::string& root);
  // Fills in the plan and sets the phase to kArming. Throws std::invalid_argument if the plan does
  // not fit the protocol's limits.
  void arm(const ControlPlan& plan);
  // Waits until the phase is no longer kArming or kRunning, at most so long.
  bool wait_end(std::chrono::microseconds limit);
  // Gives control up: every thread of the server goes on by itself.
  void release(uint32_t degraded_reason);
  // After an execution that learned: sites of plain accesses to memory that another thread touched.
  std::vector<uint64_t> learned_sites() const;
  // After an execution: hooks do nothing any more.
  void disarm();

  // What an execution changes, as it is now and back again: for processes that are forked from one
  // parked now (harness/engine/snapshot).
  std::vector<char> save() const;
  void restore(const std::vector<char>& saved);

 private:
  UniqueFd fd_;
  ControlBlock* block_ = nullptr;
  DataChoiceModes data_choices_;
};

// Hash of an object -> its path.
std::map<uint64_t, std::string> read_names(const ControlBlock& block);

// The bits of ControlBlock::degraded in words.
std::vector<std::string> degraded_texts(uint32_t reasons);

}  // namespace esox
