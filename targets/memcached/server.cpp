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

struct Option {
  std::string_view name;
  char letter;
  bool has_value;
};

// Only these may be given: the rest opens ports, files or other users' doors.
constexpr Option kAllowed[] = {{"--threads", 't', true},
                               {"--memory-limit", 'm', true},
                               {"--conn-limit", 'c', true},
                               {"--disable-evictions", 'M', false},
                               {"--disable-cas", 'C', false},
                               {"--slab-min-size", 'n', true},
                               {"--slab-growth-factor", 'f', true},
                               {"--max-item-size", 'I', true},
                               {"--max-reqs-per-event", 'R', true},
                               {"--disable-flush-all", 'F', false},
                               {"--extended", 'o', true},
                               {"--listen-backlog", 'b', true}};

// No background thread that moves items between its lists when it likes: the order of the lists
// could not be compared. The tester's own --extended comes after this one.
constexpr const char* kAtRest = "no_lru_crawler,no_lru_maintainer,no_slab_reassign";

// Null: it is none of these.
const Option* option_of(const std::string& option) {
  const std::string name = option.substr(0, option.find('='));
  const auto* const found = std::ranges::find(kAllowed, name, &Option::name);
  return found == std::end(kAllowed) ? nullptr : found;
}

void check_option(const MemcachedRelease& release, const std::string& option) {
  const Option* allowed = option_of(option);
  if (allowed == nullptr) {
    throw ServerError(fmt::format(
        "server option '{}' is not one that may be given to memcached; it listens on its private "
        "socket only, and keeps to its folder",
        option));
  }
  if (option.find('/') != std::string::npos) {
    throw ServerError(fmt::format(
        "server option '{}' names a path; the server stays in its private folder", option));
  }
  if (allowed->has_value != (option.find('=') != std::string::npos)) {
    throw ServerError(fmt::format("server option '{}' {} value; give {}{}", option,
                                  allowed->has_value ? "needs a" : "takes no", allowed->name,
                                  allowed->has_value ? "=VALUE" : ""));
  }
  if (release.letters.contains(allowed->letter)) return;
  throw ServerError(
      fmt::format("{} does not know the option {} (-{}); leave it out, or give a later memcached",
                  release.version, option, allowed->letter));
}

std::string current_user() {
  const passwd* entry = getpwuid(geteuid());
  return entry != nullptr ? entry->pw_name : "root";
}

SocketProgram look_at(const std::filesystem::path& program, const std::filesystem::path& base) {
  const MemcachedRelease release = ask_memcached(program, base);
  return {release.version,
          [release](const std::string& socket, const std::vector<std::string>& options) {
            return memcached_command_line(release, socket, options);
          }};
}

}  // namespace

std::vector<std::string> memcached_letters(const std::vector<std::string>& options) {
  std::vector<std::string> line;
  for (const std::string& option : options) {
    const Option* known = option_of(option);
    line.push_back(known != nullptr ? fmt::format("-{}", known->letter) : option);
    if (known != nullptr && known->has_value) {
      line.push_back(option.substr(std::min(known->name.size() + 1, option.size())));
    }
  }
  return line;
}

std::vector<std::string> memcached_command_line(const MemcachedRelease& release,
                                                const std::string& socket,
                                                const std::vector<std::string>& options) {
  for (const std::string& option : options) check_option(release, option);
  std::vector<std::string> line;
  if (release.moves_items) line = {"-o", kAtRest};
  const std::vector<std::string> letters = memcached_letters(options);
  line.insert(line.end(), letters.begin(), letters.end());
  line.insert(line.end(), {"-s", socket});
  const std::pair<char, std::string> own[] = {
      {'a', "0700"},
      {'p', "0"},  // nor would it open one beside a unix socket
      {'U', "0"},
      {'u', geteuid() == 0 ? current_user() : ""}};  // it refuses root unless told so
  for (const auto& [letter, value] : own) {
    if (value.empty() || !release.letters.contains(letter)) continue;
    line.push_back(fmt::format("-{}", letter));
    line.push_back(value);
  }
  return line;
}

ProgramPlaces memcached_places() {
  return {{"memcached"},
          "/usr/bin:/usr/local/bin",
          {"", "bin", "usr/bin", "usr/local/bin"},
          "unpack it (scripts/get-memcached) and give its path by --server"};
}

MemcachedServer::MemcachedServer(ServerOptions options)
    : SocketServer(std::move(options), memcached_places(), look_at) {}

}  // namespace esox
