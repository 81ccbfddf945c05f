// SPDX-License-Identifier: Apache-2.0
// A private server of MySQL's kind: any mysqld or mariadbd, unmodified, on a copy of a template
// data directory.
//
// Ready means that its log says "ready for connections", which it says when it has begun to listen
// and all that boot does is done. Trying to connect would tell as much but leave a trace in the
// server: a thread started, a connection number taken, a warning in the log, at a moment of its own
// choosing - the first thing a repeatable execution does not need.
#pragma once

#include <filesystem>
#include <memory>
#include <string>

#include "targets/mysqld/release.h"
#include "targets/server.h"

namespace esox {

enum class Flavour { kMariadb, kMysql };
std::string title_of(Flavour flavour);  // "a MariaDB server"

class MysqldServer : public Server {
 public:
  // Finds the program and asks what it is. The options are part of the template's key. Throws
  // ServerError, also if it is not the `wanted` one of the two.
  MysqldServer(ServerOptions options, const ProgramPlaces& places, Flavour wanted);

  void prepare() override;
  std::unique_ptr<RunningServer> start(const StartRequest& request) override;
  const std::string& version() const override { return release_.version_line; }
  const std::filesystem::path& program() const override { return program_; }
  const Release& release() const { return release_; }
  // The template.
  std::filesystem::path prepared() const override { return template_; }

 private:
  ServerOptions options_;
  std::filesystem::path program_;
  Release release_;
  std::filesystem::path template_;
};

}  // namespace esox
