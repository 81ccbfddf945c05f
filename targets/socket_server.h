// SPDX-License-Identifier: Apache-2.0
// A private server that keeps its data in memory and listens on a unix socket: a program, and how
// its command line is made. There is nothing to prepare: each start is a fresh server.
//
// It is ready when its socket is there. It may begin to listen right after making it, so clients
// try again while they are refused (socket_client.h). Trying to connect here would be a client that
// the server counts.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "targets/server.h"

namespace esox {

// The whole command line, without the program. Throws ServerError for an option that may not be
// given: one that would lead out of the private folder.
using MakeCommandLine = std::function<std::vector<std::string>(
    const std::string& socket, const std::vector<std::string>& options)>;

// What a program is, and how it is started.
struct SocketProgram {
  std::string version;
  MakeCommandLine make_command_line;
};

// Asks the program; `base`: where private folders are made. Throws ServerError.
using LookAtProgram = std::function<SocketProgram(const std::filesystem::path& program,
                                                  const std::filesystem::path& base)>;

class SocketServer : public Server {
 public:
  // Finds the program and looks at it. Throws ServerError, also for an option that may not be
  // given.
  SocketServer(ServerOptions options, const ProgramPlaces& places, const LookAtProgram& look_at);
  // Of a program that answers --version, and is started alike in all releases. `kind`: "a key-value
  // server".
  SocketServer(ServerOptions options, const ProgramPlaces& places, const std::string& kind,
               const MakeCommandLine& make_command_line);

  void prepare() override;
  std::unique_ptr<RunningServer> start(const StartRequest& request) override;
  const std::filesystem::path& program() const override { return program_; }
  const std::string& version() const override { return look_.version; }

 private:
  ServerOptions options_;
  std::filesystem::path program_;
  SocketProgram look_;
};

}  // namespace esox
