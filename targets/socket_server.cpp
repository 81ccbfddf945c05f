// SPDX-License-Identifier: Apache-2.0
#include "targets/socket_server.h"

#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <utility>

#include "base/process/file_tree.h"
#include "base/process/find_program.h"
#include "targets/running_process.h"

namespace esox {
namespace {

using Clock = std::chrono::steady_clock;

bool has_socket(const std::string& file) {
  struct stat status {};
  return stat(file.c_str(), &status) == 0 && S_ISSOCK(status.st_mode);
}

}  // namespace

SocketServer::SocketServer(ServerOptions options, const ProgramPlaces& places,
                           const LookAtProgram& look_at)
    : options_(std::move(options)) {
  if (options_.base.empty()) options_.base = temporary_base();
  program_ = find_program(search_for(options_.program, places));
  look_ = look_at(program_, options_.base);
  look_.make_command_line("", options_.options);  // complains now, not at the first start
}

SocketServer::SocketServer(ServerOptions options, const ProgramPlaces& places,
                           const std::string& kind, const MakeCommandLine& make_command_line)
    : SocketServer(std::move(options), places, [&](const auto& program, const auto& base) {
        return SocketProgram{ask_version(program, {"--version"}, kind, base), make_command_line};
      }) {}

void SocketServer::prepare() {
  remove_abandoned(options_.base);
}

std::unique_ptr<RunningServer> SocketServer::start(const StartRequest& request) {
  if (request.directory == nullptr) {
    throw ServerError("no private folder given to start a server in");
  }
  const std::string socket = request.directory->socket_path("socket");
  std::vector<std::string> options = options_.options;
  options.insert(options.end(), request.options.begin(), request.options.end());
  unlink(socket.c_str());
  const auto booting = Clock::now();
  const std::filesystem::path& folder = request.directory->path();
  if (!request.left_by.empty() && std::filesystem::exists(request.left_by / "data")) {
    remove_tree(folder / "data");
    copy_tree(request.left_by / "data", folder / "data");
  }
  auto running = std::make_unique<RunningProcess>(
      ProcessPlan{program_, look_.make_command_line(socket, options), request.environment, folder,
                  folder / "server.log", "/dev/null", request.enclosure},
      socket);
  running->wait_until([&] { return has_socket(socket); }, request.deadline);
  StartTimes times;
  times.boot_ms = std::chrono::duration<double, std::milli>(Clock::now() - booting).count();
  running->set_times(times);
  return running;
}

}  // namespace esox
