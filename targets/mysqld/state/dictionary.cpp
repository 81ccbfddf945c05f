// SPDX-License-Identifier: Apache-2.0
#include "targets/mysqld/state/dictionary.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <set>
#include <utility>

#include "targets/mysqld/state/files.h"
#include "targets/mysqld/state/replies.h"

namespace esox {
namespace {

constexpr std::string_view kDatabase = "test/";
constexpr const char* kRest = " WHERE NAME LIKE 'test/%'";

// MySQL has other names from 8.0 on, and then a single dictionary of tables: only that of their
// spaces is besides.
constexpr const char* kTables = "SELECT NAME FROM information_schema.INNODB_SYS_TABLES";
constexpr const char* kSpaces = "SELECT NAME FROM information_schema.INNODB_SYS_TABLESPACES";
constexpr const char* kNewerSpaces = "SELECT NAME FROM information_schema.INNODB_TABLESPACES";

std::string taken(const Ask& own, const std::string& name, const std::string& statement) {
  if (!takes(own, statement + " LIMIT 0")) return {};
  return prepare(own, name, statement + kRest);
}

// "t1#p#p0" of "test/t1#p#p0".
std::vector<std::string> names_of(const Output& output) {
  std::vector<std::string> names;
  for (const Row& row : output.results[0].rows) {
    std::string name = cell(row, 0).substr(kDatabase.size());
    if (!is_of_full_text(name)) names.push_back(std::move(name));
  }
  return names;
}

void add_tables(const Output& output, std::set<std::string>& tables) {
  for (const std::string& name : names_of(output)) {
    if (std::string table = table_of(name); !table.empty()) tables.insert(std::move(table));
  }
}

// Newer MySQL does not escape letters in the names of its spaces, but in those of their files.
bool has_file(const std::vector<std::string>& files, const std::string& space) {
  const std::string table = table_of(space);
  return table.empty() || std::ranges::any_of(files, [&](const std::string& file) {
           return file == space + ".ibd" ||
                  (file.ends_with(".ibd") && owner_of_file(file) == table);
         });
}

}  // namespace

void Dictionary::begin(const Ask& own) {
  ask_tables_ = taken(own, "esox_innodb_tables", kTables);
  ask_spaces_ = taken(own, "esox_innodb_spaces", kSpaces);
  if (ask_spaces_.empty()) ask_spaces_ = taken(own, "esox_innodb_spaces", kNewerSpaces);
}

void Dictionary::ask(QuestionBatch& batch) {
  if (ask_spaces_.empty()) return;
  if (!ask_tables_.empty())
    batch.add(ask_tables_, [this](Output output) { tables_ = std::move(output); });
  batch.add(ask_spaces_, [this](Output output) { spaces_ = std::move(output); });
}

void Dictionary::read(const TableNames& tables, const std::filesystem::path& server_folder,
                      std::vector<Component>& components) {
  if (ask_spaces_.empty()) return;
  ComponentBuilder builder("dictionary", ComponentKind::kMultiset);
  if (!tables.unavailable.empty()) builder.fail(tables.unavailable);
  std::set<std::string> known;
  if (!ask_tables_.empty() && has_rows(tables_, builder)) add_tables(tables_, known);
  if (has_rows(spaces_, builder)) add_tables(spaces_, known);
  for (const std::string& table : known) {
    if (tables.names.contains(table)) continue;
    builder.add(Element{without_numbers(table), "only InnoDB knows it"});
  }
  if (!server_folder.empty() && has_rows(spaces_, builder)) {
    const std::vector<std::string>& files = files_.in(server_folder.native() + "/data/test");
    if (files_.error() != 0 && files_.error() != ENOENT) {
      builder.fail(std::string("the folder 'test' cannot be read: ") + strerror(files_.error()));
    }
    for (const std::string& name : names_of(spaces_)) {
      if (has_file(files, name)) continue;
      builder.add(Element{without_numbers(name), "its file is gone"});
    }
  }
  components.push_back(std::move(builder).build());
}

}  // namespace esox
