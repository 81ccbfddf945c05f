// SPDX-License-Identifier: Apache-2.0
// See mariadb.h.
#include "harness/server/mariadb.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <sstream>
#include <utility>

#include "harness/server/file_tree.h"
#include "harness/server/log_file.h"
#include "harness/server/mariadb_options.h"
#include "harness/server/mariadb_template.h"
#include "harness/server/process.h"

namespace esox {
namespace {

using std::filesystem::path;
using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

constexpr auto kVersionLimit = 20s;
constexpr const char* kReady = "ready for connections";

double milliseconds_since(Clock::time_point start) {
  return std::chrono::duration<double, std::milli>(Clock::now() - start).count();
}

bool is_program(const path& file) {
  struct stat status {};
  return stat(file.c_str(), &status) == 0 && S_ISREG(status.st_mode) &&
         access(file.c_str(), X_OK) == 0;
}

path search(const std::string& name, const std::string& folders) {
  std::istringstream list(folders);
  for (std::string folder; std::getline(list, folder, ':');) {
    const path file = path(folder.empty() ? "." : folder) / name;
    if (is_program(file)) return std::filesystem::absolute(file);
  }
  return {};
}

std::string search_path() {
  const char* value = std::getenv("PATH");
  return value == nullptr ? "" : value;
}

// One request to the program itself. It is also the first proof that it runs on this machine.
std::string ask_version(const path& program, const path& base) {
  const PrivateDirectory folder(base);
  const path log = folder.path() / "version.log";
  Process process(ProcessPlan{program, {"--no-defaults", "--version"}, {}, folder.path(), log});
  const auto ended = process.wait(kVersionLimit);
  std::string said = tail_of(log, 1);
  const bool fine = ended && ended->signal == 0 && ended->code == 0 && !said.empty();
  if (fine) return said;
  throw ServerError(
      fmt::format("{} --version does not answer ({}); is it a MariaDB server?", program.string(),
                  ended ? text_of(*ended) : "still running after 20 s"),
      tail_of(log, 20));
}

class RunningMariadb final : public RunningServer {
 public:
  RunningMariadb(const ProcessPlan& plan, std::string socket)
      : socket_(std::move(socket)), log_(plan.log), line_(plan.arguments), process_(plan) {
    line_.insert(line_.begin(), plan.program.string());
  }
  ~RunningMariadb() override { process_.kill(); }

  const std::string& socket_path() const override { return socket_; }
  pid_t pid() const override { return process_.pid(); }
  int pidfd() const override { return process_.pidfd(); }
  bool alive() override { return process_.alive(); }
  bool wait_for_end(std::chrono::milliseconds limit) override {
    return process_.wait(limit).has_value();
  }
  std::string exit_text() override {
    const auto ended = process_.wait(0ms);
    return ended ? text_of(*ended) : std::string();
  }
  const path& log_path() const override { return log_; }
  std::string log_tail(size_t lines) const override { return tail_of(log_, lines); }
  StartTimes times() const override { return times_; }
  const std::vector<std::string>& command_line() const override { return line_; }
  void stop() override { process_.kill(); }

  void set_times(StartTimes times) { times_ = times; }

  // Looks every millisecond, and at once when the process ends.
  void wait_until_ready(std::chrono::milliseconds limit) {
    LogWatch ready(log_, kReady);
    const auto end = Clock::now() + limit;
    while (!ready.seen()) {
      if (const auto ended = process_.wait(1ms)) give_up("died at start (" + text_of(*ended) + ")");
      if (Clock::now() > end) give_up(fmt::format("was not ready within {} ms", limit.count()));
    }
  }

 private:
  [[noreturn]] void give_up(const std::string& what) {
    const std::string why = complaint_of(log_);
    throw ServerError(fmt::format("{} {}{}{}", line_[0], what, why.empty() ? "" : ": ", why),
                      tail_of(log_, 20));
  }

  std::string socket_;
  path log_;
  std::vector<std::string> line_;
  StartTimes times_;
  Process process_;
};

}  // namespace

path find_mariadbd(const std::string& wanted) {
  if (wanted.find('/') != std::string::npos) {
    if (is_program(wanted)) return std::filesystem::absolute(wanted);
    throw ServerError(
        fmt::format("{} is not a program that can be run; give the path of mariadbd", wanted));
  }
  const std::string folders = search_path() + ":/usr/sbin:/usr/local/sbin:/usr/libexec";
  const std::vector<std::string> names = wanted.empty()
                                             ? std::vector<std::string>{"mariadbd", "mysqld"}
                                             : std::vector<std::string>{wanted};
  for (const std::string& name : names) {
    if (path found = search(name, folders); !found.empty()) return found;
  }
  throw ServerError(fmt::format(
      "no {} in $PATH or /usr/sbin; install it (Debian: mariadb-server-core) or give its path",
      names[0]));
}

MariadbServer::MariadbServer(MariadbOptions options) : options_(std::move(options)) {
  if (options_.cache.empty()) options_.cache = cache_base();
  if (options_.base.empty()) options_.base = temporary_base();
  check_options(options_.options);
  program_ = find_mariadbd(options_.program);
  version_ = ask_version(program_, options_.base);
}

void MariadbServer::prepare() {
  remove_abandoned(options_.base);
  template_ = ensure_template(
      TemplateRequest{program_, version_, options_.options, options_.cache, options_.base});
  remove_abandoned(options_.cache);
}

std::unique_ptr<RunningServer> MariadbServer::start(const StartRequest& request) {
  if (template_.empty()) throw ServerError("prepare() has not been called for this server");
  if (request.directory == nullptr)
    throw ServerError("no private folder given to start a server in");
  check_options(request.options);
  const path& folder = request.directory->path();
  const MariadbPaths paths{folder / "data", folder / "tmp",
                           request.directory->socket_path("socket"), folder / "pid"};
  StartTimes times;
  const auto copying = Clock::now();
  remove_tree(paths.data);
  remove_tree(paths.temporary);
  copy_tree(template_, paths.data);
  if (mkdir(paths.temporary.c_str(), 0700) != 0) {
    throw ServerError(fmt::format("cannot make {}: {}", paths.temporary.string(), strerror(errno)));
  }
  times.copy_ms = milliseconds_since(copying);
  unlink(paths.socket.c_str());

  std::vector<std::string> options = options_.options;
  options.insert(options.end(), request.options.begin(), request.options.end());
  const auto booting = Clock::now();
  auto running = std::make_unique<RunningMariadb>(
      ProcessPlan{program_, command_line(paths, options), request.environment, folder,
                  folder / "server.log", "/dev/null", request.enclosure},
      paths.socket.string());
  running->wait_until_ready(request.deadline);
  times.boot_ms = milliseconds_since(booting);
  running->set_times(times);
  return running;
}

}  // namespace esox
