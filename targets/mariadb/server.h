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
#include <vector>

#include "targets/server.h"

namespace esox {

struct MariadbOptions {
  std::string program;               // empty: found by find_mariadbd
  std::vector<std::string> options;  // for every start; part of the template's key
  std::filesystem::path cache;       // of templates; empty: cache_base()
  std::filesystem::path base;        // of private folders; empty: temporary_base()
};

// The path of mariadbd: `wanted` if given (a path, or a name in $PATH), else mariadbd or mysqld in
// $PATH, else in /usr/sbin, /usr/local/sbin, /usr/libexec. Throws ServerError with the remedy.
std::filesystem::path find_mariadbd(const std::string& wanted);

class MariadbServer final : public Server {
 public:
  explicit MariadbServer(MariadbOptions options = {});  // finds the program; throws ServerError

  void prepare() override;
  std::unique_ptr<RunningServer> start(const StartRequest& request) override;
  const std::string& version() const override { return version_; }
  const std::filesystem::path& program() const override { return program_; }
  // Empty before prepare().
  const std::filesystem::path& template_folder() const { return template_; }

 private:
  MariadbOptions options_;
  std::filesystem::path program_;
  std::string version_;
  std::filesystem::path template_;
};

}  // namespace esox
