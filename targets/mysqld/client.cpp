// SPDX-License-Identifier: Apache-2.0
#include "targets/mysqld/client.h"

#include <errmsg.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <mysql.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <iterator>
#include <memory>

// After mysql.h, whose names it uses.
#include <ma_pvio.h>

#include "summaries/garbled.h"

namespace esox {
namespace {

constexpr uint32_t kUnknownDatabase = 1049;
// A reply beyond this would be compared by nobody and could exhaust the machine's memory.
constexpr size_t kMaxReplyBytes = size_t{256} << 20;

// libmariadb wants to be initialised before threads use it at once.
void initialise_library() {
  static std::once_flag once;
  std::call_once(once, [] { mysql_server_init(0, nullptr, nullptr); });
}

// Numbers 2000-2999 are given by the client library: nothing came from the server.
bool is_from_client(unsigned int error) {
  return error >= CR_MIN_ERROR && error < 3000;
}

std::string text_or_empty(const char* text) {
  return text == nullptr ? "" : text;
}

// Names of column types, as a reader of SQL knows them.
struct TypeName {
  enum_field_types type;
  std::string_view name;
  std::string_view binary = {};  // where it is another one
};
constexpr unsigned int kBinaryCharset = 63;
constexpr TypeName kTypeNames[] = {
    {MYSQL_TYPE_TINY, "TINYINT"},
    {MYSQL_TYPE_SHORT, "SMALLINT"},
    {MYSQL_TYPE_INT24, "MEDIUMINT"},
    {MYSQL_TYPE_LONG, "INT"},
    {MYSQL_TYPE_LONGLONG, "BIGINT"},
    {MYSQL_TYPE_FLOAT, "FLOAT"},
    {MYSQL_TYPE_DOUBLE, "DOUBLE"},
    {MYSQL_TYPE_NEWDECIMAL, "DECIMAL"},
    {MYSQL_TYPE_DECIMAL, "DECIMAL"},
    {MYSQL_TYPE_BIT, "BIT"},
    {MYSQL_TYPE_YEAR, "YEAR"},
    {MYSQL_TYPE_DATE, "DATE"},
    {MYSQL_TYPE_NEWDATE, "DATE"},
    {MYSQL_TYPE_TIME, "TIME"},
    {MYSQL_TYPE_TIME2, "TIME"},
    {MYSQL_TYPE_DATETIME, "DATETIME"},
    {MYSQL_TYPE_DATETIME2, "DATETIME"},
    {MYSQL_TYPE_TIMESTAMP, "TIMESTAMP"},
    {MYSQL_TYPE_TIMESTAMP2, "TIMESTAMP"},
    {MYSQL_TYPE_ENUM, "ENUM"},
    {MYSQL_TYPE_SET, "SET"},
    {MYSQL_TYPE_JSON, "JSON"},
    {MYSQL_TYPE_GEOMETRY, "GEOMETRY"},
    {MYSQL_TYPE_NULL, "NULL"},
    {MYSQL_TYPE_VARCHAR, "VARCHAR", "VARBINARY"},
    {MYSQL_TYPE_VAR_STRING, "VARCHAR", "VARBINARY"},
    {MYSQL_TYPE_STRING, "CHAR", "BINARY"},
    {MYSQL_TYPE_TINY_BLOB, "TEXT", "BLOB"},
    {MYSQL_TYPE_BLOB, "TEXT", "BLOB"},
    {MYSQL_TYPE_MEDIUM_BLOB, "TEXT", "BLOB"},
    {MYSQL_TYPE_LONG_BLOB, "TEXT", "BLOB"},
};
// The first ones, which may be UNSIGNED.
constexpr size_t kNumbers = 8;

// "INT", "BIGINT UNSIGNED", "VARCHAR", "VARBINARY", "TEXT", ...
std::string type_name(const MYSQL_FIELD& field) {
  if (field.type == MYSQL_TYPE_STRING && (field.flags & ENUM_FLAG) != 0) return "ENUM";
  if (field.type == MYSQL_TYPE_STRING && (field.flags & SET_FLAG) != 0) return "SET";
  const auto* const known = std::ranges::find(kTypeNames, field.type, &TypeName::type);
  if (known == std::end(kTypeNames)) return fmt::format("TYPE{}", static_cast<int>(field.type));
  const bool binary = field.charsetnr == kBinaryCharset && !known->binary.empty();
  const bool is_unsigned = known < kTypeNames + kNumbers && (field.flags & UNSIGNED_FLAG) != 0;
  return fmt::format("{}{}", binary ? known->binary : known->name, is_unsigned ? " UNSIGNED" : "");
}

std::vector<Column> columns_of(MYSQL_RES& result) {
  std::vector<Column> columns;
  const unsigned int count = mysql_num_fields(&result);
  const MYSQL_FIELD* fields = mysql_fetch_fields(&result);
  columns.reserve(count);
  for (unsigned int i = 0; i < count; ++i) {
    columns.push_back(
        Column{std::string(fields[i].name, fields[i].name_length), type_name(fields[i])});
  }
  return columns;
}

Row row_of(MYSQL_ROW cells, const unsigned long* lengths, size_t count) {
  Row row;
  row.reserve(count);
  for (size_t i = 0; i < count; ++i) {
    row.push_back(cells[i] == nullptr ? Cell() : Cell(std::string(cells[i], lengths[i])));
  }
  return row;
}

struct FreeResult {
  void operator()(MYSQL_RES* result) const { mysql_free_result(result); }
};

}  // namespace

MysqlClient::MysqlClient(MysqlOptions options) : options_(std::move(options)) {
  initialise_library();
}

MysqlClient::~MysqlClient() {
  close();
}

void MysqlClient::open(const std::string& socket_path, const char* database) {
  mysql_ = mysql_init(nullptr);
  if (mysql_ == nullptr) throw ClientError("no memory for a connection");
  const my_bool no = 0;
  const unsigned int no_local_files = 0;
  const unsigned int protocol = MYSQL_PROTOCOL_SOCKET;
  const unsigned int connect_s = static_cast<unsigned int>(options_.connect_timeout_s);
  const unsigned int read_s = static_cast<unsigned int>((options_.reply_timeout_ms + 999) / 1000);
  mysql_options(mysql_, MYSQL_OPT_RECONNECT, &no);
  mysql_options(mysql_, MYSQL_OPT_LOCAL_INFILE, &no_local_files);
  mysql_options(mysql_, MYSQL_OPT_PROTOCOL, &protocol);
  mysql_options(mysql_, MYSQL_OPT_CONNECT_TIMEOUT, &connect_s);
  if (read_s > 0) mysql_options(mysql_, MYSQL_OPT_READ_TIMEOUT, &read_s);
  mysql_options(mysql_, MYSQL_SET_CHARSET_NAME, "utf8mb4");
  mysql_real_connect(mysql_, nullptr, options_.user.c_str(), "", database, 0, socket_path.c_str(),
                     CLIENT_MULTI_STATEMENTS | CLIENT_MULTI_RESULTS);
}

void MysqlClient::connect(const std::string& socket_path) {
  close();
  open(socket_path, options_.database.c_str());
  const bool no_database = mysql_errno(mysql_) == kUnknownDatabase;
  if (no_database) {
    close();
    open(socket_path, nullptr);
  }
  if (mysql_errno(mysql_) != 0) {
    const std::string message = mysql_error(mysql_);
    close();
    throw ClientError(fmt::format("cannot connect to {}: {}", socket_path, message));
  }
  {
    const std::lock_guard lock(abort_mutex_);
    fd_ = mysql_get_socket(mysql_);
  }
  if (no_database) {
    run_setup({fmt::format("CREATE DATABASE IF NOT EXISTS `{}`", options_.database),
               fmt::format("USE `{}`", options_.database)});
  }
}

void MysqlClient::close() {
  {
    const std::lock_guard lock(abort_mutex_);
    fd_ = -1;
  }
  if (mysql_ != nullptr) mysql_close(mysql_);
  mysql_ = nullptr;
  hung_up_ = false;
}

void MysqlClient::abort() {
  const std::lock_guard lock(abort_mutex_);
  if (fd_ >= 0) shutdown(fd_, SHUT_RDWR);
}

int MysqlClient::socket_fd() const {
  const std::lock_guard lock(abort_mutex_);
  return hung_up_ ? -1 : fd_;
}

uint64_t MysqlClient::connection_id() const {
  return mysql_ == nullptr ? 0 : mysql_thread_id(mysql_);
}

Output MysqlClient::run(const Request& request) {
  Output output;
  output.ordered = request.ordered;
  if (!connected()) {
    output.message = "no connection";
    return output;
  }
  if (send(request.text, output) && wait_for_reply(output) && !read_highest_error(output)) {
    read_results(output);
  }
  if (!output.answered && !hung_up_) close();
  return output;
}

// An error tells nothing of it.
bool MysqlClient::in_transaction() {
  if (!connected()) return false;
  const bool was_open = (mysql_->server_status & SERVER_STATUS_IN_TRANS) != 0;
  if (!was_open || mysql_errno(mysql_) == 0) return was_open;
  return run(Request{"DO 0", false}).in_transaction.value_or(false);
}

bool MysqlClient::send(const std::string& text, Output& output) {
  return mysql_send_query(mysql_, text.data(), text.size()) == 0 || failed(output);
}

bool MysqlClient::wait_for_reply(Output& output) {
  using Clock = std::chrono::steady_clock;
  const bool for_ever = options_.reply_timeout_ms <= 0;
  const auto end = Clock::now() + std::chrono::milliseconds(options_.reply_timeout_ms);
  pollfd waiting{fd_, POLLIN | POLLRDHUP, 0};
  for (;;) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(end - Clock::now());
    const int left_ms = for_ever ? -1 : static_cast<int>(std::max<int64_t>(left.count(), 0));
    const int ready = poll(&waiting, 1, left_ms);
    if (ready > 0) return waiting.revents == POLLIN || still_there(output);
    if (ready == 0)
      return lost(output, fmt::format("no reply within {} ms", options_.reply_timeout_ms));
    if (errno != EINTR)
      return lost(output, fmt::format("cannot wait for the reply: {}", strerror(errno)));
  }
}

// Looks before libmariadb does: it would give up the connection's state together with its socket.
bool MysqlClient::still_there(Output& output) {
  char byte = 0;
  if (recv(fd_, &byte, 1, MSG_PEEK | MSG_DONTWAIT) > 0) return true;
  hung_up_ = true;
  return lost(output, fmt::format("Lost connection to server during query ({})", CR_SERVER_LOST));
}

// libmariadb takes the error 65535, which MySQL's SIGNAL allows, for a report on progress, and
// would wait for another reply. As a packet: 3 bytes of length, its number, 0xFF, 2 bytes of the
// error, '#', 5 of the SQL state, the message.
bool MysqlClient::read_highest_error(Output& output) {
  if (mariadb_connection(mysql_)) return false;  // there it is such a report
  constexpr size_t kFrame = 4;
  constexpr size_t kMessage = kFrame + 9;
  std::array<unsigned char, kMessage + MYSQL_ERRMSG_SIZE> packet{};
  const ssize_t seen = recv(fd_, packet.data(), packet.size(), MSG_PEEK | MSG_DONTWAIT);
  const size_t size = kFrame + packet[0] + (size_t{packet[1]} << 8) + (size_t{packet[2]} << 16);
  const bool is_it = packet[4] == 0xFF && packet[5] == 0xFF && packet[6] == 0xFF;
  if (!is_it || size < kMessage || seen < static_cast<ssize_t>(size)) return false;
  recv(fd_, packet.data(), size, 0);
  const auto text = [&](size_t from, size_t to) {
    return std::string(packet.begin() + static_cast<ptrdiff_t>(from),
                       packet.begin() + static_cast<ptrdiff_t>(to));
  };
  output.answered = true;
  output.error = 0xFFFF;
  output.sql_state = text(kMessage - 5, kMessage);
  output.message = text(kMessage, size);
  return true;
}

bool MysqlClient::continue_on(int fd) {
  if (mysql_ == nullptr) return false;
  const std::lock_guard lock(abort_mutex_);
  const int flags = fcntl(fd_, F_GETFL);
  if (flags < 0 || dup3(fd, fd_, O_CLOEXEC) < 0) return false;
  if ((flags & O_NONBLOCK) != 0) fcntl(fd_, F_SETFL, flags);
  // The library reads ahead, and a server that kills a session tells it so unasked: what is left of
  // the old connection would be taken for the first reply on this one.
  MARIADB_PVIO* const stream = mysql_->net.pvio;
  if (stream == nullptr) return false;
  stream->cache_pos = stream->cache;
  stream->cache_size = 0;
  hung_up_ = false;
  return true;
}

// A reply is a chain of results; an error ends it.
bool MysqlClient::read_results(Output& output) {
  if (mysql_read_query_result(mysql_) != 0) return failed(output);
  for (;;) {
    if (!read_rows(output)) return false;
    output.warning_count = mysql_warning_count(mysql_);
    const int next = mysql_next_result(mysql_);
    if (next > 0) return failed(output);
    if (next < 0) break;
  }
  output.answered = true;
  output.in_transaction = (mysql_->server_status & SERVER_STATUS_IN_TRANS) != 0;
  return true;
}

bool MysqlClient::read_rows(Output& output) {
  if (mysql_field_count(mysql_) == 0) {  // an OK packet
    output.affected_rows = mysql_affected_rows(mysql_);
    output.insert_id = mysql_insert_id(mysql_);
    output.info = text_or_empty(mysql_info(mysql_));
    return true;
  }
  const std::unique_ptr<MYSQL_RES, FreeResult> result(mysql_use_result(mysql_));
  if (!result) return failed(output);
  ResultSet set;
  set.columns = columns_of(*result);
  size_t bytes = 0;
  while (MYSQL_ROW cells = mysql_fetch_row(result.get())) {
    const unsigned long* lengths = mysql_fetch_lengths(result.get());
    for (size_t i = 0; i < set.columns.size(); ++i) bytes += lengths[i] + sizeof(Cell);
    if (bytes > kMaxReplyBytes) break;
    set.rows.push_back(row_of(cells, lengths, set.columns.size()));
  }
  if (bytes > kMaxReplyBytes) {
    abort();  // rather than read the rest, which freeing the result would do
    return lost(output, fmt::format("a reply of more than {} MiB", kMaxReplyBytes >> 20));
  }
  if (mysql_errno(mysql_) != 0) return failed(output);
  output.results.push_back(std::move(set));
  return true;
}

// An error has no number of warnings: the library's is of an earlier reply, which in a connection
// that is used for one execution after the other may be another execution's.
bool MysqlClient::failed(Output& output) {
  const unsigned int error = mysql_errno(mysql_);
  if (error == CR_MALFORMED_PACKET) {
    return lost(output, fmt::format("{}{} ({})", kGarbled, mysql_error(mysql_), error));
  }
  if (error == 0 || is_from_client(error)) {
    return lost(output, error == 0 ? "connection lost"
                                   : fmt::format("{} ({})", mysql_error(mysql_), error));
  }
  output.answered = true;
  output.error = error;
  output.sql_state = mysql_sqlstate(mysql_);
  output.message = mysql_error(mysql_);
  return false;
}

bool MysqlClient::lost(Output& output, std::string reason) {
  output.answered = false;
  output.message = std::move(reason);
  abort();
  return false;
}

std::vector<Warning> MysqlClient::warnings() {
  const Output output = run(Request{"SHOW WARNINGS", false});
  std::vector<Warning> warnings;
  if (output.results.empty()) return warnings;
  for (const Row& row : output.results[0].rows) {
    if (row.size() < 3) continue;
    Warning warning{row[0].value_or(""), 0, row[2].value_or("")};
    warning.code = static_cast<uint32_t>(std::strtoul(row[1].value_or("0").c_str(), nullptr, 10));
    warnings.push_back(std::move(warning));
  }
  return warnings;
}

}  // namespace esox
