// SPDX-License-Identifier: Apache-2.0
// Component files: files in the server's folders that belong to no table.
//
// A crash-safe ALTER or DROP that was cut short, or raced, leaves `#sql-...` files and files of
// tables that no longer exist behind; SQL does not show them. Read from outside, without asking the
// server. Elements: key "test" (the folder of the database) or "tmp" (that of temporary tables:
// they belong to a session that still has them), value the file's name with numbers of processes,
// connections and tables left out.
//
// Not judged: files of full-text indexes (FTS_...), and names with letters beyond ASCII.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "summaries/component.h"
#include "targets/mysqld/state/folder.h"
#include "targets/mysqld/state/tables.h"

namespace esox {

class OrphanedFiles {
 public:
  // `server_folder` holds data/ and tmp/.
  Component take(const std::filesystem::path& server_folder, const TableNames& tables);

 private:
  RememberedNames database_;
  RememberedNames temporary_;
};

// The table of a name as engines write it: without its partition (t1#p#p0) and with the letters
// that are escaped in names of files (odd@002dname); empty if that cannot be told.
std::string table_of(std::string_view engines_name);

// What belongs to a full-text index.
bool is_of_full_text(std::string_view file_name);

// The table that a file of the folder of a database belongs to; empty if that cannot be told.
std::string owner_of_file(const std::string& file_name);

// "#sql-alter-4a1-5.frm" -> "#sql-alter-#-#.frm"
std::string without_numbers(const std::string& file_name);

}  // namespace esox
