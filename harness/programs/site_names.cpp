// SPDX-License-Identifier: Apache-2.0
#include "harness/programs/site_names.h"

#include <algorithm>
#include <filesystem>
#include <optional>

#include "base/text/number.h"
#include "harness/engine/debug_symbols.h"

namespace esox {
namespace {

constexpr std::string_view kBetween = "+0x";

std::optional<uint64_t> site_named(const std::string& name, const std::vector<Module>& modules) {
  const size_t between = name.rfind(kBetween);
  if (between == std::string::npos) return std::nullopt;
  const auto offset = number_of<uint64_t>(name.substr(between + kBetween.size()), 16);
  if (!offset) return std::nullopt;
  const auto module = std::ranges::find_if(modules, [&](const Module& one) {
    return std::filesystem::path(one.path).filename() == name.substr(0, between);
  });
  if (module == modules.end() || *offset >= module->end - module->load_base) return std::nullopt;
  return module->load_base + *offset;
}

}  // namespace

std::vector<std::string> site_names(const std::vector<uint64_t>& sites,
                                    const std::vector<Module>& modules) {
  const Symbols symbols = debug_symbols(modules);
  std::vector<std::string> names;
  for (const uint64_t site : sites) names.push_back(symbols.module_offset(site));
  return names;
}

std::vector<uint64_t> sites_named(const std::vector<std::string>& names,
                                  const std::vector<Module>& modules) {
  std::vector<uint64_t> sites;
  for (const std::string& name : names) {
    if (const auto site = site_named(name, modules)) sites.push_back(*site);
  }
  return sites;
}

}  // namespace esox
