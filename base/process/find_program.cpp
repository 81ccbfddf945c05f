// SPDX-License-Identifier: Apache-2.0
#include "base/process/find_program.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <sstream>

#include "base/process/log_file.h"
#include "base/process/private_directory.h"
#include "base/process/process.h"
#include "base/process/server_error.h"
#include "base/process/unique_fd.h"

namespace esox {
namespace {

using std::filesystem::path;
using namespace std::chrono_literals;

constexpr auto kVersionLimit = 20s;
constexpr size_t kMaxSaidBytes = size_t{4} << 20;

bool is_program(const path& file) {
  struct stat status {};
  return stat(file.c_str(), &status) == 0 && S_ISREG(status.st_mode) &&
         access(file.c_str(), X_OK) == 0;
}

path look_in(const std::string& folders, const std::string& name) {
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

std::string what_is_sought(const ProgramSearch& search) {
  return search.names.empty() ? "such a program" : search.names.front();
}

}  // namespace

path find_in_tree(const path& tree, const std::vector<std::string>& folders,
                  const std::vector<std::string>& names) {
  for (const std::string& folder : folders) {
    for (const std::string& name : names) {
      path file = (tree / folder / name).lexically_normal();
      if (is_program(file)) return file;
    }
  }
  return {};
}

path find_program(const ProgramSearch& search) {
  const std::string& wanted = search.wanted;
  if (wanted.find('/') != std::string::npos) {
    if (is_program(wanted)) return std::filesystem::absolute(wanted);
    if (path found = find_in_tree(wanted, search.tree_folders, search.names); !found.empty()) {
      return std::filesystem::absolute(found);
    }
    throw ServerError(fmt::format("{} is not a program that can be run; give the path of {}",
                                  wanted, what_is_sought(search)));
  }
  const std::vector<std::string> names =
      wanted.empty() ? search.names : std::vector<std::string>{wanted};
  for (const std::string& name : names) {
    if (path found = look_in(search_path() + ":" + search.folders, name); !found.empty()) {
      return found;
    }
  }
  const std::string first = search.folders.substr(0, search.folders.find(':'));
  throw ServerError(fmt::format("no {} in $PATH{}; {}",
                                wanted.empty() ? what_is_sought(search) : wanted,
                                first.empty() ? "" : " or " + first,
                                search.remedy.empty() ? "give its path" : search.remedy));
}

std::string find_packaged(const std::string& name, const std::string& package) {
  const std::string remedy = fmt::format("install it (Debian: {})", package);
  return find_program({name, {}, "/usr/sbin:/usr/bin:/sbin:/bin", remedy}).string();
}

Said ask_program(const path& program, const std::vector<std::string>& arguments,
                 const path& folder) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) {
    throw ServerError(
        fmt::format("cannot make a pipe to {}: {}", program.string(), strerror(errno)));
  }
  const UniqueFd reading(ends[0]);
  UniqueFd writing(ends[1]);
  ProcessPlan plan{program, arguments, {}, folder, {}};
  plan.output = writing.get();
  Process process(plan);
  writing.reset();
  Said said;
  const auto end = std::chrono::steady_clock::now() + kVersionLimit;
  std::array<char, 65536> part{};
  while (said.text.size() < kMaxSaidBytes && std::chrono::steady_clock::now() < end) {
    pollfd waiting{reading.get(), POLLIN, 0};
    if (poll(&waiting, 1, 100) <= 0) continue;
    const ssize_t got = read(reading.get(), part.data(), part.size());
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) break;
    said.text.append(part.data(), static_cast<size_t>(got));
  }
  const auto ended = process.wait(1s);
  said.ending = ended ? text_of(*ended) : "still running after 20 s";
  return said;
}

std::string ask_version(const path& program, const std::vector<std::string>& arguments,
                        const std::string& kind, const path& base) {
  const PrivateDirectory folder(base);
  const path log = folder.path() / "version.log";
  Process process(ProcessPlan{program, arguments, {}, folder.path(), log});
  const auto ended = process.wait(kVersionLimit);
  std::string said = tail_of(log, 1);
  const bool fine = ended && ended->signal == 0 && ended->code == 0 && !said.empty();
  if (fine) return said;
  throw ServerError(
      fmt::format("{} {} does not answer ({}); is it {}?", program.string(), arguments.back(),
                  ended ? text_of(*ended) : "still running after 20 s", kind),
      tail_of(log, 20));
}

}  // namespace esox
