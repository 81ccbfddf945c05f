// SPDX-License-Identifier: Apache-2.0
#include "harness/engine/told_schedule.h"

#include <algorithm>
#include <functional>
#include <span>
#include <string_view>
#include <utility>

#include "preload/strategy/prefix.h"

namespace esox {
namespace {

using exhaustive::Beginning;
using exhaustive::ExecutedSchedule;
using exhaustive::Point;
using exhaustive::Waiting;

bool is_done(const WaitingThread& record) {
  return (record.flags & kWaitingDone) != 0;
}

// A thread that stands behind the creation of another one, as data choices have it (start-order),
// meets the start of that one: which of the two comes first is an order of its own.
Pending operation_of(const WaitingThread& record) {
  const bool behind_creation = record.kind == OpKind::kThreadCreate && !is_done(record);
  return {record.thread, behind_creation ? OpKind::kThreadStart : record.kind, record.object,
          record.site};
}

// The threads at one decision, from `at` on; moves behind them. Nobody chosen: the execution ended.
void take_decision(std::span<const WaitingThread>& left, ExecutedSchedule& executed) {
  const uint32_t decision = left.front().decision;
  Point point;
  for (; !left.empty() && !is_done(left.front()) && left.front().decision == decision;
       left = left.subspan(1)) {
    const WaitingThread& record = left.front();
    const Pending operation = operation_of(record);
    point.waiting.push_back({operation, (record.flags & kWaitingEnabled) != 0});
    if ((record.flags & kWaitingChosen) != 0) point.step = {record.thread, {operation}};
  }
  if (point.step.thread == kNoThread) {
    executed.left = std::move(point.waiting);
  } else {
    executed.points.push_back(std::move(point));
  }
}

// As glibc makes them (malloc/arena.c: HEAP_MAX_SIZE): regions of 64 MiB, aligned to their size,
// where mappings lie; below them are the program and its own heap.
constexpr int kArenaBits = 26;
constexpr uint64_t kFirstMapping = 0x7000'0000'0000;
constexpr uint64_t kAddressEnd = 0x8000'0000'0000;

// Files are known by hashes of their names, all else by addresses.
bool is_of_file(OpKind kind) {
  return kind >= OpKind::kFileOpen && kind <= OpKind::kDirectoryMake;
}

class Renamer {
 public:
  explicit Renamer(const std::map<uint64_t, std::string>& names) {
    for (const auto& [object, path] : names) {
      const std::string kept = lasting_name(path);
      if (kept != path) files_[object] = std::hash<std::string>{}(kept);
    }
  }

  void rename(Pending& operation) {
    if (is_of_file(operation.kind)) {
      const auto file = files_.find(operation.object);
      if (file != files_.end()) operation.object = file->second;
    } else if (operation.object >= kFirstMapping && operation.object < kAddressEnd) {
      constexpr uint64_t kInside = (uint64_t{1} << kArenaBits) - 1;
      operation.object = arena_of(operation) | (operation.object & kInside);
    }
  }

 private:
  uint64_t arena_of(const Pending& operation) {
    const auto [arena, fresh] = arenas_.try_emplace(operation.object >> kArenaBits, 0);
    if (fresh) {
      const uint64_t number = named_[operation.thread]++;
      arena->second = kAddressEnd | uint64_t{operation.thread} << 40 | number << kArenaBits;
    }
    return arena->second;
  }

  std::map<uint64_t, uint64_t> files_;
  std::map<uint64_t, uint64_t> arenas_;  // by the upper part of their addresses
  std::map<ThreadId, uint64_t> named_;   // how many, by each thread
};

bool is_hexadecimal(const std::string& text) {
  return !text.empty() && text.find_first_not_of("0123456789abcdef") == text.npos;
}

// As mkdtemp() makes it: PrivateDirectory.
std::string without_random_part(std::string path) {
  constexpr std::string_view kFolder = "esox-";
  constexpr size_t kRandom = 6;
  const size_t folder = path.find(kFolder);
  if (folder != path.npos) path.erase(folder + kFolder.size(), kRandom);
  return path;
}

// The first part after "#sql" that is a number, between '-' or '_'.
std::string without_process_number(std::string path) {
  constexpr const char* kSeparators = "-_.";
  size_t begin = path.find("#sql");
  while (begin != path.npos && (begin = path.find_first_of(kSeparators, begin)) != path.npos) {
    const size_t end = std::min(path.find_first_of(kSeparators, ++begin), path.size());
    if (is_hexadecimal(path.substr(begin, end - begin))) return path.erase(begin, end - begin);
  }
  return path;
}

}  // namespace

std::string lasting_name(const std::string& path) {
  return without_process_number(without_random_part(path));
}

void rename_objects(ExecutedSchedule& executed, const std::map<uint64_t, std::string>& names) {
  Renamer renamer(names);
  for (Point& point : executed.points) {
    for (Waiting& one : point.waiting) renamer.rename(one.operation);
    for (Pending& operation : point.step.operations) renamer.rename(operation);
  }
  for (Waiting& one : executed.left) renamer.rename(one.operation);
}

std::vector<Choice> tape_of(const Beginning& beginning) {
  std::vector<Choice> choices;
  for (const ThreadId thread : beginning.threads) {
    choices.push_back({static_cast<uint32_t>(choices.size()), thread, 0});
  }
  for (const ThreadId thread : beginning.asleep) choices.push_back({Prefix::kAsleep, thread, 0});
  return choices;
}

ExecutedSchedule schedule_of(const std::vector<WaitingThread>& records) {
  ExecutedSchedule executed;
  for (std::span<const WaitingThread> left(records); !left.empty();) {
    if (!is_done(left.front())) {
      take_decision(left, executed);
      continue;
    }
    // Before the first decision there is nothing that could have come in another order.
    if (!executed.points.empty()) {
      executed.points.back().step.operations.push_back(operation_of(left.front()));
    }
    left = left.subspan(1);
  }
  return executed;
}

}  // namespace esox
