// SPDX-License-Identifier: Apache-2.0
#include "inputs/summary_parts.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <vector>

#include "base/text/input_error.h"
#include "base/text/spelling.h"

namespace esox {
namespace {

constexpr std::string_view kTouched = "touched";

bool is_auto(const Input& input) {
  return input.summary.empty() || input.summary == "auto";
}

std::vector<std::string> split(const std::string& text) {
  std::vector<std::string> parts;
  for (size_t at = 0; at <= text.size();) {
    const size_t end = std::min(text.find(',', at), text.size());
    parts.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  return parts;
}

}  // namespace

std::string summary_complaint(const std::string& text, const RequestLanguage& language) {
  const std::span<const std::string_view> known = language.summary_parts();
  if (text.empty()) return {};
  if (known.empty()) {
    return fmt::format("the state of a {} has no parts to choose; leave it out", language.server());
  }
  if (text == "auto" || text == "all" || text == "basic") return {};
  for (const std::string& part : split(text)) {
    if (part == kTouched || std::ranges::find(known, part) != known.end()) continue;
    return fmt::format("{} is no part of the state{}; give auto, all, basic, or some of {},{}",
                       in_quotes(part), spelling_hint(part, known), kTouched,
                       fmt::join(known, ","));
  }
  return {};
}

bool summarises_what_is_touched(const Input& input) {
  return is_auto(input) || has_summary_part(input, kTouched);
}

bool has_summary_part(const Input& input, std::string_view part) {
  const std::string& choice = input.summary;
  if (choice == "basic") return false;
  if (choice == "all") return true;
  if (is_auto(input)) return input.language->touches_part(input, part);
  const std::vector<std::string> parts = split(choice);
  return std::ranges::find(parts, part) != parts.end();
}

}  // namespace esox
