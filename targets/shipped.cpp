// SPDX-License-Identifier: Apache-2.0
#include "targets/shipped.h"

#include <fmt/format.h>

#include <system_error>

#include "base/text/input_error.h"

namespace esox {

namespace fs = std::filesystem;

fs::path shipped(const std::string& what) {
  std::error_code error;
  const fs::path program = fs::read_symlink("/proc/self/exe", error);
  const fs::path installed = program.parent_path().parent_path() / "share" / "esox";
  for (const fs::path& folder : {installed, fs::path(ESOX_DATA_FOLDER)}) {
    if (fs::exists(folder / what, error)) return folder / what;
  }
  throw InputError("", 0,
                   fmt::format("{} is not in {}, where it belongs; install esox again, or name "
                               "files of your own",
                               what, installed.string()));
}

}  // namespace esox
