// SPDX-License-Identifier: Apache-2.0
#include "targets/sql/import/request_log.h"

#include <fmt/format.h>

#include <charconv>
#include <cstddef>

namespace esox {
namespace {

constexpr char kInTransaction = '+';
constexpr char kInNone = '.';

// All below cut off what they take.
bool take_digits(std::string_view& line, auto& number) {
  const auto [past, error] = std::from_chars(line.data(), line.data() + line.size(), number);
  if (error != std::errc()) return false;
  line.remove_prefix(static_cast<size_t>(past - line.data()));
  return true;
}

bool take(std::string_view& line, char sign) {
  if (!line.starts_with(sign)) return false;
  line.remove_prefix(1);
  return true;
}

// With the blank after it.
bool take_number(std::string_view& line, auto& number) {
  return take_digits(line, number) && take(line, ' ');
}

bool take_ending(std::string_view& line, LoggedRequest& request) {
  if (take(line, '-')) return take(line, ' ');
  if (!take_digits(line, request.error.emplace())) return false;
  if (take(line, kInTransaction)) {
    request.in_transaction = true;
  } else if (take(line, kInNone)) {
    request.in_transaction = false;
  }
  return take(line, ' ');
}

std::string ending_of(const LoggedRequest& request) {
  if (!request.error) return "-";
  std::string ending = std::to_string(*request.error);
  if (request.in_transaction) ending += *request.in_transaction ? kInTransaction : kInNone;
  return ending;
}

bool take_request(std::string_view& text, LoggedRequest& request) {
  const size_t end = text.find('\n');
  if (end == std::string_view::npos) return false;
  std::string_view line = text.substr(0, end);
  size_t bytes = 0;
  if (!take_number(line, request.session) || !take_ending(line, request) ||
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
  return fmt::format("{} {} {} {}\n{}\n", request.session, ending_of(request), request.text.size(),
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
