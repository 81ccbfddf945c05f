// SPDX-License-Identifier: Apache-2.0
#include "harness/programs/program_server.h"

#include <fmt/format.h>
#include <signal.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <string_view>

#include "base/process/server_error.h"
#include "harness/engine/futex.h"
#include "harness/programs/sanitizer.h"

namespace esox {
namespace {

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

constexpr auto kStartLimit = 60s;     // for the program to make its first thread
constexpr auto kSlice = 50ms;         // between two looks whether to stop
constexpr auto kAttendedSlice = 2ms;  // or whether there is something to be looked at
constexpr auto kEndLimit = 2s;        // for the program's process to end its last child
constexpr int64_t kProgramDate_ns = 1'893'456'000'000'000'000;  // 2030-01-01, as in hunts

std::string obstacle_text(const ProgramForks& forks) {
  switch (forks.obstacle) {
    case ForkObstacle::kDescriptor:
      return fmt::format(
          "it has a pipe, a socket, a file open for writing or the like by then (descriptor {})",
          forks.obstacle_fd);
    case ForkObstacle::kSharedMemory:
      return "it has memory by then that forks share";
    case ForkObstacle::kChildren:
      return "it has child processes by then";
    case ForkObstacle::kTimers:
      return "it has timers by then, which forks do not inherit";
    default:
      return "it has threads by then that were made past pthread_create";
  }
}

}  // namespace

ProgramServer::ProgramServer(const ProgramTarget& target, const std::atomic<bool>& stop)
    : target_(target), stop_(stop) {
  if (const std::string why = sanitizer_refusal(target.program); !why.empty()) {
    throw ServerError(why);
  }
  start(target.fork_at_start);
  if (forks().ready.load() != 2) return;
  obstacle_ = obstacle_text(forks());
  start(/*at_start=*/true);
}

// Told to end, it ends what its executions left behind, which we cannot see.
ProgramServer::~ProgramServer() {
  forks().asked.store(kNoMoreForks);
  futex_wake(forks().asked);
  kill_child();
  process_->wait(kEndLimit);
}

void ProgramServer::start(bool at_start) {
  process_.reset();
  output_.empty();
  forks_at_start_ = at_start;
  asked_ = 0;
  control_.reset(ControlMode::kProgram, target_.control, kProgramDate_ns, target_.folder.string());
  forks().point = at_start ? ForkPoint::kStart : ForkPoint::kFirstThread;
  forks().virtual_limit_ns =
      static_cast<uint64_t>(std::chrono::nanoseconds(target_.virtual_limit).count());
  control_.block().step_limit = UINT64_MAX;  // to the fork point it may be far
  control_.arm(ControlPlan{});
  ProcessPlan plan;
  plan.program = target_.program;
  plan.arguments = target_.arguments;
  plan.folder = target_.folder;
  plan.output = output_.fd();
  plan.environment = control_.environment(target_.preload_library.string());
  plan.environment.emplace_back("LD_BIND_NOW=1");
  plan.environment.insert(plan.environment.end(), target_.environment.begin(),
                          target_.environment.end());
  process_ = std::make_unique<Process>(plan);
  await_fork_point();
  modules_ = mapped_modules(process_->pid());
  name_bytes_ = control_.block().name_bytes;
  output_before_ = output_.text();
}

void ProgramServer::await_fork_point() {
  const auto until = Clock::now() + kStartLimit;
  while (forks().ready.load() == 0) {
    futex_wait(forks().ready, uint32_t{0}, 20ms);
    if (forks().ready.load() != 0) return;
    if (const auto ended = process_->wait(0ms)) tell_no_fork_point(*ended);
    if (stop_.load()) throw ServerError("stopped before the program was ready");
    if (Clock::now() >= until) {
      throw ServerError(fmt::format("{} has made no thread within {} s; is it waiting for input?",
                                    target_.program.string(), kStartLimit / 1s),
                        output_.text());
    }
  }
}

void ProgramServer::tell_no_fork_point(const ExitStatus& status) {
  const std::string name = target_.program.string();
  const ControlBlock& b = control_.block();
  if (b.loaded.load() == 0) {
    // What the preload itself has to say, before it gives up.
    static constexpr std::string_view kOwn = "esox: ";
    const std::string said = output_.text();
    if (said.starts_with(kOwn)) {
      throw ServerError(said.substr(kOwn.size(), said.find('\n') - kOwn.size()));
    }
    throw ServerError(
        fmt::format("{} did not load {}: it is linked statically, made for another architecture, "
                    "or has privileges; give a dynamically linked program",
                    name, target_.preload_library.filename().string()),
        output_.text());
  }
  if (forks().replaced.load() != 0) {
    throw ServerError(
        fmt::format(
            "{} became another program (exec) before it made a thread; give that program itself",
            name),
        output_.text());
  }
  if (b.ending == ControlEnding::kDeadlock) {
    throw ServerError(fmt::format("{} waits for ever before it has made a thread", name),
                      output_.text());
  }
  if (b.ending == ControlEnding::kHang) {
    throw ServerError(fmt::format("{} goes on for ever without making a thread", name),
                      output_.text());
  }
  throw ServerError(fmt::format("{} ended ({}) without making a thread: there is nothing to "
                                "schedule; if others do that for it, give their program",
                                name, text_of(status)),
                    output_.text());
}

void ProgramServer::ask(const ProgramSpec& spec) {
  output_.empty();
  ControlPlan plan;
  plan.strategy = spec.strategy;
  plan.seed = spec.seed;
  plan.expected_points = spec.expected_points;
  plan.expected_points_of = spec.expected_points_of;
  plan.shared_objects = spec.shared_objects;
  plan.choices = spec.choices;
  plan.values = spec.values;
  plan.accesses = target_.accesses;
  control_.arm(plan);
  ControlBlock& b = control_.block();
  b.clients = spec.expected_threads;
  b.step_limit = target_.control.step_limit;
  b.name_bytes = name_bytes_;
  b.crash.state.store(0);
  b.crash.pc = 0;
  b.virtual_elapsed_ns = 0;
  ProgramForks& f = forks();
  f.attended = spec.attended ? 1 : 0;
  f.child.store(0);
  f.replaced.store(0);
  f.asked.store(++asked_);
  futex_wake(f.asked);
}

ProgramEnd ProgramServer::run(const ProgramSpec& spec) {
  ProgramEnd end;
  ask(spec);
  await_end(spec, end);
  read_end(end);
  return end;
}

void ProgramServer::await_end(const ProgramSpec& spec, ProgramEnd& end) {
  const auto until = Clock::now() + spec.limit;
  bool killed = false;
  while (forks().ended.load() != asked_) {
    const auto slice = spec.attended ? kAttendedSlice : kSlice;
    const auto left = std::chrono::duration_cast<std::chrono::microseconds>(until - Clock::now());
    const auto wait = killed ? std::chrono::microseconds(kSlice)
                             : std::clamp<std::chrono::microseconds>(left, 0us, slice);
    futex_wait(forks().ended, asked_ - 1, wait);
    if (forks().ended.load() == asked_) break;
    if (!process_->alive()) {
      throw ServerError(
          fmt::format("the process of {} from which executions are forked was ended by somebody",
                      target_.program.string()));
    }
    if (killed) continue;
    end.stopped = stop_.load();
    end.out_of_time = !end.stopped && Clock::now() >= until;
    end.too_much_output = output_.is_too_large();
    const bool seen = spec.attended && look_after(end);
    killed = end.stopped || end.out_of_time || end.too_much_output || seen;
    if (killed) kill_child();
  }
}

// True if the child is not going to end by itself, and was looked at.
bool ProgramServer::look_after(ProgramEnd& end) {
  ControlBlock& b = control_.block();
  if (b.crash.state.load() == 2) {
    take_stacks_of_child(end);
    for (ThreadStack& stack : end.stacks) leave_out_the_handler(stack, b.crash.pc);
    b.crash.state.store(3);
    futex_wake(b.crash.state);
  }
  const bool standing = b.phase.load() == Phase::kEnded;
  if (standing || end.out_of_time) take_stacks_of_child(end);
  return standing;
}

void ProgramServer::take_stacks_of_child(ProgramEnd& end) {
  const pid_t child = forks().child.load();
  if (child <= 1) return;
  std::string ignored;  // the report goes without stacks then
  end.stacks = take_stacks(child, modules_, &ignored);
}

// Its number is its own until the next execution is asked for, as long as its parent lives; that is
// looked at once the descriptor means this child or nobody.
void ProgramServer::kill_child() {
  const pid_t child = forks().child.load();
  if (child <= 1) return;
  const UniqueFd pidfd(static_cast<int>(syscall(SYS_pidfd_open, child, 0)));
  if (!pidfd || !process_->alive()) return;
  syscall(SYS_pidfd_send_signal, pidfd.get(), SIGKILL, nullptr, 0);
}

void ProgramServer::read_end(ProgramEnd& end) {
  const ControlBlock& b = control_.block();
  const ProgramForks& f = forks();
  if (f.error != 0) {
    throw ServerError(fmt::format(
        "{} cannot be forked: {}; is the limit of processes reached, or the memory full?",
        target_.program.string(), strerror(f.error)));
  }
  const bool exited = f.status_code == CLD_EXITED;
  end.status = ExitStatus{exited ? 0 : f.status, exited ? f.status : 0};
  const bool stands = b.phase.load() == Phase::kEnded;
  end.ending = stands ? b.ending : ControlEnding::kNone;
  end.out_of_virtual_time = end.ending == ControlEnding::kHang && b.points <= b.step_limit;
  end.degraded = b.degraded.load();
  end.points = b.points;
  end.offered = b.offered;
  std::copy(b.offered_of, b.offered_of + kMaxClients, end.offered_of.begin());
  end.switches = b.switches;
  end.diverged = b.diverged;
  end.threads = b.threads;
  end.replaced = f.replaced.load() != 0;
  if (b.crash.state.load() != 0) {
    end.crash_pc = b.crash.pc;
    end.crash_address = b.crash.address;
    end.crash_thread = b.crash.thread;
  }
  for (uint32_t i = 1; i < b.threads && i < kMaxSlots; ++i) {
    const ThreadSlot& slot = b.slots[i];
    const bool over = slot.state == ThreadState::kFree || slot.state == ThreadState::kFinished;
    end.live_threads += !over && slot.detached == 0;
  }
}

ExecutionRecord ProgramServer::record() const {
  const ControlBlock& b = control_.block();
  ExecutionRecord record;
  record.choices.assign(b.choices, b.choices + b.choice_count);
  record.values.assign(b.values, b.values + b.value_count);
  record.trace.assign(b.trace, b.trace + b.trace_count);
  record.names = read_names(b);
  record.modules = modules_;
  return record;
}

std::vector<CycleEntry> ProgramServer::waiting() const {
  const ControlBlock& b = control_.block();
  std::vector<CycleEntry> waiting(b.cycle, b.cycle + std::min(b.cycle_length, kMaxCycle));
  if (b.phase.load() == Phase::kEnded) return waiting;
  // Ended from outside, since one of them went on without a call: that one could have gone on.
  const ThreadId current = b.choice_count == 0 ? ThreadId{0} : b.choices[b.choice_count - 1].thread;
  for (uint32_t i = 0; i < b.threads && i < kMaxSlots && waiting.size() < kMaxCycle; ++i) {
    const ThreadSlot& slot = b.slots[i];
    if (slot.state == ThreadState::kFree || slot.state == ThreadState::kFinished) continue;
    const auto thread = static_cast<ThreadId>(i);
    waiting.push_back({thread,
                       thread == current ? thread : kNoThread,
                       slot.pending_kind,
                       {},
                       slot.pending_object,
                       slot.pending_site,
                       0});
  }
  return waiting;
}

std::vector<WaitingThread> ProgramServer::decisions() const {
  const ControlBlock& b = control_.block();
  return {b.waiting, b.waiting + std::min(b.waiting_count, kMaxWaiting)};
}

std::vector<uint64_t> ProgramServer::routines() const {
  const ControlBlock& b = control_.block();
  std::vector<uint64_t> routines;
  for (uint32_t i = 0; i < b.threads && i < kMaxSlots; ++i) routines.push_back(b.slots[i].routine);
  return routines;
}

}  // namespace esox
