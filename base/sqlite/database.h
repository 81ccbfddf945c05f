// SPDX-License-Identifier: Apache-2.0
// A SQLite file of ours, and its statements: what a hunt remembers, what all hunts found.
//
// Each file says by its application id what it is and by its user version of which schema, so that
// a stranger's database, or one of a newer esox, is never written to. Every failure is a
// DatabaseError: one line that says what, where and what to do. Used by one thread at a time.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

struct sqlite3;
struct sqlite3_stmt;

namespace esox {

class DatabaseError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// Somebody else is writing to it.
class DatabaseBusy : public DatabaseError {
 public:
  using DatabaseError::DatabaseError;
};

// How a file of one kind is to be used.
struct DatabaseKind {
  const char* name = "";  // "the triage store", for messages
  uint32_t application_id = 0;
  // By the version they lead to: migrations[0] makes version 1 of nothing.
  std::span<const char* const> migrations;
  // A file without an application id that has this table is of an esox that gave none: all
  // migrations are run on it. Empty: there are none.
  const char* own_table = "";
  const char* journal = "DELETE";    // PRAGMA journal_mode
  const char* synchronous = "FULL";  // PRAGMA synchronous
  bool exclusive = false;            // one process at a time, from opening to closing
  bool look_through = false;         // for damage, when it is opened
  int busy_ms = 0;                   // how long to wait for another writer
  const char* busy_remedy = "";      // "another hunt is at work in it; wait for its end"
  const char* broken_remedy = "";    // "move it away ..."
  const char* full_remedy = "";      // "make room, or ..."
};

using SqlBytes = std::vector<uint8_t>;

// Whole numbers and enumerations of any kind are SQLite's own of 64 bits.
struct SqlValue : std::variant<int64_t, double, std::string, SqlBytes> {
  template <class T>
  requires(std::is_integral_v<T> || std::is_enum_v<T>) SqlValue(T number)
      : variant(static_cast<int64_t>(number)) {}
  SqlValue(double number) : variant(number) {}
  SqlValue(std::string text) : variant(std::move(text)) {}
  SqlValue(const char* text) : variant(std::string(text)) {}
  SqlValue(SqlBytes bytes) : variant(std::move(bytes)) {}
};

// A number of 64 bits without a sign, which SQLite's own do not hold: a column of its digits.
struct SqlDigits {
  uint64_t& number;
};

class SqlRow {
 public:
  explicit SqlRow(sqlite3_stmt* statement) : statement_(statement) {}
  // Puts the columns into these, from the first on; an enumeration by its number.
  void into(auto&&... values) const {
    int column = 0;
    (take(column++, values), ...);
  }
  std::string text(int column) const;
  int64_t number(int column) const;
  uint64_t count(int column) const { return static_cast<uint64_t>(number(column)); }
  double real(int column) const;
  SqlBytes bytes(int column) const;

 private:
  void take(int column, SqlDigits& digits) const;
  void take(int column, std::string& value) const { value = text(column); }
  void take(int column, SqlBytes& value) const { value = bytes(column); }
  void take(int column, double& value) const { value = real(column); }
  template <class T>
  void take(int column, T& value) const {
    value = static_cast<T>(number(column));
  }

  sqlite3_stmt* statement_;
};

class Database {
 public:
  // Opens the file, or makes it; brings an older schema up to date. `kind` must outlive it.
  Database(std::filesystem::path file, const DatabaseKind& kind);
  ~Database();
  Database(Database&&) noexcept;
  Database& operator=(Database&&) noexcept;

  // Runs one statement; `row` is called for each row of its answer.
  void run(
      std::string_view sql, const std::vector<SqlValue>& values = {},
      const std::function<void(const SqlRow&)>& row = [](const SqlRow&) {});
  // What `make` makes of each row.
  auto all(std::string_view sql, const std::vector<SqlValue>& values, const auto& make) {
    std::vector<decltype(make(SqlRow(nullptr)))> made;
    run(sql, values, [&](const SqlRow& row) { made.push_back(make(row)); });
    return made;
  }
  // The first column of the first row, if there is one.
  std::optional<std::string> text(std::string_view sql, const std::vector<SqlValue>& values = {});
  int64_t number(std::string_view sql, const std::vector<SqlValue>& values = {});

  const std::filesystem::path& file() const { return file_; }

 private:
  friend class Transaction;
  void open();
  void migrate();
  void look_through();
  [[noreturn]] void fail(int result) const;
  void check(int result) const;

  struct Close {
    void operator()(sqlite3* database) const;
  };
  std::filesystem::path file_;
  const DatabaseKind* kind_;
  std::unique_ptr<sqlite3, Close> database_;
};

// The write lock from here on; undone at the end unless committed.
class Transaction {
 public:
  explicit Transaction(Database& database);
  ~Transaction();
  Transaction(const Transaction&) = delete;
  Transaction& operator=(const Transaction&) = delete;
  void commit();

 private:
  Database& database_;
  bool open_ = true;
};

}  // namespace esox
