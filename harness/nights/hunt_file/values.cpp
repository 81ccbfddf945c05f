// SPDX-License-Identifier: Apache-2.0
#include "harness/nights/hunt_file/values.h"

#include <fmt/format.h>

#include <charconv>

#include "base/text/duration.h"
#include "base/text/input_error.h"
#include "base/text/number.h"

namespace esox {
namespace {

using std::chrono::milliseconds;

constexpr uint64_t kLargestSize = uint64_t{1} << 50;

// By how many bits.
std::optional<unsigned> shift_of(std::string_view unit) {
  if (unit.empty() || unit == "B") return 0;
  const size_t place = std::string_view("KMGT").find(unit.front());
  const std::string_view rest = unit.substr(1);
  if (place == std::string_view::npos || (!rest.empty() && rest != "B" && rest != "iB")) {
    return std::nullopt;
  }
  return 10 * (static_cast<unsigned>(place) + 1);
}

}  // namespace

std::optional<uint64_t> parse_size(std::string_view text) {
  uint64_t number = 0;
  const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || number == 0) return std::nullopt;
  text.remove_prefix(static_cast<size_t>(stop - text.data()));
  if (text.starts_with(' ')) text.remove_prefix(1);
  const auto shift = shift_of(text);
  if (!shift || number > kLargestSize >> *shift) return std::nullopt;
  return number << *shift;
}

double share_of(const Fields& fields, const Node& node, std::string_view key) {
  const std::string& text = fields.text(node, key);
  const auto share = number_of<double>(text);
  if (share > 0 && share <= kLargestShare) return *share;
  fields.fail(node.line,
              fmt::format("'{}' in {} must be a number above 0 and up to {}, not {}; 2 gets "
                          "twice the time of 1",
                          key, fields.object(), kLargestShare, in_quotes(text)));
}

milliseconds duration_of(const Fields& fields, const Node& node, std::string_view key) {
  const std::string& text = fields.text(node, key);
  if (const auto duration = parse_duration(text)) return *duration;
  fields.fail(node.line, fmt::format("'{}' in {} is {}, not a duration; write 90s, 2m or 1h30m",
                                     key, fields.object(), in_quotes(text)));
}

milliseconds duration_or_none_of(const Fields& fields, const Node& node, std::string_view key) {
  if (fields.text(node, key) == "0") return milliseconds(0);
  return duration_of(fields, node, key);
}

uint64_t size_of(const Fields& fields, const Node& node, std::string_view key) {
  const std::string& text = fields.text(node, key);
  if (const auto size = parse_size(text)) return *size;
  fields.fail(node.line, fmt::format("'{}' in {} is {}, not a size; write 512M or 20G", key,
                                     fields.object(), in_quotes(text)));
}

}  // namespace esox
