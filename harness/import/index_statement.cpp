// SPDX-License-Identifier: Apache-2.0
// See index_statement.h.
#include "harness/import/index_statement.h"

#include <fmt/format.h>

#include "harness/records/out_folder.h"

namespace esox {
namespace {

[[noreturn]] void fail(sqlite3* database) {
  const char* const name = sqlite3_db_filename(database, "main");
  const char* const remedy = sqlite3_errcode(database) == SQLITE_BUSY
                                 ? "another import is at work there; wait for its end"
                                 : "make room, or name another folder by --out";
  throw OutError(fmt::format("the index {}: {}; {}", name == nullptr ? "" : name,
                             sqlite3_errmsg(database), remedy));
}

}  // namespace

IndexStatement::IndexStatement(sqlite3* database, const std::string& sql) : database_(database) {
  sqlite3_stmt* statement = nullptr;
  if (sqlite3_prepare_v2(database, sql.c_str(), -1, &statement, nullptr) != SQLITE_OK) {
    fail(database);
  }
  statement_.reset(statement);
}

void IndexStatement::run(std::initializer_list<std::string> values) {
  sqlite3_reset(statement_.get());
  int place = 0;
  for (const std::string& value : values) {
    const int size = static_cast<int>(value.size());
    sqlite3_bind_text(statement_.get(), ++place, value.c_str(), size, SQLITE_TRANSIENT);
  }
  if (sqlite3_step(statement_.get()) != SQLITE_DONE) fail(database_);
}

void IndexStatement::each(const std::function<void(const std::function<std::string(int)>&)>& row) {
  const auto column = [&](int number) {
    const auto* const text = sqlite3_column_text(statement_.get(), number);
    return text == nullptr ? std::string() : std::string(reinterpret_cast<const char*>(text));
  };
  int result = SQLITE_ROW;
  while ((result = sqlite3_step(statement_.get())) == SQLITE_ROW) row(column);
  if (result != SQLITE_DONE) fail(database_);
}

void run_sql(sqlite3* database, const std::string& sql) {
  if (sqlite3_exec(database, sql.c_str(), nullptr, nullptr, nullptr) != SQLITE_OK) fail(database);
}

}  // namespace esox
