// SPDX-License-Identifier: Apache-2.0
// One launch of a stage: its hunt in a process of its own, watched until it ends or has to.
//
// It is known to be at work by OUT/progress.json (harness/records/hunt_progress.h) and by what it
// says. If neither moves for `stuck_after`, it is killed: a hunt frees its own stuck workers long
// before. It is told to end (SIGTERM), and killed after `patience` if it does not, when its time is
// over, when it is to stop, or when `look` says so. It dies with us (base/process/process.h).
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/process/process.h"

namespace esox {

enum class StageCut { kNone, kTime, kStop, kStuck, kMemory, kDisk };

const char* cut_name(StageCut cut);  // "its time was over", ...

struct StageWatch {
  std::filesystem::path esox;  // the command
  std::vector<std::string> arguments;
  std::filesystem::path folder;  // OUT of its hunt
  std::filesystem::path log;     // what it says is added there
  double time_s = 0;             // from now; 0: no limit
  std::chrono::milliseconds stuck_after{300'000};
  std::chrono::milliseconds patience{15'000};
  std::optional<uint64_t> memory_kib;
};

struct StageEnd {
  StageCut cut = StageCut::kNone;  // why it was told to end
  bool killed = false;             // it did not, or was not asked
  ExitStatus status;
  uint64_t memory_kib = 0;  // the most that was seen
  uint64_t runs = 0;        // as progress.json told last, in this launch
};

// `look` is called about every second, and may wish for an end by kDisk. Throws ServerError (the
// process cannot be started) and OutError (its log cannot be written).
StageEnd run_stage_process(const StageWatch& watch, const std::atomic<bool>& stop,
                           const std::function<StageCut()>& look);

}  // namespace esox
