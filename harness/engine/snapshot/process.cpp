// SPDX-License-Identifier: Apache-2.0
#include "harness/engine/snapshot/process.h"

#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <thread>

#include "base/process/proc.h"
#include "harness/engine/snapshot/refused.h"

namespace esox {
namespace {

constexpr int kParkAttempts = 20;
constexpr std::chrono::milliseconds kBetweenAttempts{2};
constexpr std::chrono::milliseconds kUnblockedLimit{2'000};
constexpr std::chrono::milliseconds kKillLimit{10'000};

void set_path(const std::string& path, char (&to)[kMaxSnapshotPath]) {
  if (path.size() >= kMaxSnapshotPath) {
    throw SnapshotRefused(fmt::format("the path {} is too long for a snapshot", path));
  }
  path.copy(to, kMaxSnapshotPath - 1);
}

bool blocks_parking(pid_t pid) {
  const auto blocked = proc_field(fmt::format("/proc/{0}/task/{0}/status", pid), "SigBlk");
  return blocked && (std::stoull(*blocked, nullptr, 16) >> (kParkSignal - 1) & 1u) != 0;
}

// The main thread of a child that has just come to life, or of a process that could not be parked,
// may still be in its handler: what it calls there is not what it will be interrupted in.
void await_signals_unblocked(pid_t pid) {
  for (auto turns = kUnblockedLimit / kBetweenAttempts; turns > 0 && blocks_parking(pid); --turns) {
    std::this_thread::sleep_for(kBetweenAttempts);
  }
}

}  // namespace

SnapshotProcess::SnapshotProcess(UniqueFd pidfd, SnapshotChannel channel)
    : pidfd_(std::move(pidfd)), channel_(std::move(channel)) {}

pid_t SnapshotProcess::pid() const {
  if (pid_ <= 0) pid_ = pid_of(pidfd_.get());
  return pid_;
}

bool SnapshotProcess::wait(std::chrono::milliseconds limit) const {
  if (!pidfd_) return true;
  pollfd ended{pidfd_.get(), POLLIN, 0};
  const auto end = std::chrono::steady_clock::now() + limit;
  for (;;) {
    const int ready = poll(&ended, 1, static_cast<int>(std::max<int64_t>(limit.count(), 0)));
    if (ready >= 0) return ready > 0;
    if (errno != EINTR) return false;
    limit = std::chrono::ceil<std::chrono::milliseconds>(end - std::chrono::steady_clock::now());
  }
}

void SnapshotProcess::begin_kill() {
  if (pidfd_) syscall(SYS_pidfd_send_signal, pidfd_.get(), SIGKILL, nullptr, 0);
}

void SnapshotProcess::kill() {
  if (!pidfd_) return;
  begin_kill();
  wait(kKillLimit);
}

// The main thread's system call: it cannot see its own.
SnapshotRequest SnapshotProcess::park_request() const {
  SnapshotRequest request{};
  request.command = SnapshotCommand::kPark;
  request.park.syscall_number = -1;
  std::ifstream file(fmt::format("/proc/{0}/task/{0}/syscall", pid()));
  if (!file) {
    if (pidfd_ && ended()) throw TemplateLost("the snapshot's server ended before it was parked");
    throw SnapshotRefused(
        fmt::format("the server's main thread cannot be looked at: {}", strerror(errno)));
  }
  std::string text;
  std::getline(file, text);
  ParkRequest& park = request.park;
  auto& a = park.syscall_arguments;
  long number = -1;
  if (sscanf(text.c_str(), "%ld %lx %lx %lx %lx %lx %lx %*x %lx", &number, &a[0], &a[1], &a[2],
             &a[3], &a[4], &a[5], &park.syscall_pc) == 8) {
    park.syscall_number = number;
  }
  return request;
}

// To that thread alone. A signal to the process also wakes a thread that another one then takes it
// from: epoll_wait and sigwaitinfo end by EINTR upon that, though no handler ran that could make
// the call again.
void SnapshotProcess::call_main_thread() const {
  if (!ended()) syscall(SYS_tgkill, pid(), pid(), kParkSignal);
}

void SnapshotProcess::await_life() {
  channel_.receive();
}

void SnapshotProcess::park(PlanRequest request, bool move_memory) {
  SnapshotReply reply{};
  for (int attempt = 0;; ++attempt) {
    await_signals_unblocked(pid());
    SnapshotRequest park = park_request();
    check_mappings(pid(), request.root);
    park.park.move_memory = move_memory ? 1 : 0;
    channel_.send(park);
    call_main_thread();
    reply = channel_.receive();
    if (reply.ok != 0) break;
    if (reply.retry == 0 || attempt == kParkAttempts) throw SnapshotRefused(text_of(reply));
    std::this_thread::sleep_for(kBetweenAttempts);
  }
  threads_ = reply.threads;
  request.pid = pid();
  check_mappings(request.pid, "");
  for (const DescriptorImage& image : plan_descriptors(request)) {
    SnapshotRequest descriptor{};
    descriptor.command = SnapshotCommand::kDescriptor;
    descriptor.descriptor = image;
    channel_.send(descriptor);
  }
}

void SnapshotProcess::add_nest(const NestPlan& plan) {
  SnapshotRequest request{};
  request.command = SnapshotCommand::kNest;
  request.nest.nest = plan.number;
  request.nest.in_place = plan.from.empty() ? 1 : 0;
  set_path(plan.from, request.nest.from);
  set_path(plan.onto, request.nest.onto);
  set_path(plan.folder, request.nest.folder);
  channel_.ask(request);
}

SnapshotRequest SnapshotProcess::fork_request(const Fork& fork, std::vector<int>& passed) {
  SnapshotRequest request{};
  request.command = SnapshotCommand::kFork;
  passed = fork.sockets;
  if (fork.channel >= 0) passed.push_back(fork.channel);
  if (passed.size() > kMaxPassedSockets) {
    throw SnapshotRefused(fmt::format("{} connections are more than a snapshot can hold ({})",
                                      passed.size(), kMaxPassedSockets));
  }
  request.fork.nest = fork.nest;
  request.fork.sockets = static_cast<uint32_t>(passed.size());
  request.fork.has_channel = fork.channel >= 0 ? 1 : 0;
  request.fork.rewindable = fork.rewindable ? 1 : 0;
  request.fork.quiet_ns = fork.quiet.count();
  request.fork.fail_at = static_cast<int32_t>(fork.fail_at);
  return request;
}

void SnapshotProcess::begin_fork(const Fork& fork) {
  std::vector<int> passed;
  const SnapshotRequest request = fork_request(fork, passed);
  nest_ = fork.nest;
  channel_.send(request, passed);
}

UniqueFd SnapshotProcess::end_fork() {
  UniqueFd child;
  const SnapshotReply reply = channel_.receive(&child);
  if (reply.ok == 0) throw SnapshotRefused(text_of(reply));
  if (!child) {
    SnapshotRequest request{};
    request.command = SnapshotCommand::kEndChild;
    request.child_of = nest_;
    channel_.ask(request);
    throw SnapshotRefused(
        "no room for the descriptor of a forked server; raise the limit of open files (ulimit -n)");
  }
  return child;
}

std::string SnapshotProcess::last_words() {
  return channel_.take_child_text();
}

ExitStatus SnapshotProcess::reap(uint32_t nest) {
  SnapshotRequest request{};
  request.command = SnapshotCommand::kReap;
  request.child_of = nest;
  const int status = channel_.ask(request).status;
  ExitStatus result;
  if (WIFSIGNALED(status)) result.signal = WTERMSIG(status);
  if (WIFEXITED(status)) result.code = WEXITSTATUS(status);
  return result;
}

void SnapshotProcess::resume(std::chrono::nanoseconds later) {
  SnapshotRequest request{};
  request.command = SnapshotCommand::kResume;
  request.fork.quiet_ns = later.count();
  channel_.ask(request);
}

void SnapshotProcess::begin_rewind() {
  SnapshotRequest request{};
  request.command = SnapshotCommand::kRewind;
  channel_.send(request);
  call_main_thread();
}

bool SnapshotProcess::end_rewind(std::string& why) {
  const SnapshotReply reply = channel_.receive();
  if (reply.ok == 0) why = text_of(reply);
  return reply.ok != 0;
}

void SnapshotProcess::live_again(const Fork& fork) {
  std::vector<int> passed;
  SnapshotRequest request = fork_request(fork, passed);
  request.command = SnapshotCommand::kLiveAgain;
  request.fork.rewindable = 1;
  channel_.send(request, passed);
}

}  // namespace esox
