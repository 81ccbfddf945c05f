// SPDX-License-Identifier: Apache-2.0
#include "harness/records/ending_stacks.h"

#include <fmt/format.h>

#include <algorithm>

namespace esox {

std::vector<std::string> stack_from(const std::vector<std::string>& detail, const std::string& name,
                                    const std::string& site) {
  const auto begin = std::ranges::find_if(detail, [&](const std::string& line) {
    return line.starts_with("thread ") && (line.ends_with(fmt::format("(client {}):", name)) ||
                                           line.ends_with(fmt::format("({}):", name)));
  });
  std::vector<std::string> frames;
  if (begin == detail.end()) return frames;
  for (auto line = begin + 1; line != detail.end() && line->starts_with("  #"); ++line) {
    frames.push_back(line->substr(line->find(' ', 3) + 1));
  }
  const auto call = site.empty() ? frames.end() : std::ranges::find(frames, site);
  if (call != frames.end()) frames.erase(frames.begin(), call);
  return frames;
}

std::string nearest_name(const std::vector<std::string>& frames,
                         const std::vector<Module>& modules) {
  for (const std::string& frame : frames) {
    std::string name = frame.substr(0, frame.find("+0x"));
    const bool of_module =
        std::ranges::any_of(modules, [&](const Module& module) { return module.name() == name; });
    if (!of_module && !name.starts_with("0x")) return name;
  }
  return "";
}

}  // namespace esox
