// SPDX-License-Identifier: Apache-2.0
// See preload_library.h.
#include "harness/commands/preload_library.h"

#include <fmt/format.h>

#include <system_error>

#include "harness/commands/command.h"

namespace esox {
namespace {

namespace fs = std::filesystem;
constexpr const char* kName = "libesox_preload.so";

bool is_file(const fs::path& path) {
  std::error_code error;
  return fs::is_regular_file(path, error);
}

// LD_PRELOAD separates its entries by these; there is no way to quote them.
void check_path(const fs::path& path) {
  if (path.string().find_first_of(": ") == std::string::npos) return;
  throw UsageError(
      fmt::format("{} cannot be preloaded: its path holds a blank or a colon; move esox elsewhere",
                  path.string()));
}

}  // namespace

fs::path find_preload(const fs::path& wanted) {
  fs::path found;
  if (!wanted.empty()) {
    if (!is_file(wanted)) {
      throw UsageError(fmt::format("--preload {}: no such file; name {}", wanted.string(), kName));
    }
    found = fs::canonical(wanted);
  } else {
    std::error_code error;
    const fs::path folder = fs::read_symlink("/proc/self/exe", error).parent_path();
    for (const fs::path& place : {folder, folder.parent_path() / "lib/esox", folder / "preload"}) {
      if (found.empty() && is_file(place / kName)) found = place / kName;
    }
    if (found.empty()) {
      throw UsageError(fmt::format("no {} beside {}; install esox again or name it by --preload",
                                   kName, (folder / "esox").string()));
    }
  }
  check_path(found);
  return found;
}

}  // namespace esox
