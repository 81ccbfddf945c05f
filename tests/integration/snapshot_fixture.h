// SPDX-License-Identifier: Apache-2.0
// A small program that holds and waits for everything there is
// (tests/programs/parked_threads_correct.cpp), in an enclosure, ready to become a template.
#pragma once

#include <fcntl.h>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>

#include <fstream>
#include <iostream>
#include <memory>
#include <string>
#include <thread>

#include "base/process/private_directory.h"
#include "base/process/process.h"
#include "harness/engine/control.h"
#include "harness/engine/snapshot/files.h"
#include "harness/engine/snapshot/process.h"
#include "tests/integration/leftovers.h"

namespace esox {

inline constexpr int kReplyLimit_ms = 20'000;

inline std::pair<UniqueFd, UniqueFd> socket_pair() {
  int ends[2];
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
    throw std::runtime_error("socketpair");
  return {UniqueFd(ends[0]), UniqueFd(ends[1])};
}

inline UniqueFd connect_to(const std::string& path) {
  UniqueFd fd(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  path.copy(address.sun_path, sizeof address.sun_path - 1);
  for (int i = 0; i < 500; ++i) {
    if (connect(fd.get(), reinterpret_cast<sockaddr*>(&address), sizeof address) == 0) return fd;
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  return UniqueFd();
}

inline std::string ask(int fd, const std::string& text) {
  if (send(fd, text.data(), text.size(), MSG_NOSIGNAL) < 0) return "(cannot send)";
  pollfd waiting{fd, POLLIN, 0};
  if (poll(&waiting, 1, kReplyLimit_ms) != 1) return "(no reply)";
  char reply[256] = {};
  const ssize_t got = recv(fd, reply, sizeof reply - 1, 0);
  return got <= 0 ? "(hung up)" : reply;
}

class SnapshotProgramFixture : public testing::Test {
 protected:
  explicit SnapshotProgramFixture(uint64_t store_bytes = kStoreBytes)
      : enclosure_(store_.path(), store_bytes) {}

  void SetUp() override {
    control_.reset(ControlMode::kClients, {}, 0, folder_.path().string());
    auto [ours, theirs] = SnapshotChannel::make_pair();
    ProcessPlan plan;
    plan.program = std::filesystem::path(ESOX_PROGRAMS) / "program_parked_threads_correct";
    plan.arguments = {socket_};
    plan.folder = folder_.path();
    plan.log = folder_.path() / "output";
    plan.environment = control_.enclose(enclosure_, ESOX_PRELOAD, theirs.get());
    plan.enclosure = &enclosure_;
    first_process_ = std::make_unique<Process>(plan);
    enclosure_.receive();
    theirs.reset();
    template_ = std::make_unique<SnapshotProcess>(
        UniqueFd(fcntl(enclosure_.program_pidfd(), F_DUPFD_CLOEXEC, 0)),
        SnapshotChannel(std::move(ours)));
    client_ = connect_to(socket_);
    ASSERT_TRUE(client_);
    server_fd_ = std::stoi(ask(client_.get(), "fd"));
  }

  // Whatever happened: nobody is left.
  void TearDown() override {
    if (HasFailure()) {
      std::cerr << std::ifstream(folder_.path() / "output").rdbuf();
      if (const auto ended = first_process_->wait(std::chrono::milliseconds(100)))
        std::cerr << "The program: " << text_of(*ended) << '\n';
    }
    template_.reset();
    first_template_.reset();
    first_process_.reset();
    EXPECT_TRUE(all_processes_end());
  }

  // All steps up to the first fork; what cannot be done is thrown.
  void park() { park_template("0", /*move_memory=*/true); }

  void park_template(const std::string& copy, bool move_memory) {
    PlanRequest request;
    request.root = folder_.path().string();
    request.sockets[server_fd_] = 0;
    template_->park(request, move_memory);
    copy_ = std::make_unique<FileCopy>(
        std::filesystem::path(fmt::format("/proc/self/fd/{}/{}", enclosure_.store_fd(), copy)),
        FileState{folder_.path(), {}});
    NestPlan nest;
    nest.from = (store_.path() / copy).string();
    nest.onto = nest.folder = folder_.path().string();
    template_->add_nest(nest);
  }

  struct Child {
    std::unique_ptr<SnapshotProcess> process;
    UniqueFd client;
  };
  Child fork(SnapshotStep fail_at = SnapshotStep::kNone) {
    return fork_with(socket_pair(), fail_at);
  }
  Child fork_with(std::pair<UniqueFd, UniqueFd> sockets,
                  SnapshotStep fail_at = SnapshotStep::kNone) {
    auto& [ours, theirs] = sockets;
    SnapshotProcess::Fork fork;
    fork.fail_at = fail_at;
    fork.sockets = {theirs.get()};
    template_->begin_fork(fork);
    return {std::make_unique<SnapshotProcess>(template_->end_fork(), SnapshotChannel()),
            std::move(ours)};
  }

  // A child of the template becomes the template, as a server does that was set up: what it answers
  // comes first.
  void park_again(const std::string& request) {
    auto [channel, end] = SnapshotChannel::make_pair();
    auto [ours, theirs] = socket_pair();
    SnapshotProcess::Fork fork;
    fork.sockets = {theirs.get()};
    fork.channel = end.get();
    template_->begin_fork(fork);
    auto child = std::make_unique<SnapshotProcess>(template_->end_fork(),
                                                   SnapshotChannel(std::move(channel)));
    end.reset();
    child->await_life();
    ask(ours.get(), request);
    first_template_ = std::move(template_);
    template_ = std::move(child);
    park_template("1", /*move_memory=*/false);
  }

  Child fork_rewindable(SnapshotStep fail_at = SnapshotStep::kNone) {
    auto [channel, end] = SnapshotChannel::make_pair();
    auto [ours, theirs] = socket_pair();
    SnapshotProcess::Fork fork;
    fork.sockets = {theirs.get()};
    fork.channel = end.get();
    fork.rewindable = true;
    fork.fail_at = fail_at;
    template_->begin_fork(fork);
    return {std::make_unique<SnapshotProcess>(template_->end_fork(),
                                              SnapshotChannel(std::move(channel))),
            std::move(ours)};
  }
  // Back to its birth. Empty, or why it cannot.
  std::string rewind(Child& child) {
    std::string why;
    child.process->begin_rewind();
    if (!child.process->end_rewind(why)) return why;
    copy_->become({folder_.path(), {}});
    auto [ours, theirs] = socket_pair();
    SnapshotProcess::Fork life;
    life.sockets = {theirs.get()};
    child.process->live_again(life);
    child.client = std::move(ours);
    return {};
  }

  PrivateDirectory folder_{temporary_base()};
  PrivateDirectory store_{temporary_base()};
  std::string socket_ = folder_.socket_path("socket");
  ControlMemory control_;
  Enclosure enclosure_;
  std::unique_ptr<Process> first_process_;
  std::unique_ptr<SnapshotProcess> first_template_;  // after park_again()
  std::unique_ptr<SnapshotProcess> template_;
  std::unique_ptr<FileCopy> copy_;
  UniqueFd client_;
  int server_fd_ = -1;
};

}  // namespace esox
