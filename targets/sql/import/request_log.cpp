// SPDX-License-Identifier: Apache-2.0
#include "targets/sql/import/request_log.h"

#include <fmt/format.h>

#include <charconv>

namespace esox {
namespace {

// A number and the blank after it, which are cut off.
template <typename Number>
bool take_number(std::string_view& line, Number& number) {
  const char* const end = line.data() + line.size();
  const auto [past, error] = std::from_chars(line.data(), end, number);
  if (error != std::errc() || past == end || *past != ' ') return false;
  line.remove_prefix(static_cast<size_t>(past - line.data()) + 1);
  return true;
}

bool take_error(std::string_view& line, std::optional<uint32_t>& error) {
  if (line.starts_with("- ")) {
    line.remove_prefix(2);
    return true;
  }
  return take_number(line, error.emplace());
}

bool take_request(std::string_view& text, LoggedRequest& request) {
  const size_t end = text.find('\n');
  if (end == std::string_view::npos) return false;
  std::string_view line = text.substr(0, end);
  size_t bytes = 0;
  if (!take_number(line, request.session) || !take_error(line, request.error) ||
      !take_number(line, bytes)) {
    return false;
  }
  text.remove_prefix(end + 1);
  if (bytes >= text.size() || text[bytes] != '\n') return false;
  request.command = line;
  request.text = text.substr(0, bytes);
  text.remove_prefix(bytes + 1);
  return true;
}

}  // namespace

std::string text_of(const LoggedRequest& request) {
  return fmt::format("{} {} {} {}\n{}\n", request.session,
                     request.error ? std::to_string(*request.error) : "-", request.text.size(),
                     request.command, request.text);
}

RequestLog read_request_log(std::string_view text) {
  RequestLog log;
  while (!text.empty()) {
    LoggedRequest request;
    if (!take_request(text, request)) {
      log.cut_off = true;
      break;
    }
    log.requests.push_back(std::move(request));
  }
  return log;
}

}  // namespace esox
