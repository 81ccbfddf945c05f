// SPDX-License-Identifier: Apache-2.0
// What the clients of a test asked of its server, session by session, in the order in which they
// sent it, and how it ended: as it is kept in a file. A request is a line
//   SESSION ERROR BYTES COMMAND
// and so many bytes of text and a line end; ERROR is "-" where no answer came. A sign behind it
// tells what the server said of the session then: "+" it is in a transaction, "." it is in none. An
// error says nothing of it, and older files have no such sign.
//
// Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace esox {

// Their texts are a database ("" for none), a database, a statement.
inline constexpr std::string_view kLoginRequest = "Login";
inline constexpr std::string_view kUseRequest = "Use";
inline constexpr std::string_view kQueryRequest = "Query";

struct LoggedRequest {
  uint64_t session = 0;
  std::optional<uint32_t> error;  // 0: it succeeded; none: it was not answered
  std::string command;            // one of those above, or the name of another, for people
  std::string text;
  std::optional<bool> in_transaction;  // when it was answered; none: not known
};

struct RequestLog {
  std::vector<LoggedRequest> requests;
  bool cut_off = false;  // the text ended too early, or is none of a log's
};

std::string text_of(const LoggedRequest& request);
// Safe on any bytes.
RequestLog read_request_log(std::string_view text);

}  // namespace esox
