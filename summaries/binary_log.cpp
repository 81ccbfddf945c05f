// SPDX-License-Identifier: Apache-2.0
// See binary_log.h.
#include "summaries/binary_log.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <string_view>

namespace esox {
namespace {

constexpr std::array<std::string_view, 8> kAboutTheLogItself = {
    "Format_desc", "Gtid_list",        "Binlog_checkpoint", "Rotate",
    "Stop",        "Start_encryption", "Heartbeat",         "Ignorable",
};

bool is_number_char(char c) {
  return std::isdigit(static_cast<unsigned char>(c)) != 0 || c == '-';
}

// "GTID 0-1-5" -> "GTID #", "xid=12" -> "xid=#": the number after the first `before`.
std::string without_number_after(std::string text, std::string_view before) {
  const size_t found = text.find(before);
  if (found == std::string::npos) return text;
  const size_t first = found + before.size();
  size_t last = first;
  while (last < text.size() && is_number_char(text[last])) ++last;
  if (last == first) return text;
  return text.replace(first, last - first, "#");
}

}  // namespace

std::optional<std::string> normalised_event(const std::string& type, const std::string& info) {
  const auto* const end = kAboutTheLogItself.end();
  if (std::find(kAboutTheLogItself.begin(), end, type) != end) return std::nullopt;
  if (type == "Query" || type == "Annotate_rows") return type + ": " + info;  // the user's own text
  std::string text = info;
  if (type == "Gtid") {
    text = without_number_after(without_number_after(text, "GTID "), "cid=");
  }
  if (type == "Xid") text = without_number_after(text, "xid=");
  if (text.starts_with("table_id: ")) text = without_number_after(text, "table_id: ");
  return type + ": " + text;
}

}  // namespace esox
