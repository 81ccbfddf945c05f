// SPDX-License-Identifier: Apache-2.0
#include "targets/sql/import/audit_log.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <utility>

namespace esox {
namespace {

constexpr size_t kFieldsBeforeConnection = 4;  // time, host, user, client

constexpr std::array<std::pair<std::string_view, AuditEvent::Kind>, 6> kTableKinds = {{
    {"READ", AuditEvent::Kind::kRead},
    {"WRITE", AuditEvent::Kind::kWrite},
    {"CREATE", AuditEvent::Kind::kCreate},
    {"ALTER", AuditEvent::Kind::kAlter},
    {"DROP", AuditEvent::Kind::kDrop},
    {"RENAME", AuditEvent::Kind::kRename},
}};

// Cuts off what is before the next comma.
std::optional<std::string_view> next_field(std::string_view& line) {
  const size_t comma = line.find(',');
  if (comma == std::string_view::npos) return std::nullopt;
  const std::string_view field = line.substr(0, comma);
  line.remove_prefix(comma + 1);
  return field;
}

template <typename Number>
bool read_number(std::string_view text, Number& number) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && end == text.data() + text.size() && !text.empty();
}

// Letters that stand for a control character after a backslash: all of them blanks to us.
constexpr std::string_view kBlankLetters = "btnfr";

std::string unescaped(std::string_view text) {
  std::string plain;
  plain.reserve(text.size());
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '\\' || i + 1 == text.size()) {
      plain.push_back(text[i]);
      continue;
    }
    ++i;
    plain.push_back(kBlankLetters.find(text[i]) == std::string_view::npos ? text[i] : ' ');
  }
  return plain;
}

// 'TEXT',ERROR
bool read_query(std::string_view rest, AuditEvent& event) {
  const size_t comma = rest.rfind(',');
  if (comma == std::string_view::npos || comma < 2) return false;
  if (!read_number(rest.substr(comma + 1), event.error)) return false;
  const std::string_view quoted = rest.substr(0, comma);
  if (quoted.front() != '\'' || quoted.back() != '\'') return false;
  event.text = unescaped(quoted.substr(1, quoted.size() - 2));
  return true;
}

// TABLE, or of a renaming TABLE|DATABASE.TABLE,
bool read_table(std::string_view rest, AuditEvent& event) {
  if (!rest.ends_with(',')) return false;
  rest.remove_suffix(1);
  if (event.kind == AuditEvent::Kind::kRename) {
    const size_t bar = rest.find('|');
    if (bar == std::string_view::npos) return false;
    event.new_name = rest.substr(bar + 1);
    rest = rest.substr(0, bar);
  }
  event.table = rest;
  return !rest.empty();
}

enum class Line { kEvent, kOther, kMalformed };

Line read_line(std::string_view line, AuditEvent& event) {
  for (size_t i = 0; i < kFieldsBeforeConnection; ++i) {
    if (!next_field(line)) return Line::kMalformed;
  }
  const auto connection = next_field(line);
  const auto query = next_field(line);
  const auto kind = next_field(line);
  uint64_t query_number = 0;
  if (!connection || !query || !kind || !read_number(*connection, event.connection) ||
      !read_number(*query, query_number)) {
    return Line::kMalformed;
  }
  const auto database = next_field(line);
  if (!database) return Line::kMalformed;
  event.database = *database;
  if (*kind == "QUERY") return read_query(line, event) ? Line::kEvent : Line::kMalformed;
  const auto known = std::find_if(kTableKinds.begin(), kTableKinds.end(),
                                  [&](const auto& one) { return one.first == *kind; });
  if (known == kTableKinds.end()) return Line::kOther;
  event.kind = known->second;
  return read_table(line, event) ? Line::kEvent : Line::kMalformed;
}

}  // namespace

AuditLog read_audit_log(std::string_view text) {
  AuditLog log;
  size_t at = 0;
  while (at < text.size()) {
    const size_t end = std::min(text.find('\n', at), text.size());
    AuditEvent event;
    const Line line = read_line(text.substr(at, end - at), event);
    if (line == Line::kEvent) log.events.push_back(std::move(event));
    if (line == Line::kMalformed) ++log.malformed_lines;
    at = end + 1;
  }
  return log;
}

}  // namespace esox
