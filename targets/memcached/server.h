// SPDX-License-Identifier: Apache-2.0
// A private memcached: any memcached, unmodified or annotated, on a unix socket and nothing else.
//
// It keeps all data in memory, so there is no template: a start is a fresh server. Ready means that
// its socket is there; it begins to listen right after making it, so the clients try again while
// they are refused (client/memcached.h). Trying to connect here would take one of its turns in
// giving connections to worker threads.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "targets/program_places.h"
#include "targets/server.h"

namespace esox {

ProgramPlaces memcached_places();

class MemcachedServer final : public Server {
 public:
  explicit MemcachedServer(ServerOptions options = {});  // finds the program; throws ServerError

  void prepare() override;
  std::unique_ptr<RunningServer> start(const StartRequest& request) override;
  const std::filesystem::path& program() const override { return program_; }
  const std::string& version() const override { return version_; }

 private:
  ServerOptions options_;
  std::filesystem::path program_;
  std::string version_;
};

// The whole command line, without the program. Throws ServerError for an option that is not of the
// form --name or --name=value, names a path, opens a port or leaves the current user.
std::vector<std::string> memcached_command_line(const std::string& socket,
                                                const std::vector<std::string>& options);

}  // namespace esox
