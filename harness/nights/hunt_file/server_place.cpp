// SPDX-License-Identifier: Apache-2.0
#include "harness/nights/hunt_file/server_place.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <vector>

#include "base/process/find_program.h"
#include "base/process/paths.h"
#include "base/process/server_error.h"
#include "inputs/input.h"

namespace esox {
namespace {

namespace fs = std::filesystem;

// What dpkg keeps of each package: the paths of its files, a line each.
constexpr const char* kPackageLists = "/var/lib/dpkg/info";

bool is_program(const fs::path& file) {
  return is_file(file) && access(file.c_str(), X_OK) == 0;
}

std::string in_build(const fs::path& build, const ProgramPlaces& places) {
  const fs::path found = find_in_tree(build, places.tree_folders, places.names);
  if (!found.empty()) return found.string();
  throw ServerError(fmt::format(
      "no {} in the build folder {} (looked for it in {} and there "
      "itself); build it, or name another folder",
      fmt::join(places.names, " or "), build.string(), fmt::join(places.tree_folders, " ")));
}

std::string in_package(const std::string& package, const ProgramPlaces& places) {
  bool installed = false;
  for (const std::string& suffix : {std::string(".list"), std::string(":amd64.list")}) {
    std::ifstream list(fs::path(kPackageLists) / (package + suffix));
    installed = installed || list.is_open();
    if (std::string found = server_among(list, places); !found.empty()) return found;
  }
  throw ServerError(installed ? fmt::format("the package {} holds no {}; name the package that "
                                            "holds the server",
                                            package, fmt::join(places.names, " or "))
                              : fmt::format("the Debian package {0} is not installed; install it "
                                            "(apt-get install --no-install-recommends {0})",
                                            package));
}

bool is_one_of(const fs::path& name, const auto& names) {
  return std::ranges::find(names, name.string()) != std::end(names);
}

}  // namespace

std::string server_among(std::istream& files, const ProgramPlaces& places) {
  static const std::vector<std::string> program_folders = {"bin", "sbin", "libexec"};
  for (std::string line; std::getline(files, line);) {
    const fs::path file = line;
    if (is_one_of(file.filename(), places.names) &&
        is_one_of(file.parent_path().filename(), program_folders) && is_program(file)) {
      return line;
    }
  }
  return {};
}

std::string program_of(const HuntFileServer& server, const ProgramPlaces& places) {
  switch (server.kind) {
    case HuntFileServer::Kind::kPackage:
      return in_package(server.where, places);
    case HuntFileServer::Kind::kBuild:
      return in_build(server.where, places);
    case HuntFileServer::Kind::kPath:
      break;
  }
  if (server.where.find('/') == std::string::npos || is_program(server.where)) return server.where;
  throw ServerError(
      fmt::format("{} is no program that can be run; name the server's program", server.where));
}

}  // namespace esox
