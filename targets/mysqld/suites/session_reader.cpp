// SPDX-License-Identifier: Apache-2.0
#include "targets/mysqld/suites/session_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace esox {
namespace {

constexpr size_t kFullPart_bytes = 0xffffff;
constexpr size_t kHeader_bytes = 4;
constexpr size_t kServerHead_bytes = 256;  // a greeting fits, and an error's number
constexpr size_t kNone = static_cast<size_t>(-1);

constexpr uint64_t kWithDatabase = 1U << 3;
constexpr uint64_t kCompress = 1U << 5;
constexpr uint64_t kTls = 1U << 11;
constexpr uint64_t kSecureConnection = 1U << 15;
constexpr uint64_t kLongAuthentication = 1U << 21;
constexpr uint64_t kNoEndMark = 1U << 24;  // CLIENT_DEPRECATE_EOF
constexpr uint64_t kZstdCompress = 1U << 26;
constexpr uint64_t kQueryAttributes = 1U << 27;

constexpr uint8_t kInitDb = 0x02;
constexpr uint8_t kQuery = 0x03;
constexpr uint8_t kChangeUser = 0x11;
constexpr uint8_t kResetConnection = 0x1f;

constexpr char kErrorMark = '\xff';
constexpr char kOkMark = '\0';
constexpr char kEndMark = '\xfe';             // of rows
constexpr uint64_t kInTransaction = 1U;       // SERVER_STATUS_IN_TRANS
constexpr uint32_t kProgressReport = 0xffff;  // MariaDB's: it looks like an error and is none

// Commands that change nothing and that no input can hold.
constexpr std::pair<uint8_t, const char*> kNames[] = {
    {0x01, "Quit"},    {0x04, "Field List"}, {0x09, "Statistics"}, {0x0e, "Ping"},
    {0x16, "Prepare"}, {0x17, "Execute"},    {0x18, "Long Data"},  {0x19, "Close stmt"}};

std::string name_of(uint8_t command) {
  for (const auto& [number, name] : kNames) {
    if (number == command) return name;
  }
  return fmt::format("command {}", command);
}

// Fields from the front of a packet; past its end all are zero or empty.
class Fields {
 public:
  explicit Fields(std::string_view bytes) : left_(bytes) {}

  std::string_view bytes(uint64_t count) {
    const auto some = static_cast<size_t>(std::min<uint64_t>(count, left_.size()));
    const std::string_view taken = left_.substr(0, some);
    left_.remove_prefix(some);
    return taken;
  }
  uint64_t number(size_t size) {
    uint64_t value = 0;
    const std::string_view digits = bytes(size);
    for (size_t i = digits.size(); i-- > 0;) value = value << 8 | static_cast<uint8_t>(digits[i]);
    return value;
  }
  // Of one byte, or of 2, 3, 8 bytes after one that says so.
  uint64_t packed_number() {
    const uint64_t first = number(1);
    if (first < 0xfb) return first;
    return number(first == 0xfc ? 2 : first == 0xfd ? 3 : 8);
  }
  std::string_view until_nul() {
    const std::string_view text = bytes(std::min(left_.find('\0'), left_.size()));
    bytes(1);
    return text;
  }
  std::string_view rest() const { return left_; }

 private:
  std::string_view left_;
};

}  // namespace

bool PacketReader::take_header(std::string_view& bytes) {
  const size_t some = std::min(kHeader_bytes - header_.size(), bytes.size());
  header_.append(bytes.substr(0, some));
  bytes.remove_prefix(some);
  if (header_.size() < kHeader_bytes) return false;
  Fields fields(header_);
  left_ = fields.number(3);
  const auto sequence = static_cast<uint8_t>(fields.number(1));
  if (!continues_) {
    sequence_ = sequence;
    payload_.clear();
    size_ = 0;
  }
  continues_ = left_ == kFullPart_bytes;
  size_ += left_;
  ended_ = false;
  return true;
}

bool PacketReader::take(std::string_view& bytes) {
  while (!bytes.empty() || (!ended_ && left_ == 0)) {
    if (ended_ && !take_header(bytes)) return false;
    const size_t some = std::min(left_, bytes.size());
    payload_.append(bytes.substr(0, std::min(some, most_ - std::min(most_, payload_.size()))));
    bytes.remove_prefix(some);
    left_ -= some;
    if (left_ > 0) return false;
    header_.clear();
    ended_ = true;
    if (!continues_) return true;
  }
  return false;
}

SessionReader::SessionReader(RequestLog& log, uint64_t& next_session)
    : log_(log),
      next_session_(next_session),
      session_(next_session++),
      open_(kNone),
      client_(kMostRequest_bytes),
      server_(kServerHead_bytes) {}

void SessionReader::begin(std::string command, std::string text) {
  open_ = log_.requests.size();
  replied_ = false;
  log_.requests.push_back({session_, std::nullopt, std::move(command), std::move(text)});
}

// The first one counts: that of an error in the reply, or success when the client goes on.
void SessionReader::answered(uint32_t error) {
  if (open_ == kNone) return;
  LoggedRequest& asked = log_.requests[open_];
  if (asked.error) return;
  asked.error = error;
  if (error == 0) asked.in_transaction = in_transaction();
}

// "OK" has two packed numbers before the status; the end of rows is one, too, where both sides can
// do without the older packet, which has the number of warnings there.
std::optional<bool> SessionReader::in_transaction() const {
  const std::string& last = server_.payload();
  const bool end = last.starts_with(kEndMark);
  if (!end && !last.starts_with(kOkMark)) return std::nullopt;
  Fields fields(last);
  fields.bytes(1);
  if (end && (both_can_ & kNoEndMark) == 0) {
    fields.bytes(2);
  } else {
    fields.packed_number();
    fields.packed_number();
  }
  if (fields.rest().size() < 2) return std::nullopt;
  return (fields.number(2) & kInTransaction) != 0;
}

void SessionReader::from_client(std::string_view bytes) {
  while (phase_ != Phase::kUnreadable && client_.take(bytes)) {
    if (phase_ == Phase::kGreeting) {
      login(client_.payload());
    } else if (client_.sequence() == 0) {  // else part of a login, or a file's content
      answered(0);
      open_ = kNone;
      phase_ = Phase::kCommands;
      if ((both_can_ & (kCompress | kZstdCompress)) != 0) {
        phase_ = Phase::kUnreadable;
        begin("a session that is compressed", "");
      } else if (client_.size() > kMostRequest_bytes) {
        begin("a statement that is too long", "");
      } else {
        command(client_.payload());
      }
    }
  }
}

void SessionReader::from_server(std::string_view bytes) {
  while (phase_ != Phase::kUnreadable && server_.take(bytes)) {
    Fields fields(server_.payload());
    replied_ = true;
    if (server_.payload().starts_with(kErrorMark)) {
      fields.bytes(1);
      const auto error = static_cast<uint32_t>(fields.number(2));
      if (error != kProgressReport) answered(error);
    } else if (phase_ == Phase::kGreeting && server_can_ == 0) {
      greeting(server_.payload());
    }
  }
}

void SessionReader::ended() {
  const std::string& last = server_.payload();
  if (replied_ && (last.starts_with(kOkMark) || last.starts_with(kEndMark))) answered(0);
  open_ = kNone;
}

void SessionReader::greeting(std::string_view payload) {
  Fields fields(payload);
  fields.bytes(1);  // the protocol's version
  fields.until_nul();
  fields.bytes(4 + 8 + 1);  // the connection's number, random bytes
  server_can_ = fields.number(2);
  fields.bytes(1 + 2);  // character set, status
  server_can_ |= fields.number(2) << 16;
}

void SessionReader::login(std::string_view payload) {
  Fields fields(payload);
  both_can_ = fields.number(4) & server_can_;
  if ((both_can_ & kTls) != 0) {
    phase_ = Phase::kUnreadable;
    return begin("a session that is encrypted", "");
  }
  fields.bytes(4 + 1 + 23);  // longest packet, character set, nothing
  fields.until_nul();        // the user
  if ((both_can_ & kLongAuthentication) != 0) {
    fields.bytes(fields.packed_number());
  } else if ((both_can_ & kSecureConnection) != 0) {
    fields.bytes(fields.number(1));
  } else {
    fields.until_nul();
  }
  const bool named = (both_can_ & kWithDatabase) != 0;
  begin(std::string(kLoginRequest), named ? std::string(fields.until_nul()) : "");
  phase_ = Phase::kLogin;
}

void SessionReader::command(std::string_view payload) {
  Fields fields(payload);
  const auto number = static_cast<uint8_t>(fields.number(1));
  if (number == kChangeUser) return change_user(fields.rest());
  if (number == kInitDb) return begin(std::string(kUseRequest), std::string(fields.rest()));
  if (number == kResetConnection) {  // its settings are gone
    session_ = next_session_++;
    return begin(std::string(kLoginRequest), "");
  }
  if (number != kQuery) return begin(name_of(number), "");
  if ((both_can_ & kQueryAttributes) != 0) {
    const bool has_some = fields.packed_number() > 0;
    fields.packed_number();  // how many sets of them: one
    if (has_some) return begin("a statement with attributes", "");
  }
  begin(std::string(kQueryRequest), std::string(fields.rest()));
}

// As if it were another connection.
void SessionReader::change_user(std::string_view payload) {
  Fields fields(payload);
  fields.until_nul();
  fields.bytes(fields.number(1));
  session_ = next_session_++;
  begin(std::string(kLoginRequest), std::string(fields.until_nul()));
}

}  // namespace esox
