// SPDX-License-Identifier: Apache-2.0
#include "harness/nights/night/stage_process.h"

#include <fcntl.h>
#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <fstream>
#include <map>
#include <system_error>

#include "base/process/paths.h"
#include "base/process/proc.h"
#include "base/text/enum_names.h"
#include "base/text/number.h"
#include "harness/nights/night/hook.h"
#include "harness/nights/night/night_clock.h"
#include "harness/records/hunt_progress.h"
#include "harness/records/out_folder.h"

namespace esox {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds kTick{200};
constexpr double kLookEvery_s = 1;
constexpr double kMemoryEvery_s = 3;

UniqueFd open_log(const std::filesystem::path& log) {
  UniqueFd file(::open(log.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW, 0644));
  if (file) return file;
  throw OutError(fmt::format("cannot write {}: {}; make room", log.string(), std::strerror(errno)));
}

// ---- a process with all that descend from it, as /proc shows them

// "123 (name, which may hold anything) S PARENT ..."; 0 if the process is gone.
pid_t parent_of(pid_t pid) {
  std::ifstream file(fmt::format("/proc/{}/stat", pid));
  std::string line;
  std::getline(file, line, '\0');
  const size_t name_end = line.rfind(')');
  if (name_end == std::string::npos || name_end + 4 >= line.size()) return 0;
  pid_t parent = 0;
  std::from_chars(line.data() + name_end + 4, line.data() + line.size(), parent);
  return parent;
}

std::multimap<pid_t, pid_t> children_by_parent() {
  std::multimap<pid_t, pid_t> children;
  for (const std::filesystem::path& one : entries_of("/proc")) {
    const auto pid = number_of<pid_t>(one.filename().string());
    if (pid) children.emplace(parent_of(*pid), *pid);
  }
  return children;
}

// `root` first. Those whose parents ended in between belong to someone else by then.
std::vector<pid_t> process_tree(pid_t root) {
  const std::multimap<pid_t, pid_t> children = children_by_parent();
  std::vector<pid_t> tree = {root};
  for (size_t i = 0; i < tree.size(); ++i) {
    const auto [first, last] = children.equal_range(tree[i]);
    for (auto one = first; one != last; ++one) tree.push_back(one->second);
  }
  return tree;
}

// What they hold together (base/process/proc.h).
uint64_t memory_of_tree_kib(pid_t root) {
  uint64_t sum_kib = 0;
  for (const pid_t pid : process_tree(root)) sum_kib += proportional_memory_kib(pid);
  return sum_kib;
}

class Launch {
 public:
  Launch(const StageWatch& watch, int log)
      : watch_(watch), process_(plan_of(watch, log)), began_s_(boot_seconds()) {
    moved_s_ = looked_s_ = measured_s_ = began_s_;
  }

  StageEnd run(const std::atomic<bool>& stop, const std::function<StageCut()>& look) {
    for (;;) {
      if (const auto ended = process_.wait(kTick)) {
        end_.status = *ended;
        note_progress(boot_seconds());
        return end_;
      }
      const double now_s = boot_seconds();
      if (now_s - looked_s_ >= kLookEvery_s) {
        looked_s_ = now_s;
        note_progress(now_s);
        cut(look(), now_s);
      }
      if (stop.load()) cut(StageCut::kStop, now_s);
      if (watch_.time_s > 0 && now_s - began_s_ >= watch_.time_s) cut(StageCut::kTime, now_s);
      if (now_s - moved_s_ >= seconds(watch_.stuck_after)) cut(StageCut::kStuck, now_s);
      if (now_s - measured_s_ >= kMemoryEvery_s) measure(now_s);
      const bool impatient =
          end_.cut != StageCut::kNone &&
          (end_.cut == StageCut::kStuck || now_s - cut_s_ >= seconds(watch_.patience));
      if (!impatient) continue;
      process_.kill();
      end_.killed = true;
    }
  }

 private:
  static ProcessPlan plan_of(const StageWatch& watch, int log) {
    ProcessPlan plan;
    plan.program = watch.esox;
    plan.arguments = watch.arguments;
    plan.environment = own_environment();
    plan.folder = "/";
    plan.log = watch.log;
    plan.output = log;
    return plan;
  }

  // The first wish counts, but for being stuck.
  void cut(StageCut why, double now_s) {
    if (why == StageCut::kNone || end_.cut == StageCut::kStuck) return;
    if (end_.cut != StageCut::kNone) return;
    end_.cut = why;
    cut_s_ = now_s;
    if (why != StageCut::kStuck) process_.terminate();
  }

  void note_progress(double now_s) {
    std::error_code error;
    const auto said = std::filesystem::file_size(watch_.log, error);
    if (!error && said != said_) {
      said_ = said;
      moved_s_ = now_s;
    }
    const auto progress = read_progress(watch_.folder);
    if (!progress) return;
    // It may be that of an earlier launch as long as this one has not written its own.
    if (!known_ || progress->runs != last_runs_ || progress->ended) moved_s_ = now_s;
    if (known_ && progress->runs != last_runs_) end_.runs = progress->runs;
    known_ = true;
    last_runs_ = progress->runs;
  }

  void measure(double now_s) {
    measured_s_ = now_s;
    const uint64_t kib = memory_of_tree_kib(process_.pid());
    end_.memory_kib = std::max(end_.memory_kib, kib);
    if (watch_.memory_kib && kib > *watch_.memory_kib) cut(StageCut::kMemory, now_s);
  }

  const StageWatch& watch_;
  Process process_;
  const double began_s_;
  StageEnd end_;
  double moved_s_ = 0;  // when there was progress last
  double looked_s_ = 0;
  double measured_s_ = 0;
  double cut_s_ = 0;
  uintmax_t said_ = 0;
  bool known_ = false;
  uint64_t last_runs_ = 0;
};

}  // namespace

const char* cut_name(StageCut cut) {
  static constexpr const char* kNames[] = {"",
                                           "its time was over",
                                           "the night was told to stop",
                                           "it made no progress",
                                           "it took more memory than 'limits: memory' allows",
                                           "the disk has less space than 'limits: free_at_least'"};
  return name_in(kNames, cut);
}

StageEnd run_stage_process(const StageWatch& watch, const std::atomic<bool>& stop,
                           const std::function<StageCut()>& look) {
  const UniqueFd log = open_log(watch.log);
  Launch launch(watch, log.get());
  return launch.run(stop, look);
}

}  // namespace esox
