// SPDX-License-Identifier: Apache-2.0
#include "targets/mysqld/state/indexes.h"

#include <algorithm>
#include <iterator>
#include <string_view>
#include <utility>

#include "summaries/render.h"
#include "targets/mysqld/state/replies.h"

namespace esox {
namespace {

constexpr std::string_view kAnswerFromIndexes[] = {"Aria", "MyISAM", "InnoDB"};

// Reads `name`, with its quotes doubled inside, and moves past it.
std::optional<std::string> take_name(std::string_view& text) {
  if (!text.starts_with('`')) return std::nullopt;
  std::string name;
  for (size_t i = 1; i < text.size(); ++i) {
    if (text[i] != '`') {
      name.push_back(text[i]);
    } else if (i + 1 < text.size() && text[i + 1] == '`') {
      name.push_back(text[i++]);
    } else {
      text.remove_prefix(i + 1);
      return name;
    }
  }
  return std::nullopt;
}

bool take(std::string_view& text, std::string_view word) {
  if (!text.starts_with(word)) return false;
  text.remove_prefix(word.size());
  return true;
}

// (`a`,`b` DESC): empty if a part of a column is indexed, or an expression.
std::vector<std::string> take_columns(std::string_view& text) {
  std::vector<std::string> columns;
  if (!take(text, "(")) return {};
  for (;;) {
    auto column = take_name(text);
    if (!column) return {};
    columns.push_back(std::move(*column));
    take(text, " DESC");
    if (take(text, ")")) return columns;
    if (!take(text, ",")) return {};
  }
}

std::string_view engine_of(std::string_view create) {
  static constexpr std::string_view kOption = "\n) ENGINE=";
  const size_t found = create.rfind(kOption);
  if (found == std::string_view::npos) return {};
  const std::string_view rest = create.substr(found + kOption.size());
  return rest.substr(0, rest.find_first_of(" \n"));
}

// One line of SHOW CREATE TABLE; nothing if it is no index that a covering scan can read.
std::optional<Index> index_of_line(std::string_view line, bool clustered) {
  Index index;
  if (take(line, "  PRIMARY KEY ")) {
    if (clustered) return std::nullopt;
    index.name = "PRIMARY";
  } else if (take(line, "  KEY ") || take(line, "  UNIQUE KEY ")) {
    auto name = take_name(line);
    if (!name || !take(line, " ")) return std::nullopt;
    index.name = std::move(*name);
  } else {
    return std::nullopt;
  }
  index.columns = take_columns(line);
  const std::string_view options = line.substr(0, line.find(" COMMENT '"));
  if (index.columns.empty() || options.find(" USING HASH") != std::string_view::npos ||
      options.find(" IGNORED") != std::string_view::npos ||
      options.find(" INVISIBLE ") != std::string_view::npos) {
    return std::nullopt;
  }
  return index;
}

// The places of the index's columns in the rows; empty if one is not there (an invisible column).
std::vector<size_t> places_of(const Index& index, const ResultSet& rows) {
  std::vector<size_t> places;
  for (const std::string& name : index.columns) {
    const auto is_it = [&](const Column& column) { return column.name == name; };
    const auto found = std::ranges::find_if(rows.columns, is_it);
    if (found == rows.columns.end()) return {};
    places.push_back(static_cast<size_t>(found - rows.columns.begin()));
  }
  return places;
}

std::vector<std::string> sorted(std::vector<std::string> texts) {
  std::ranges::sort(texts);
  return texts;
}

std::vector<std::string> texts_of(const std::vector<Row>& rows, const std::vector<size_t>& places) {
  std::vector<std::string> texts;
  texts.reserve(rows.size());
  for (const Row& row : rows) {
    Row cut;
    for (const size_t place : places) cut.push_back(place < row.size() ? row[place] : Cell());
    texts.push_back(render_row(cut));
  }
  return sorted(std::move(texts));
}

}  // namespace

std::vector<Index> readable_indexes(const std::string& create) {
  const std::string_view engine = engine_of(create);
  const auto* const end = std::end(kAnswerFromIndexes);
  if (std::find(std::begin(kAnswerFromIndexes), end, engine) == end) return {};
  std::vector<Index> indexes;
  for (size_t at = 0; at < create.size();) {
    const size_t line_end = std::min(create.find('\n', at), create.size());
    const auto line = std::string_view(create).substr(at, line_end - at);
    if (auto index = index_of_line(line, engine == "InnoDB")) indexes.push_back(std::move(*index));
    at = line_end + 1;
  }
  return indexes;
}

std::string scan_of(const std::string& quoted_table, const Index& index) {
  std::string columns;
  for (const std::string& column : index.columns) {
    if (!columns.empty()) columns += ",";
    columns += quoted_name(column);
  }
  return "SELECT SQL_NO_CACHE " + columns + " FROM " + quoted_table + " FORCE INDEX (" +
         quoted_name(index.name) + ") LIMIT " + std::to_string(kMaxScannedRows + 1);
}

Component compare_index(const std::string& name, const Index& index, const Output& rows,
                        const Output& keys) {
  ComponentBuilder builder(name, ComponentKind::kMultiset);
  if (!has_rows(rows, builder) || !has_rows(keys, builder)) return std::move(builder).build();
  const std::vector<size_t> places = places_of(index, rows.results[0]);
  if (places.empty()) return std::move(builder).build();
  std::vector<size_t> all(places.size());
  for (size_t i = 0; i < all.size(); ++i) all[i] = i;
  const std::vector<std::string> by_scan = texts_of(rows.results[0].rows, places);
  const std::vector<std::string> by_index = texts_of(keys.results[0].rows, all);
  add_those_only_in(by_scan, by_index, "only in the table scan", builder);
  add_those_only_in(by_index, by_scan, "only in the index " + index.name, builder);
  return std::move(builder).build();
}

}  // namespace esox
