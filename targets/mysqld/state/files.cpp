// SPDX-License-Identifier: Apache-2.0
#include "targets/mysqld/state/files.h"

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <cstring>
#include <set>
#include <string_view>
#include <utility>

namespace esox {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kTemporary = "#sql";

// A code point as MariaDB writes what is no letter, digit or underscore into a file name: @002d.
int character_at(std::string_view name, size_t at) {
  int code = 0;
  for (size_t i = at + 1; i < at + 5; ++i) {
    if (i >= name.size()) return -1;
    const char c = name[i];
    if (c >= '0' && c <= '9') {
      code = 16 * code + (c - '0');
    } else if (c >= 'a' && c <= 'f') {
      code = 16 * code + (c - 'a' + 10);
    } else {
      return -1;
    }
  }
  return code < 0x80 ? code : -1;
}

bool is_foreign(const std::string& file, const std::set<std::string>& tables) {
  if (file == "db.opt" || is_of_full_text(file) || file.ends_with(".TRN")) return false;
  if (file.starts_with(kTemporary)) return true;
  const std::string owner = owner_of_file(file);
  return !owner.empty() && !tables.contains(owner);
}

void add_files(RememberedNames& names, const std::string& path, const std::string& key,
               const auto& is_wanted, ComponentBuilder& builder) {
  for (const std::string& name : names.in(path)) {
    if (is_wanted(name)) builder.add(Element{key, without_numbers(name)});
  }
  // Without its folder there is no database, which the list of tables tells.
  if (names.error() != 0 && names.error() != ENOENT) {
    builder.fail("the folder '" + key + "' cannot be read: " + strerror(names.error()));
  }
}

}  // namespace

bool is_of_full_text(std::string_view file_name) {
  return file_name.starts_with("FTS_") || file_name.starts_with("fts_");
}

std::string table_of(std::string_view engines_name) {
  const std::string_view stem =
      engines_name.substr(0, std::min(engines_name.find("#P#"), engines_name.find("#p#")));
  std::string table;
  for (size_t i = 0; i < stem.size(); ++i) {
    if (stem[i] != '@') {
      table.push_back(stem[i]);
      continue;
    }
    const int character = character_at(stem, i);
    if (character < 0) return {};
    table.push_back(static_cast<char>(character));
    i += 4;
  }
  return table;
}

std::string owner_of_file(const std::string& file_name) {
  std::string_view stem = std::string_view(file_name).substr(0, file_name.find('.'));
  // MySQL's description of a table of another engine than InnoDB: t1_364.sdi.
  if (file_name.ends_with(".sdi")) stem = stem.substr(0, stem.rfind('_'));
  return table_of(stem);
}

std::string without_numbers(const std::string& file_name) {
  std::string text;
  for (size_t i = 0; i < file_name.size();) {
    size_t end = i;
    while (end < file_name.size() && std::isxdigit(static_cast<unsigned char>(file_name[end]))) {
      ++end;
    }
    const bool begins_part = i > 0 && file_name[i - 1] == '-';
    const bool ends_part = end == file_name.size() || file_name[end] == '-' ||
                           file_name[end] == '.' || file_name[end] == '#';
    if (end > i && begins_part && ends_part) {
      text += "#";
      i = end;
    } else {
      text.push_back(file_name[i++]);
    }
  }
  return text;
}

Component OrphanedFiles::take(const fs::path& server_folder, const TableNames& tables) {
  ComponentBuilder builder("files", ComponentKind::kMultiset);
  if (!tables.unavailable.empty()) builder.fail(tables.unavailable);
  add_files(
      database_, server_folder.native() + "/data/test", "test",
      [&](const std::string& name) { return is_foreign(name, tables.names); }, builder);
  add_files(
      temporary_, server_folder.native() + "/tmp", "tmp",
      [](const std::string& name) { return name.starts_with(kTemporary); }, builder);
  return std::move(builder).build();
}

}  // namespace esox
