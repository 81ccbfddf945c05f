// SPDX-License-Identifier: Apache-2.0
// The tables and views of a database, here `test`:
//   tables              set       "t1 BASE TABLE"; of another database tables:d, and where that is
//                                 not there an element that says so
//   definition:test.t   map       "create" (SHOW CREATE TABLE), "auto_increment"
//   rows:test.t         multiset  all rows, by a full scan of a table (no index, no query cache)
//   index:test.t.k      multiset  where an index disagrees with the table scan (indexes.h)
//   check:test.t        sequence  CHECK TABLE: "status: OK"
//
// Indexes and checks are those of the tables that the caller calls touched: they cost more than all
// else.
//
// One trip, for the tables and indexes of the last look are asked for without waiting to hear that
// they are still there. Only what turns out to be new or changed is asked for again. What was
// remembered decides how many trips it takes and never what is found: by itself each table is read
// in the same order (definition, rows, indexes), all before any is checked, for a check may mark a
// table as broken.
//
// Of tables with more rows than kMaxRows, and for indexes kMaxScannedRows, the components are there
// and unavailable: what was not read is equal to nothing.
#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "summaries/component.h"
#include "targets/mysqld/state/batch.h"
#include "targets/mysqld/state/indexes.h"
#include "targets/mysqld/state/table_list.h"

namespace esox {

// Of a table; a look at more takes longer than the execution. It also ends the scan of a damaged
// table that goes round in circles.
inline constexpr size_t kMaxRows = 100'000;

// Of a table of up to so many rows, all are there to be named when one side lacks some.
inline constexpr size_t kListedRows = 10'000;

struct TableNames {
  std::set<std::string> names;
  std::string unavailable;  // not empty: they are not known
};

class Tables {
 public:
  // Whether a table could have been changed or broken, by its name; empty: any could.
  using IsTouched = std::function<bool(const std::string& table)>;

  // `they_stay`: none is made, renamed or dropped after begin().
  Tables(bool with_indexes, IsTouched is_touched, bool they_stay,
         std::function<std::filesystem::path()> server_folder, std::string database = "test")
      : with_indexes_(with_indexes),
        is_touched_(std::move(is_touched)),
        database_(std::move(database)),
        table_list_(database_, they_stay, std::move(server_folder)) {}
  Tables(const Tables&) = delete;
  Tables& operator=(const Tables&) = delete;

  // With everything from now on unknown.
  void begin(const Ask& own);

  // Adds what can be asked at once. The batch must run before read().
  void ask(QuestionBatch& batch);

  // Asks for what is still missing, and gives the components.
  void read(const Ask& own, std::vector<Component>& components);

  // After read(): the names of the tables that exist, or why they are not known.
  const TableNames& names() const { return names_; }

 private:
  struct Known {
    std::string type;  // "BASE TABLE", "VIEW", "SEQUENCE"
    std::string create;
    std::vector<Index> indexes;
    bool touched = true;
    bool large = false;  // not worth checking
  };
  struct Seen {
    std::string type;
    Output definition;
    Output rows;
    std::string create;                   // for which the indexes were asked
    std::map<std::string, Output> scans;  // by index
    bool checked = false;                 // it was asked for
    Output check;
    bool operator==(const Seen&) const = default;
  };
  // Most executions leave a table as the one before did: then its components are not made again.
  struct Made {
    Seen seen;
    std::vector<Component> components;
  };

  void hear_list(const Output& output);
  bool is_there(const std::string& name, const std::string& type) const;
  void ask_contents(const std::string& name, const std::string& type, QuestionBatch& batch);
  void ask_scans(const std::string& name, const Known& known, QuestionBatch& batch);
  void ask_scans_again(const std::string& name, Seen& seen, QuestionBatch& batch);
  void ask_checks(const std::vector<std::string>& names, QuestionBatch& batch);
  void look_again(const Ask& own);
  Component list_component() const;
  std::vector<Component> components_of(const std::string& name, const Seen& seen) const;
  std::string quoted(const std::string& table) const;
  std::string in_full(const std::string& table) const { return database_ + "." + table; }

  bool is_touched(const std::string& name) const { return !is_touched_ || is_touched_(name); }

  bool with_indexes_;
  IsTouched is_touched_;
  std::string database_;
  TableList table_list_;
  std::map<std::string, Known> remembered_;  // by name
  bool heard_ = false;
  bool no_database_ = false;
  TableNames names_;
  Output list_;
  std::map<std::string, std::string> listed_;  // name -> type
  std::map<std::string, Seen> seen_;
  std::map<std::string, Made> made_;  // by name; of the last look
};

// The list of the tables of another database than `test` that is not there.
Component no_such_database(const std::string& database);

// The AUTO_INCREMENT=n of SHOW CREATE TABLE taken out: {text without it, n or ""}.
std::pair<std::string, std::string> split_auto_increment(const std::string& create);

}  // namespace esox
