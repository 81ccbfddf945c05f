// SPDX-License-Identifier: Apache-2.0
// A private MariaDB: any mariadbd, unmodified, on a copy of a template data directory.
//
// Ready means that its log says "ready for connections", which it says when it has begun to listen
// and all that boot does is done. Trying to connect would tell as much but leave a trace in the
// server: a thread started, a connection number taken, a warning in the log, at a moment of its own
// choosing - the first thing a repeatable execution does not need.
#pragma once

#include <filesystem>
#include <memory>
#include <string>

#include "targets/server.h"

namespace esox {

ProgramPlaces mariadb_places();

class MariadbServer final : public Server {
 public:
  // Finds the program. The options are part of the template's key. Throws ServerError.
  explicit MariadbServer(ServerOptions options = {});

  void prepare() override;
  std::unique_ptr<RunningServer> start(const StartRequest& request) override;
  const std::string& version() const override { return version_; }
  const std::filesystem::path& program() const override { return program_; }
  // The template.
  std::filesystem::path prepared() const override { return template_; }

 private:
  ServerOptions options_;
  std::filesystem::path program_;
  std::string version_;
  std::filesystem::path template_;
};

}  // namespace esox
