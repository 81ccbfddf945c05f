// SPDX-License-Identifier: Apache-2.0
// See shipped.h.
#include "filters/shipped.h"

#include <fmt/format.h>

#include <system_error>

#include "inputs/input.h"
#include "inputs/input_error.h"

namespace esox {

namespace fs = std::filesystem;

std::optional<fs::path> shipped_filters(std::string_view server) {
  if (server != kMariadb) return std::nullopt;
  std::error_code error;
  const fs::path program = fs::read_symlink("/proc/self/exe", error);
  const fs::path installed = program.parent_path().parent_path() / "share" / "esox" / "filters";
  const std::string file = fmt::format("{}.yaml", server);
  for (const fs::path& folder : {installed, fs::path(ESOX_FILTERS_FOLDER)}) {
    if (fs::is_regular_file(folder / file, error)) return folder / file;
  }
  throw InputError("", 0,
                   fmt::format("the shipped filters for {} are not in {}; install esox again, name "
                               "your own by --filters, or say --no-filters",
                               server, installed.string()));
}

}  // namespace esox
