// SPDX-License-Identifier: Apache-2.0
#include "base/sqlite/database.h"

#include <fmt/format.h>
#include <sqlite3.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <utility>

namespace esox {
namespace {

struct Finalize {
  void operator()(sqlite3_stmt* statement) const { sqlite3_finalize(statement); }
};
using PreparedStatement = std::unique_ptr<sqlite3_stmt, Finalize>;

int bind(sqlite3_stmt* statement, int place, const SqlValue& value) {
  if (const auto* number = std::get_if<int64_t>(&value)) {
    return sqlite3_bind_int64(statement, place, *number);
  }
  if (const auto* real = std::get_if<double>(&value)) {
    return sqlite3_bind_double(statement, place, *real);
  }
  if (const auto* text = std::get_if<std::string>(&value)) {
    return sqlite3_bind_text(statement, place, text->data(), static_cast<int>(text->size()),
                             SQLITE_TRANSIENT);
  }
  const auto& bytes = std::get<SqlBytes>(value);
  return sqlite3_bind_blob(statement, place, bytes.data(), static_cast<int>(bytes.size()),
                           SQLITE_TRANSIENT);
}

}  // namespace

std::string SqlRow::text(int column) const {
  const auto* const text = sqlite3_column_text(statement_, column);
  const auto size = static_cast<size_t>(sqlite3_column_bytes(statement_, column));
  return text == nullptr ? std::string() : std::string(reinterpret_cast<const char*>(text), size);
}

int64_t SqlRow::number(int column) const {
  return sqlite3_column_int64(statement_, column);
}

double SqlRow::real(int column) const {
  return sqlite3_column_double(statement_, column);
}

SqlBytes SqlRow::bytes(int column) const {
  const auto* const begin = static_cast<const uint8_t*>(sqlite3_column_blob(statement_, column));
  const auto size = static_cast<size_t>(sqlite3_column_bytes(statement_, column));
  return begin == nullptr ? SqlBytes() : SqlBytes(begin, begin + size);
}

void SqlRow::take(int column, SqlDigits& digits) const {
  digits.number = std::strtoull(text(column).c_str(), nullptr, 10);
}

void Database::Close::operator()(sqlite3* database) const {
  sqlite3_close(database);
}

Database::Database(std::filesystem::path file, const DatabaseKind& kind)
    : file_(std::move(file)), kind_(&kind) {
  open();
  migrate();
}

Database::~Database() = default;
Database::Database(Database&&) noexcept = default;
Database& Database::operator=(Database&&) noexcept = default;

void Database::open() {
  sqlite3* database = nullptr;
  const int result =
      sqlite3_open_v2(file_.c_str(), &database,
                      SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX, nullptr);
  database_.reset(database);
  check(result);
  sqlite3_extended_result_codes(database, 0);
  check(sqlite3_busy_timeout(database, kind_->busy_ms));
  if (kind_->exclusive) run("PRAGMA locking_mode = EXCLUSIVE");
  run(fmt::format("PRAGMA journal_mode = {}", kind_->journal));
  run(fmt::format("PRAGMA synchronous = {}", kind_->synchronous));
  run("PRAGMA foreign_keys = ON");
  if (kind_->look_through) look_through();
}

void Database::look_through() {
  const std::string found = text("PRAGMA quick_check(1)").value_or("nothing could be read");
  if (found == "ok") return;
  throw DatabaseError(fmt::format("{} {} is damaged ({}); {}", kind_->name, file_.string(),
                                  found.substr(0, found.find('\n')), kind_->broken_remedy));
}

// All steps in one transaction: whoever is killed in it leaves the old schema.
void Database::migrate() {
  const auto known = static_cast<int64_t>(kind_->migrations.size());
  if (number("PRAGMA user_version") == known &&
      number("PRAGMA application_id") == static_cast<int64_t>(kind_->application_id)) {
    return;
  }
  Transaction transaction(*this);
  const int64_t id = number("PRAGMA application_id");
  const int64_t version = number("PRAGMA user_version");
  const bool fresh =
      id == 0 && version == 0 &&
      (number("SELECT COUNT(*) FROM sqlite_schema") == 0 ||
       number("SELECT COUNT(*) FROM sqlite_schema WHERE name = ?", {kind_->own_table}) == 1);
  if (!fresh && id != static_cast<int64_t>(kind_->application_id)) {
    throw DatabaseError(
        fmt::format("{} is not {}; {}", file_.string(), kind_->name, kind_->broken_remedy));
  }
  if (version > known) {
    throw DatabaseError(fmt::format(
        "{} {} was written by a newer esox (schema {}, this one knows {}); use that esox",
        kind_->name, file_.string(), version, known));
  }
  for (int64_t i = version; i < known; ++i) {
    check(sqlite3_exec(database_.get(), kind_->migrations[static_cast<size_t>(i)], nullptr, nullptr,
                       nullptr));
  }
  run(fmt::format("PRAGMA application_id = {}", kind_->application_id));
  run(fmt::format("PRAGMA user_version = {}", known));
  transaction.commit();
}

void Database::check(int result) const {
  if (result != SQLITE_OK && result != SQLITE_ROW && result != SQLITE_DONE) fail(result);
}

void Database::fail(int result) const {
  const int kind = result & 0xff;
  std::string why = database_ ? sqlite3_errmsg(database_.get()) : sqlite3_errstr(kind);
  const int system = database_ ? sqlite3_system_errno(database_.get()) : 0;
  if (kind == SQLITE_IOERR && system != 0) why += fmt::format(" ({})", strerror(system));
  if (kind == SQLITE_FULL) why = strerror(ENOSPC);
  const char* remedy = kind_->full_remedy;
  if (kind == SQLITE_BUSY || kind == SQLITE_LOCKED) remedy = kind_->busy_remedy;
  if (kind == SQLITE_CORRUPT || kind == SQLITE_NOTADB) remedy = kind_->broken_remedy;
  if (kind == SQLITE_READONLY) why = "it cannot be written to";
  const std::string text = fmt::format("{} {}: {}; {}", kind_->name, file_.string(), why, remedy);
  if (kind == SQLITE_BUSY || kind == SQLITE_LOCKED) throw DatabaseBusy(text);
  throw DatabaseError(text);
}

void Database::run(std::string_view sql, const std::vector<SqlValue>& values,
                   const std::function<void(const SqlRow&)>& row) {
  sqlite3_stmt* raw = nullptr;
  check(
      sqlite3_prepare_v2(database_.get(), sql.data(), static_cast<int>(sql.size()), &raw, nullptr));
  const PreparedStatement statement(raw);
  int place = 0;
  for (const SqlValue& value : values) check(bind(raw, ++place, value));
  int result = SQLITE_ROW;
  while ((result = sqlite3_step(raw)) == SQLITE_ROW) row(SqlRow(raw));
  check(result);
}

std::optional<std::string> Database::text(std::string_view sql,
                                          const std::vector<SqlValue>& values) {
  std::optional<std::string> first;
  run(sql, values, [&](const SqlRow& row) {
    if (!first) first = row.text(0);
  });
  return first;
}

int64_t Database::number(std::string_view sql, const std::vector<SqlValue>& values) {
  std::optional<int64_t> first;
  run(sql, values, [&](const SqlRow& row) {
    if (!first) first = row.number(0);
  });
  return first.value_or(0);
}

Transaction::Transaction(Database& database) : database_(database) {
  database_.run("BEGIN IMMEDIATE");
}

Transaction::~Transaction() {
  if (!open_) return;
  sqlite3_exec(database_.database_.get(), "ROLLBACK", nullptr, nullptr, nullptr);
}

void Transaction::commit() {
  database_.run("COMMIT");
  open_ = false;
}

}  // namespace esox
