// SPDX-License-Identifier: Apache-2.0
#include "targets/mysqld/row_log.h"

#include <openssl/evp.h>

#include <algorithm>
#include <string_view>
#include <utility>

#include "targets/mysqld/row_image.h"
#include "targets/mysqld/state/log_event.h"
#include "targets/mysqld/target.h"
#include "targets/sql/statement.h"

namespace esox {
namespace {

constexpr size_t kTableIdBytes = 6;
constexpr size_t kChecksumBytes = 4;
constexpr uint64_t kMostClients = 64;

// MySQL's row events, from 5.6 on, may have more in their heads, which begins with its length. It
// is the only kind that 9.7 takes.
constexpr int kVersionApart =
    static_cast<int>(LogEventType::kWriteRows2) - static_cast<int>(LogEventType::kWriteRows);
LogEventType of_version2(LogEventType type) {
  return static_cast<LogEventType>(static_cast<int>(type) + kVersionApart);
}

// An event's body, between its header and its checksum.
class Bodies {
 public:
  // `format`: the event at a file's beginning, which ends with the kind of checksum and its own.
  explicit Bodies(std::string_view format) {
    const size_t least = kEventHeaderBytes + kChecksumBytes + 1;
    if (format.size() >= least && format[format.size() - kChecksumBytes - 1] == 1) {
      tail_ = kChecksumBytes;
    }
  }

  std::string_view of(std::string_view event) const {
    if (event.size() < kEventHeaderBytes + tail_) return {};
    return event.substr(kEventHeaderBytes, event.size() - kEventHeaderBytes - tail_);
  }
  // The whole event of a body; nobody checks its checksum.
  std::string event(LogEventType type, const std::string& body) const {
    std::string whole(4, '\0');  // no time
    whole += static_cast<char>(type);
    append_number(whole, 1, 4);  // not the applying server's own number, as a rule
    append_number(whole, kEventHeaderBytes + body.size() + tail_, 4);
    whole.append(4 + 2, '\0');
    return whole + body + std::string(tail_, '\0');
  }

  static void append_number(std::string& text, uint64_t number, size_t bytes) {
    for (size_t i = 0; i < bytes; ++i) text += static_cast<char>(number >> (8 * i) & 0xff);
  }

 private:
  size_t tail_ = 0;
};

// The text of a Query event.
std::string_view query_of(std::string_view body) {
  constexpr size_t kFixed = 4 + 4 + 1 + 2 + 2;  // thread, seconds, length of name, error, status
  if (body.size() < kFixed) return {};
  const size_t name = static_cast<unsigned char>(body[8]);
  const size_t status = little_endian(body.substr(11, 2));
  const size_t before = kFixed + status + name + 1;
  return body.size() < before ? std::string_view() : body.substr(before);
}

class RowLogReader {
 public:
  explicit RowLogReader(const WrittenLog& log) : written_(log) {}

  RowLog read() {
    log_.unreadable = written_.unavailable;
    if (written_.gone) log_.unreadable = "the binary log does not reach back to the setup";
    if (written_.files.empty() && log_.unreadable.empty()) log_.unreadable = "no binary log";
    if (!log_.unreadable.empty()) return std::move(log_);
    for (size_t i = 0; i < written_.files.size() && log_.unreadable.empty(); ++i) {
      read_file(written_.files[i], i == 0 ? written_.position : kLogMagicBytes);
    }
    end_unit();
    return std::move(log_);
  }

 private:
  void read_file(std::string_view file, uint64_t begin) {
    std::string_view rest = file.substr(std::min<size_t>(kLogMagicBytes, file.size()));
    const std::string_view format = rest.empty() ? rest : take_event(rest);
    if (format.size() < kEventHeaderBytes || type_of(format) != LogEventType::kFormat) {
      log_.unreadable = "a file of the binary log has no known beginning";
      return;
    }
    log_.head = std::string(format);
    bodies_ = Bodies(format);
    rest = file.substr(std::min<size_t>(begin, file.size()));
    while (!rest.empty()) take(take_event(rest));
  }

  void take(std::string_view event) {
    if (event.size() < kEventHeaderBytes) return not_only_rows();
    const std::string_view body = bodies_.of(event);
    switch (type_of(event)) {
      case LogEventType::kFormat:
      case LogEventType::kGtidList:
      case LogEventType::kMysqlGtids:
      case LogEventType::kCheckpoint:
      case LogEventType::kRotate:
      case LogEventType::kStop:
        return;
      case LogEventType::kGtid:
        return begin_unit(server_of(event), body);
      case LogEventType::kMysqlGtid:
      case LogEventType::kMysqlNoGtid:
        return end_unit();
      case LogEventType::kRowsQuery:  // behind a byte
        unit().statements.push_back(
            {trim_statement(body.substr(std::min<size_t>(1, body.size()))), {}});
        return;
      case LogEventType::kAnnotateRows:
        unit().statements.push_back({trim_statement(body), {}});
        return;
      case LogEventType::kTableMap:
        return take_table(body);
      case LogEventType::kWriteRows:
      case LogEventType::kUpdateRows:
      case LogEventType::kDeleteRows:
        if (!take_rows(type_of(event), body)) not_only_rows();
        return;
      case LogEventType::kWriteRows2:
      case LogEventType::kUpdateRows2:
      case LogEventType::kDeleteRows2:
        if (!take_rows2(type_of(event), std::string(body))) not_only_rows();
        return;
      case LogEventType::kQuery:
        return take_query(body);
      case LogEventType::kXid:
        return end_unit();
      default:
        return not_only_rows();
    }
  }

  LoggedUnit& unit() {
    open_ = true;
    return unit_;
  }
  void not_only_rows() { unit().only_rows = false; }

  void begin_unit(uint64_t server, std::string_view body) {
    constexpr size_t kFlagsAt = 12;
    constexpr unsigned char kOther = 1 | 64 | 128;  // one statement; XA, prepared or completed
    end_unit();
    if (server >= kFirstSessionNumber && server < kFirstSessionNumber + kMostClients) {
      unit().client = server - kFirstSessionNumber;
    }
    if (body.size() <= kFlagsAt || (static_cast<unsigned char>(body[kFlagsAt]) & kOther) != 0) {
      not_only_rows();
    }
  }

  void end_unit() {
    if (open_) log_.units.push_back(std::exchange(unit_, {}));
    open_ = false;
    tables_.clear();
  }

  // A mark may stand for what was undone behind it; then its rows are not there.
  void take_query(std::string_view body) {
    const std::string kind = statement_kind(query_of(body));
    if (kind == "COMMIT") return end_unit();
    if (kind == "BEGIN") end_unit();
    if (!unit().client) unit().client = client_of(little_endian(body.substr(0, 4)));
    if (kind != "BEGIN" && kind != "SAVEPOINT") not_only_rows();
  }

  // Of the connection's number, which only MySQL tells of every transaction.
  std::optional<size_t> client_of(uint64_t connection) const {
    const auto found = std::ranges::find(written_.sessions, connection);
    if (found == written_.sessions.end()) return std::nullopt;
    return static_cast<size_t>(found - written_.sessions.begin());
  }

  void take_table(std::string_view body) {
    if (body.size() < kTableIdBytes) return not_only_rows();
    const std::string id(body.substr(0, kTableIdBytes));
    std::string rest(body.substr(kTableIdBytes));
    std::optional<LoggedTable> table = logged_table(rest);
    if (!table) return not_only_rows();
    const auto known = log_.tables.emplace(table->name, rest).first;
    if (known->second != rest) return not_only_rows();
    tables_[id] = std::move(*table);
  }

  bool take_rows2(LogEventType type, std::string body) {
    constexpr size_t kMoreAt = kTableIdBytes + 2;
    if (body.size() < kMoreAt + 2) return false;
    body.erase(kMoreAt, little_endian(std::string_view(body).substr(kMoreAt, 2)));
    return take_rows(static_cast<LogEventType>(static_cast<int>(type) - kVersionApart), body);
  }

  bool take_rows(LogEventType type, std::string_view body) {
    constexpr size_t kFixed = kTableIdBytes + 2;
    if (body.size() <= kFixed || unit().statements.empty()) return false;
    const auto table = tables_.find(std::string(body.substr(0, kTableIdBytes)));
    if (table == tables_.end()) return false;
    const size_t columns = table->second.columns.size();
    if (static_cast<unsigned char>(body[kFixed]) != columns) return false;
    body.remove_prefix(kFixed + 1);
    const size_t maps = type == LogEventType::kUpdateRows ? 2 : 1;
    for (size_t i = 0; i < maps; ++i) {
      if (!take_full_map(columns, body)) return false;
    }
    std::vector<RowChange>& changes = unit().statements.back().changes;
    while (!body.empty()) {
      RowChange change;
      if (type != LogEventType::kWriteRows && !take_row(table->second, body, change.before)) {
        return false;
      }
      if (type != LogEventType::kDeleteRows && !take_row(table->second, body, change.after)) {
        return false;
      }
      changes.push_back(std::move(change));
    }
    return true;
  }

  // Which columns are there: all of them.
  static bool take_full_map(size_t columns, std::string_view& body) {
    const size_t bytes = (columns + 7) / 8;
    if (body.size() < bytes) return false;
    for (size_t i = 0; i < columns; ++i) {
      if ((static_cast<unsigned char>(body[i / 8]) >> (i % 8) & 1) == 0) return false;
    }
    body.remove_prefix(bytes);
    return true;
  }

  static bool take_row(const LoggedTable& table, std::string_view& body,
                       std::optional<RowImage>& row) {
    const std::optional<size_t> bytes = row_bytes(table, body);
    if (!bytes) return false;
    row = RowImage{table.name, std::string(body.substr(0, *bytes))};
    body.remove_prefix(*bytes);
    return true;
  }

  const WrittenLog& written_;
  RowLog log_;
  Bodies bodies_{{}};
  LoggedUnit unit_;
  bool open_ = false;
  std::map<std::string, LoggedTable> tables_;  // by the number that events of this unit name
};

std::string binlog_statement(const std::string& events) {
  std::vector<unsigned char> encoded((events.size() + 2) / 3 * 4 + 1);
  const int size =
      EVP_EncodeBlock(encoded.data(), reinterpret_cast<const unsigned char*>(events.data()),
                      static_cast<int>(events.size()));
  return "BINLOG '" + std::string(encoded.begin(), encoded.begin() + size) + "'";
}

std::vector<std::string> rows_statements(const RowLog& log, const std::set<RowImage>& rows,
                                         LogEventType type) {
  constexpr uint64_t kTableNumber = 1;
  constexpr uint64_t kFlags = 1 | 2;  // the statement's last event; foreign keys are not checked
  constexpr uint64_t kNoMore = 2;     // its own length
  const bool second = log.head.find("MariaDB") == std::string::npos;
  const Bodies bodies(log.head);
  std::vector<std::string> statements;
  for (auto row = rows.begin(); row != rows.end();) {
    const auto known = log.tables.find(row->table);
    const std::string& map = known == log.tables.end() ? log.head : known->second;
    const std::optional<LoggedTable> table = logged_table(map);
    const size_t columns = table ? table->columns.size() : 0;
    std::string number;
    Bodies::append_number(number, kTableNumber, kTableIdBytes);
    std::string body = number;
    Bodies::append_number(body, kFlags, 2);
    if (second) Bodies::append_number(body, kNoMore, 2);
    body += static_cast<char>(columns);
    body.append((columns + 7) / 8, '\xff');
    const std::string name = row->table;
    for (; row != rows.end() && row->table == name; ++row) body += row->bytes;
    statements.push_back(binlog_statement(bodies.event(LogEventType::kTableMap, number + map) +
                                          bodies.event(second ? of_version2(type) : type, body)));
  }
  return statements;
}

}  // namespace

std::string format_statement(const RowLog& log) {
  return binlog_statement(log.head);
}

std::vector<std::string> write_statements(const RowLog& log, const std::set<RowImage>& rows) {
  return rows_statements(log, rows, LogEventType::kWriteRows);
}

std::vector<std::string> delete_statements(const RowLog& log, const std::set<RowImage>& rows) {
  return rows_statements(log, rows, LogEventType::kDeleteRows);
}

RowLog MysqldTarget::row_log(const WrittenLog& log) const {
  return RowLogReader(log).read();
}

}  // namespace esox
