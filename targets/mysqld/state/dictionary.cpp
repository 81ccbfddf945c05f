// SPDX-License-Identifier: Apache-2.0
#include "targets/mysqld/state/dictionary.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include "targets/mysqld/state/files.h"
#include "targets/mysqld/state/replies.h"

namespace esox {
namespace {

constexpr std::string_view kDatabase = "test/";
constexpr const char* kRest = " WHERE NAME LIKE 'test/%'";

// As MySQL has it from 8.0 on, and as others do.
constexpr const char* kTables[] = {"SELECT NAME FROM information_schema.INNODB_TABLES",
                                   "SELECT NAME FROM information_schema.INNODB_SYS_TABLES"};
constexpr const char* kSpaces[] = {"SELECT NAME FROM information_schema.INNODB_TABLESPACES",
                                   "SELECT NAME FROM information_schema.INNODB_SYS_TABLESPACES"};

template <size_t kCount>
std::string taken_of(const Ask& own, const char* const (&statements)[kCount]) {
  for (const std::string statement : statements) {
    if (takes(own, statement + " LIMIT 0")) return statement + kRest;
  }
  return {};
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

// Newer MySQL does not escape letters in the names of its spaces, but in those of their files.
bool has_file(const std::vector<std::string>& files, const std::string& space) {
  const std::string table = table_of(space);
  return table.empty() || std::any_of(files.begin(), files.end(), [&](const std::string& file) {
           return file == space + ".ibd" ||
                  (file.ends_with(".ibd") && owner_of_file(file) == table);
         });
}

}  // namespace

void Dictionary::begin(const Ask& own) {
  ask_tables_ = taken_of(own, kTables);
  ask_spaces_ = taken_of(own, kSpaces);
}

void Dictionary::ask(QuestionBatch& batch) {
  if (ask_tables_.empty() || ask_spaces_.empty()) return;
  batch.add(ask_tables_, [this](Output output) { tables_ = std::move(output); });
  batch.add(ask_spaces_, [this](Output output) { spaces_ = std::move(output); });
}

void Dictionary::read(const TableNames& tables, const std::filesystem::path& server_folder,
                      std::vector<Component>& components) {
  if (ask_tables_.empty() || ask_spaces_.empty()) return;
  ComponentBuilder builder("dictionary", ComponentKind::kMultiset);
  if (!tables.unavailable.empty()) builder.fail(tables.unavailable);
  if (has_rows(tables_, builder)) {
    for (const std::string& name : names_of(tables_)) {
      const std::string table = table_of(name);
      if (table.empty() || tables.names.contains(table)) continue;
      builder.add(Element{without_numbers(table), "only InnoDB knows it"});
    }
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
