// SPDX-License-Identifier: Apache-2.0
#include "analysis/report/taken_choices.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>

#include "preload/protocol/data_choice.h"

namespace esox {
namespace {

constexpr std::array kNames = {
    "",
    "waits that ended though nobody signalled",
    "early time-outs",
    "trylocks that failed",
    "short reads or writes of streams",
    "short reads or writes of files",
    "interrupted calls",
    "threads that began early",
    "timers of the server's own",
};
static_assert(kNames.size() == kDataChoiceKinds);

}  // namespace

std::string taken_choices(const std::vector<uint64_t>& values) {
  std::array<uint64_t, kDataChoiceKinds> counts{};
  for (const uint64_t value : values) {
    const auto kind = static_cast<size_t>(choice_of_value(value).kind);
    if (kind < counts.size()) ++counts[kind];
  }
  std::vector<std::string> parts;
  for (size_t kind = 1; kind < counts.size(); ++kind) {
    if (counts[kind] != 0) parts.push_back(fmt::format("{} {}", counts[kind], kNames[kind]));
  }
  return fmt::format("{}", fmt::join(parts, ", "));
}

}  // namespace esox
