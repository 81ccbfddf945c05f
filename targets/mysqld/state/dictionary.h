// SPDX-License-Identifier: Apache-2.0
// Component dictionary: the tables of the database `test` that InnoDB's own dictionary has, beside
// the server's list of tables and the files. A DROP, RENAME or ALTER that was cut short, or raced,
// leaves rows there that SQL does not show: a later CREATE of the name fails, or the space is lost.
//
// Elements: multiset by table: "only InnoDB knows it", "its file is gone". Numbers in the names of
// tables on the way (#sql-ib12-34) are left out; those of full-text indexes (FTS_...) are not
// judged.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "summaries/component.h"
#include "targets/mysqld/state/batch.h"
#include "targets/mysqld/state/folder.h"
#include "targets/mysqld/state/tables.h"

namespace esox {

class Dictionary {
 public:
  // Learns how the server calls it.
  void begin(const Ask& own);
  void ask(QuestionBatch& batch);
  // `server_folder` holds data/; empty: files are not looked at.
  void read(const TableNames& tables, const std::filesystem::path& server_folder,
            std::vector<Component>& components);

 private:
  std::string ask_tables_;  // empty: it has no such list
  std::string ask_spaces_;  // empty: it has no InnoDB
  Output tables_;
  Output spaces_;
  RememberedNames files_;
};

}  // namespace esox
