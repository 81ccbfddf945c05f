// SPDX-License-Identifier: Apache-2.0
// See mariadb_plugins.h.
#include "harness/server/mariadb_plugins.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <string_view>
#include <system_error>

#include "harness/server/log_file.h"
#include "harness/server/private_directory.h"
#include "harness/server/process.h"

namespace esox {
namespace {

using std::filesystem::path;

// metadata_lock_info: a table of information_schema with the locks on names.
constexpr std::string_view kPlugin = "metadata_lock_info";

constexpr std::chrono::seconds kHelpLimit{20};

// Where the program looks for its plugins; empty if that cannot be told.
path plugin_folder(const path& program, const std::vector<std::string>& options) {
  static constexpr std::string_view kOption = "--plugin-dir=";
  for (auto option = options.rbegin(); option != options.rend(); ++option) {
    if (option->starts_with(kOption)) return option->substr(kOption.size());
  }
  std::error_code ignored;
  const path prefix =
      std::filesystem::weakly_canonical(program, ignored).parent_path().parent_path();
  for (const char* folder : {"lib/mysql/plugin", "lib64/mysql/plugin", "lib/plugin"}) {
    if (std::filesystem::is_directory(prefix / folder, ignored)) return prefix / folder;
  }
  return {};
}

bool is_there(const path& program, const std::vector<std::string>& options) {
  const path folder = plugin_folder(program, options);
  std::error_code ignored;
  return !folder.empty() &&
         std::filesystem::exists(folder / fmt::format("{}.so", kPlugin), ignored);
}

// A program may be linked with its plugins; then it has options of their names.
bool is_built_in(const path& program) {
  const PrivateDirectory folder(temporary_base());
  const path log = folder.path() / "help.log";
  Process process(
      ProcessPlan{program, {"--no-defaults", "--verbose", "--help"}, {}, folder.path(), log});
  if (!process.wait(kHelpLimit)) return false;
  std::string option = fmt::format("--{}", kPlugin);
  std::replace(option.begin(), option.end(), '_', '-');
  return LogWatch(log, option).seen();
}

}  // namespace

std::vector<std::string> plugin_options(const path& program,
                                        const std::vector<std::string>& options) {
  if (!is_there(program, options)) return {};
  return {fmt::format("--plugin-load-add={}", kPlugin)};
}

std::string missing_plugins(const path& program, const std::vector<std::string>& options) {
  if (is_there(program, options) || is_built_in(program)) return {};
  return fmt::format("left-over metadata locks, for want of the plugin {}.so", kPlugin);
}

}  // namespace esox
