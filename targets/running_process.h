// SPDX-License-Identifier: Apache-2.0
// A running server that is one process of ours: what all kinds of server have in common.
#pragma once

#include <functional>
#include <string>

#include "base/process/process.h"
#include "targets/server.h"

namespace esox {

class RunningProcess final : public RunningServer {
 public:
  // Starts it. `socket`: where it will listen.
  RunningProcess(const ProcessPlan& plan, std::string socket);
  ~RunningProcess() override { process_.kill(); }

  // Looks every millisecond whether it is `ready`, and at once when the process ends. The limit
  // begins anew, up to ten times as long, whenever its log has grown: a start takes long on a busy
  // machine, and one that hangs says nothing. Throws ServerError with the complaint of its log.
  void wait_until(const std::function<bool()>& ready, std::chrono::milliseconds limit);
  void set_times(StartTimes times) { times_ = times; }

  const std::string& socket_path() const override { return socket_; }
  pid_t pid() const override { return process_.pid(); }
  int pidfd() const override { return process_.pidfd(); }
  bool alive() override { return process_.alive(); }
  bool wait_for_end(std::chrono::milliseconds limit) override;
  std::string exit_text() override;
  const std::filesystem::path& log_path() const override { return log_; }
  std::string log_tail(size_t lines) const override;
  StartTimes times() const override { return times_; }
  void stop() override { process_.kill(); }

 private:
  std::string socket_;
  std::filesystem::path log_;
  std::string program_;
  StartTimes times_;
  Process process_;
};

}  // namespace esox
