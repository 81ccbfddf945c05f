// SPDX-License-Identifier: Apache-2.0
#include "targets/sql/import/general_log.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>

namespace esox {
namespace {

// The names in the server's sql/sql_parse.cc (com_command names) that it writes into the log.
constexpr std::array<std::string_view, 32> kCommands = {
    "Query",          "Connect",    "Quit",           "Init DB",
    "Prepare",        "Execute",    "Close stmt",     "Field List",
    "Change user",    "Statistics", "Reset stmt",     "Fetch",
    "Kill",           "Refresh",    "Shutdown",       "Daemon",
    "Bulk_execute",   "Ping",       "Debug",          "Long Data",
    "Create DB",      "Drop DB",    "Set option",     "Reset connection",
    "Binlog Dump",    "Time",       "Delayed insert", "Connect Out",
    "Register Slave", "Table Dump", "Processlist",    "Unimpl get tid"};
// What a server that starts writes before its first entry: two lines and this one.
constexpr std::string_view kRestartLine = "Time\t\t    Id Command\tArgument";
constexpr size_t kTimeBytes = 15;  // "261121 16:25:21"

struct Header {
  uint64_t connection;
  std::string_view command;
  std::string_view text;  // the rest of its line
};

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

// The two digits of the year, month and day; then the time of day.
bool is_time(std::string_view text) {
  static constexpr std::string_view kForm = "999999 99:99:99";
  if (text.size() < kTimeBytes) return false;
  for (size_t i = 0; i < kTimeBytes; ++i) {
    const bool fits = kForm[i] == '9' ? is_digit(text[i]) || text[i] == ' ' : text[i] == kForm[i];
    if (!fits) return false;
  }
  return true;
}

std::optional<std::string_view> after_time(std::string_view line) {
  if (line.starts_with("\t\t")) return line.substr(2);
  if (!is_time(line) || !line.substr(kTimeBytes).starts_with("\t")) return std::nullopt;
  return line.substr(kTimeBytes + 1);
}

std::optional<Header> header_of(std::string_view line) {
  auto rest = after_time(line);
  if (!rest) return std::nullopt;
  const size_t number = std::min(rest->find_first_not_of(' '), rest->size());
  Header header{};
  const char* const begin = rest->data() + number;
  const char* const end = rest->data() + rest->size();
  const auto [past, error] = std::from_chars(begin, end, header.connection);
  if (error != std::errc() || past == end || *past != ' ') return std::nullopt;
  rest->remove_prefix(static_cast<size_t>(past - rest->data()) + 1);
  const size_t tab = rest->find('\t');
  if (tab == std::string_view::npos) return std::nullopt;
  header.command = rest->substr(0, tab);
  header.text = rest->substr(tab + 1);
  if (std::find(kCommands.begin(), kCommands.end(), header.command) == kCommands.end()) {
    return std::nullopt;
  }
  return header;
}

// Takes away the last two lines, which are the beginning of a starting server's announcement.
void drop_announcement(std::string& text) {
  for (int lines = 0; lines < 2; ++lines) {
    const size_t end = text.rfind('\n');
    text.resize(end == std::string::npos ? text.size() : end);
  }
}

}  // namespace

GeneralLog read_general_log(std::string_view text) {
  GeneralLog log;
  size_t at = 0;
  while (at < text.size()) {
    const size_t end = std::min(text.find('\n', at), text.size());
    const std::string_view line = text.substr(at, end - at);
    if (line == kRestartLine && !log.entries.empty()) {
      drop_announcement(log.entries.back().text);
      log.restarted = true;
      log.unread_bytes += text.size() - at;
      return log;
    }
    if (const auto header = header_of(line)) {
      log.entries.push_back(
          {header->connection, std::string(header->command), std::string(header->text)});
    } else if (log.entries.empty()) {
      log.unread_bytes += std::min(line.size() + 1, text.size() - at);
    } else {
      log.entries.back().text.append("\n").append(line);
    }
    at = end + 1;
  }
  return log;
}

}  // namespace esox
