// SPDX-License-Identifier: Apache-2.0
#include "targets/memcached/server.h"

#include <fmt/format.h>
#include <pwd.h>
#include <unistd.h>

#include <algorithm>
#include <string_view>
#include <utility>

namespace esox {
namespace {

// Only what these name may be given: the rest opens ports, files or other users' doors.
constexpr std::string_view kAllowed[] = {"--threads",
                                         "--memory-limit",
                                         "--conn-limit",
                                         "--disable-evictions",
                                         "--disable-cas",
                                         "--slab-min-size",
                                         "--slab-growth-factor",
                                         "--max-item-size",
                                         "--max-reqs-per-event",
                                         "--disable-flush-all",
                                         "--extended",
                                         "--listen-backlog"};

// No background thread that moves items between its lists when it likes: the order of the lists
// could not be compared. The tester's own --extended comes after this one.
constexpr const char* kExtended = "--extended=no_lru_crawler,no_lru_maintainer,no_slab_reassign";

void check_option(const std::string& option) {
  const std::string name = option.substr(0, option.find('='));
  if (std::find(std::begin(kAllowed), std::end(kAllowed), name) == std::end(kAllowed)) {
    throw ServerError(fmt::format(
        "server option '{}' is not one that may be given to memcached; it listens on its private "
        "socket only, and keeps to its folder",
        option));
  }
  if (option.find('/') != std::string::npos) {
    throw ServerError(fmt::format(
        "server option '{}' names a path; the server stays in its private folder", option));
  }
}

std::string current_user() {
  const passwd* entry = getpwuid(geteuid());
  return entry != nullptr ? entry->pw_name : "root";
}

}  // namespace

std::vector<std::string> memcached_command_line(const std::string& socket,
                                                const std::vector<std::string>& options) {
  std::vector<std::string> line = {kExtended};
  for (const std::string& option : options) {
    check_option(option);
    line.push_back(option);
  }
  line.push_back("--unix-socket=" + socket);
  line.emplace_back("--unix-mask=0700");
  line.emplace_back("--port=0");  // nor would it open one beside a unix socket
  line.emplace_back("--udp-port=0");
  if (geteuid() == 0) line.push_back("--user=" + current_user());  // it refuses root unless told so
  return line;
}

ProgramPlaces memcached_places() {
  return {{"memcached"},
          "/usr/bin:/usr/local/bin",
          {"", "bin", "usr/bin", "usr/local/bin"},
          "unpack it (scripts/get-memcached) and give its path by --server"};
}

MemcachedServer::MemcachedServer(ServerOptions options)
    : SocketServer(std::move(options), memcached_places(), "memcached", memcached_command_line) {}

}  // namespace esox
