// SPDX-License-Identifier: Apache-2.0
// The list of the tables and views of a database, by SHOW FULL TABLES, which costs a
// server just forked as much as four scans of small tables: it makes a temporary table of it.
//
// The server makes that list from the names in the database's folder and from what the definition
// files (.frm) say they are. Where the folder can be seen, an answer is kept with all of that, and
// for exactly the same names and files it is not asked for again. What the stamps of the folder and
// the files say has not changed since the last look (folder.h) is not read again either.
//
// Where no request can make, rename or drop a table (touched_tables.h) it is asked for once. That a
// table of the list is gone all the same, the question for its definition tells.
#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "targets/mysqld/state/batch.h"
#include "targets/mysqld/state/folder.h"

namespace esox {

// All that the list is made from.
class SeenDatabase {
 public:
  explicit SeenDatabase(std::string database) : database_(std::move(database)) {}
  const std::string& name() const { return database_; }
  // As bytes; empty if it cannot be seen, or not as a whole.
  const std::string& in(const std::filesystem::path& server_folder);

 private:
  struct Definition {
    std::string path;
    std::optional<FileStamp> stamp;
  };
  bool still_holds(const std::string& path, const std::optional<FileStamp>& names) const;
  bool read_definitions(const std::string& path, std::vector<std::string> names);

  std::string database_;
  RememberedNames names_;
  std::string path_;
  std::optional<FileStamp> stamp_;  // of the folder; nothing: not everything could be read
  std::vector<Definition> definitions_;
  std::string seen_;
};

class TableList {
 public:
  // `server_folder` gives the folder that holds data/ now; without it the server is always asked,
  // unless the tables stay as they are.
  TableList(std::string database, bool they_stay,
            std::function<std::filesystem::path()> server_folder);

  // What was answered before holds no longer. Prepares the question: where definitions are kept in
  // a data dictionary, half of its cost is to parse and resolve what it is made of.
  void begin(const Ask& own);

  // Calls `hear` with the answer: at once, or when the batch runs.
  void ask(QuestionBatch& batch, const std::function<void(const Output&)>& hear);

 private:
  std::string seen_now();
  void keep(const std::string& seen, const Output& answer);

  bool they_stay_;
  std::function<std::filesystem::path()> server_folder_;
  std::string asked_;  // plainly
  std::string question_;
  std::string prepared_;  // its name
  SeenDatabase database_;
  std::map<std::string, Output> answers_;  // by what was seen, or kStay
};

}  // namespace esox
