// SPDX-License-Identifier: Apache-2.0
#include "targets/mysqld/server.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "base/process/file_tree.h"
#include "base/process/find_program.h"
#include "base/process/log_file.h"
#include "targets/mysqld/options.h"
#include "targets/mysqld/plugins.h"
#include "targets/mysqld/template.h"
#include "targets/running_process.h"

namespace esox {
namespace {

using std::filesystem::path;
using Clock = std::chrono::steady_clock;

constexpr const char* kReady = "ready for connections";

double milliseconds_since(Clock::time_point start) {
  return std::chrono::duration<double, std::milli>(Clock::now() - start).count();
}

}  // namespace

std::string title_of(Flavour flavour) {
  return flavour == Flavour::kMariadb ? "a MariaDB server" : "a MySQL server";
}

MysqldServer::MysqldServer(ServerOptions options, const ProgramPlaces& places, Flavour wanted)
    : options_(std::move(options)) {
  if (options_.cache.empty()) options_.cache = cache_base();
  if (options_.base.empty()) options_.base = temporary_base();
  check_options(options_.options);
  program_ = find_program(search_for(options_.program, places));
  release_ = ask_release(program_, title_of(wanted), options_.base);
  if (release_.is_mariadb != (wanted == Flavour::kMariadb)) {
    throw ServerError(fmt::format("{} is {} ({}); hunt it with inputs of server {}",
                                  program_.string(), release_.is_mariadb ? "MariaDB" : "MySQL",
                                  release_.version_name(),
                                  release_.is_mariadb ? "mariadb" : "mysql"));
  }
  for (std::string& option : plugin_options(program_, options_.options)) {
    options_.options.push_back(std::move(option));
  }
  if (const std::string missing = missing_for_privacy(release_); !missing.empty()) {
    throw ServerError(fmt::format(
        "{} ({}) has no option --{}, without which it cannot be kept in a private folder",
        program_.string(), release_.version_name(), missing));
  }
}

void MysqldServer::prepare() {
  remove_abandoned(options_.base);
  template_ = ensure_template(
      TemplateRequest{program_, release_, options_.options, options_.cache, options_.base});
  remove_abandoned(options_.cache);
}

std::unique_ptr<RunningServer> MysqldServer::start(const StartRequest& request) {
  if (template_.empty()) throw ServerError("prepare() has not been called for this server");
  if (request.directory == nullptr)
    throw ServerError("no private folder given to start a server in");
  check_options(request.options);
  const path& folder = request.directory->path();
  const MysqldPaths paths{folder / "data", folder / "tmp", request.directory->socket_path("socket"),
                          folder / "pid"};
  StartTimes times;
  const auto copying = Clock::now();
  remove_tree(paths.data);
  remove_tree(paths.temporary);
  copy_tree(request.left_by.empty() ? template_ : request.left_by / "data", paths.data);
  if (mkdir(paths.temporary.c_str(), 0700) != 0) {
    throw ServerError(fmt::format("cannot make {}: {}", paths.temporary.string(), strerror(errno)));
  }
  times.copy_ms = milliseconds_since(copying);
  unlink(paths.socket.c_str());

  std::vector<std::string> options = options_.options;
  options.insert(options.end(), request.options.begin(), request.options.end());
  const auto booting = Clock::now();
  auto running = std::make_unique<RunningProcess>(
      ProcessPlan{program_, command_line(release_, program_, paths, options), request.environment,
                  folder, folder / "server.log", "/dev/null", request.enclosure},
      paths.socket.string());
  LogWatch ready(running->log_path(), kReady);
  running->wait_until([&] { return ready.seen(); }, request.deadline);
  times.boot_ms = milliseconds_since(booting);
  running->set_times(times);
  return running;
}

}  // namespace esox
