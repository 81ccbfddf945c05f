// SPDX-License-Identifier: Apache-2.0
// Finding the shipped inputs. The negative controls lie in a folder of their own and are not hunted
// by default: time spent on them finds nothing, by design.
#include "inputs/shipped.h"

#include <fmt/format.h>

#include <string>
#include <system_error>

#include "inputs/input_error.h"

namespace esox {

namespace fs = std::filesystem;

fs::path shipped_folder(std::string_view server) {
  std::error_code error;
  const fs::path program = fs::read_symlink("/proc/self/exe", error);
  const fs::path installed = program.parent_path().parent_path() / "share" / "esox" / "inputs";
  for (const fs::path& folder : {installed / server, fs::path(ESOX_INPUTS_FOLDER) / server}) {
    if (fs::is_directory(folder, error)) return folder;
  }
  throw InputError("", 0,
                   fmt::format("the shipped inputs for {} are not in {}; install esox again "
                               "or name input files",
                               server, installed.string()));
}

std::vector<fs::path> shipped_inputs(std::string_view server) {
  const fs::path folder = shipped_folder(server);
  if (server == "memcached") return {folder / "pairs.yaml", folder / "sessions.yaml"};
  return {folder / "pike-table-5-2", folder / "pairs.yaml"};
}

fs::path shipped_negative_controls(std::string_view server) {
  return shipped_folder(server) / "negative";
}

}  // namespace esox
