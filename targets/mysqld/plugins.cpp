// SPDX-License-Identifier: Apache-2.0
#include "targets/mysqld/plugins.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <system_error>

namespace esox {
namespace {

using std::filesystem::path;

struct Plugin {
  std::string_view name;
  std::string_view tells;  // of the state
};

// Each is a table of information_schema.
constexpr std::array<Plugin, 2> kPlugins = {{
    {"metadata_lock_info", "left-over metadata locks"},
    {"query_cache_info", "cached answers to other than the clients' own SELECTs"},
}};

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

bool is_there(const Plugin& plugin, const path& program, const std::vector<std::string>& options) {
  const path folder = plugin_folder(program, options);
  std::error_code ignored;
  return !folder.empty() &&
         std::filesystem::exists(folder / fmt::format("{}.so", plugin.name), ignored);
}

// A program may be linked with its plugins; then it has options of their names.
bool is_built_in(const Plugin& plugin, const Release& release) {
  std::string option(plugin.name);
  std::ranges::replace(option, '_', '-');
  return release.has(option);
}

}  // namespace

std::vector<std::string> plugin_options(const path& program,
                                        const std::vector<std::string>& options) {
  std::vector<std::string> added;
  for (const Plugin& plugin : kPlugins) {
    if (!is_there(plugin, program, options)) continue;
    added.push_back(fmt::format("--plugin-load-add={}", plugin.name));
  }
  return added;
}

std::string missing_plugins(const path& program, const Release& release,
                            const std::vector<std::string>& options) {
  std::string missing;
  for (const Plugin& plugin : kPlugins) {
    if (is_there(plugin, program, options) || is_built_in(plugin, release)) continue;
    missing += fmt::format("{}{}, for want of the plugin {}.so", missing.empty() ? "" : "; ",
                           plugin.tells, plugin.name);
  }
  return missing;
}

}  // namespace esox
