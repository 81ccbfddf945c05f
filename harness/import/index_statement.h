// SPDX-License-Identifier: Apache-2.0
// One statement of SQLite: bound, run, read. Throws OutError with the database's own words.
#pragma once

#include <sqlite3.h>

#include <functional>
#include <initializer_list>
#include <memory>
#include <string>

namespace esox {

class IndexStatement {
 public:
  IndexStatement(sqlite3* database, const std::string& sql);

  // All values are given as text; columns of type INTEGER make numbers of them.
  void run(std::initializer_list<std::string> values);
  // Calls `row` for each row of the answer; its argument gives a column's text.
  void each(const std::function<void(const std::function<std::string(int)>&)>& row);

 private:
  struct Finalize {
    void operator()(sqlite3_stmt* statement) const { sqlite3_finalize(statement); }
  };
  sqlite3* database_;
  std::unique_ptr<sqlite3_stmt, Finalize> statement_;
};

void run_sql(sqlite3* database, const std::string& sql);

}  // namespace esox
