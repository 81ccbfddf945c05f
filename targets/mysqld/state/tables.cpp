// SPDX-License-Identifier: Apache-2.0
#include "targets/mysqld/state/tables.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "summaries/render.h"
#include "targets/mysqld/state/components.h"
#include "targets/mysqld/state/replies.h"

namespace esox {
namespace {

constexpr size_t kMaxTables = 2000;
constexpr uint32_t kNoSuchDatabase = 1049;
constexpr const char* kBaseTable = "BASE TABLE";  // as SHOW FULL TABLES has it

// {without the counter, the counter}
std::pair<std::string, std::string> create_of(const Output& definition) {
  if (definition.error != 0 || definition.results.empty()) return {};
  const std::vector<Row>& rows = definition.results[0].rows;
  return rows.empty() ? std::make_pair(std::string(), std::string())
                      : split_auto_increment(cell(rows[0], 1));
}

Component definition_component(const std::string& table, const Output& output) {
  ComponentBuilder builder("definition:" + table, ComponentKind::kMap);
  if (has_rows(output, builder) && !output.results[0].rows.empty()) {
    auto [create, auto_increment] = create_of(output);
    builder.add(Element{"create", std::move(create)});
    if (!auto_increment.empty()) builder.add(Element{"auto_increment", std::move(auto_increment)});
  }
  return std::move(builder).build();
}

size_t row_count(const Output& output) {
  return output.results.empty() ? 0 : output.results[0].rows.size();
}

bool is_large(const Output& rows) {
  return row_count(rows) > kMaxRows;
}

std::string more_rows_than(size_t limit) {
  return fmt::format("the table has more than {} rows", limit);
}

Component rows_component(const std::string& table, const Output& output) {
  ComponentBuilder builder("rows:" + table, ComponentKind::kMultiset, kListedRows);
  if (is_large(output)) {
    builder.fail(more_rows_than(kMaxRows) + ", and only so many are read");
  } else if (has_rows(output, builder)) {
    for (const Row& row : output.results[0].rows) builder.add(render_row(row));
  }
  return std::move(builder).build();
}

Component check_component(const std::string& table, const Output& rows, const Output& output) {
  ComponentBuilder builder(kCheckPrefix + table, ComponentKind::kSequence);
  if (is_large(rows)) {
    builder.fail(more_rows_than(kMaxRows) + ", and was not checked");
  } else if (has_rows(output, builder)) {
    for (const Row& row : output.results[0].rows) builder.add(cell(row, 2) + ": " + cell(row, 3));
  }
  return std::move(builder).build();
}

// The part of CHECK TABLE's reply that is about one of its tables.
Output part_about(const std::string& table, const Output& all) {
  Output part = all;
  if (part.results.empty()) return part;
  std::erase_if(part.results[0].rows, [&](const Row& row) { return cell(row, 0) != table; });
  return part;
}

}  // namespace

Component no_such_database(const std::string& database) {
  return make_component(kTableListOf + database, ComponentKind::kSet,
                        {{"", "there is no such database"}});
}

std::pair<std::string, std::string> split_auto_increment(const std::string& create) {
  static constexpr std::string_view kOption = " AUTO_INCREMENT=";
  const size_t options = create.rfind("\n)");  // table options follow the last column or key
  if (options == std::string::npos) return {create, ""};
  const size_t line_end = std::min(create.find('\n', options + 1), create.size());
  const size_t comment = create.find(" COMMENT='", options);
  const size_t found = create.find(kOption, options);
  if (found == std::string::npos || found > std::min(line_end, comment)) return {create, ""};
  const size_t first = found + kOption.size();
  const size_t last = std::min(create.find_first_not_of("0123456789", first), create.size());
  return {create.substr(0, found) + create.substr(last), create.substr(first, last - first)};
}

void Tables::begin(const Ask& own) {
  remembered_.clear();
  made_.clear();
  list_ = {};
  listed_.clear();
  table_list_.begin(own);
}

void Tables::ask(QuestionBatch& batch) {
  heard_ = false;
  seen_.clear();
  table_list_.ask(batch, [this](const Output& output) { hear_list(output); });
  std::erase_if(remembered_,
                [this](const auto& one) { return !is_there(one.first, one.second.type); });
  std::vector<std::string> names;
  for (const auto& [name, known] : remembered_) {
    ask_contents(name, known.type, batch);
    if (known.touched && !known.large) names.push_back(name);
  }
  for (const auto& [name, known] : remembered_) ask_scans(name, known, batch);
  ask_checks(names, batch);
}

void Tables::hear_list(const Output& output) {
  no_database_ = output.error == kNoSuchDatabase;
  heard_ = no_database_ || unavailability(output).empty();
  if (output == list_) return;
  list_ = output;
  listed_.clear();
  if (list_.results.empty()) return;
  const std::vector<Row>& rows = list_.results[0].rows;
  if (rows.size() > kMaxTables) return;
  for (const Row& row : rows) listed_[cell(row, 0)] = cell(row, 1);
}

bool Tables::is_there(const std::string& name, const std::string& type) const {
  const auto found = listed_.find(name);
  return !heard_ || (found != listed_.end() && found->second == type);
}

void Tables::ask_contents(const std::string& name, const std::string& type, QuestionBatch& batch) {
  const auto wanted = [this, name, type] { return is_there(name, type); };
  Seen& seen = seen_[name];
  seen.type = type;
  const char* by_scan = type == kBaseTable ? " USE INDEX ()" : "";  // others take no index hint
  batch.add(
      "SHOW CREATE TABLE " + quoted(name),
      [&seen](Output output) { seen.definition = std::move(output); }, wanted);
  batch.add(
      fmt::format("SELECT SQL_NO_CACHE * FROM {}{} LIMIT {}", quoted(name), by_scan, kMaxRows + 1),
      [&seen](Output output) { seen.rows = std::move(output); }, wanted);
}

void Tables::ask_scans(const std::string& name, const Known& known, QuestionBatch& batch) {
  Seen& seen = seen_[name];
  seen.create = known.create;
  for (const Index& index : known.indexes) {
    batch.add(
        scan_of(quoted(name), index),
        [&seen, index](Output output) { seen.scans[index.name] = std::move(output); },
        [this, name, &seen] {
          const bool heard = seen.definition.answered;
          return is_there(name, seen.type) &&
                 (!heard || create_of(seen.definition).first == seen.create);
        });
  }
}

// Each needs 200 KiB, most of it set to zero (HA_CHECK of MyISAM and Aria).
void Tables::ask_checks(const std::vector<std::string>& names, QuestionBatch& batch) {
  if (names.empty()) return;
  std::string list;
  for (const std::string& name : names) seen_[name].checked = true;
  for (const std::string& name : names) list += (list.empty() ? "" : ", ") + quoted(name);
  batch.add("CHECK TABLE " + list + " EXTENDED", [this, names](const Output& output) {
    for (const std::string& name : names) seen_[name].check = part_about(in_full(name), output);
  });
}

void Tables::read(const Ask& own, std::vector<Component>& components) {
  if (heard_) look_again(own);
  components.push_back(list_component());
  names_.unavailable = components.back().unavailable;
  names_.names.clear();
  for (const auto& [name, type] : listed_) names_.names.insert(name);
  std::erase_if(made_, [this](const auto& one) { return !seen_.contains(one.first); });
  for (auto& [name, seen] : seen_) {
    Made& made = made_[name];
    if (made.components.empty() || !(made.seen == seen)) {
      made.components = components_of(name, seen);
      made.seen = std::move(seen);
    }
    components.insert(components.end(), made.components.begin(), made.components.end());
  }
}

Component Tables::list_component() const {
  if (no_database_) return no_such_database(database_);
  ComponentBuilder builder(database_ == "test" ? kTableList : kTableListOf + database_,
                           ComponentKind::kSet);
  if (has_rows(list_, builder)) {
    for (const auto& [name, type] : listed_) builder.add(fmt::format("{} {}", name, type));
    if (const size_t count = list_.results[0].rows.size(); count > kMaxTables) {
      builder.fail(fmt::format("{} tables in database {}; at most {} are summarised", count,
                               database_, kMaxTables));
    }
  }
  return std::move(builder).build();
}

std::string Tables::quoted(const std::string& table) const {
  return quoted_name(database_) + "." + quoted_name(table);
}

// After the first batch: what was remembered of a table may be out of date, or nothing.
void Tables::look_again(const Ask& own) {
  std::erase_if(remembered_,
                [this](const auto& one) { return !is_there(one.first, one.second.type); });
  std::erase_if(seen_, [this](const auto& one) { return !is_there(one.first, one.second.type); });
  QuestionBatch contents;
  for (const auto& [name, type] : listed_) {
    if (!seen_.contains(name)) ask_contents(name, type, contents);
  }
  contents.run(own);
  QuestionBatch rest;
  std::vector<std::string> unchecked;
  for (auto& [name, seen] : seen_) {
    ask_scans_again(name, seen, rest);
    Known& known = remembered_[name];
    known.large = is_large(seen.rows);
    if (known.touched && !seen.checked && !known.large) unchecked.push_back(name);
  }
  ask_checks(unchecked, rest);
  rest.run(own);
}

// Unless they were asked for already, by the definition that the table has now.
void Tables::ask_scans_again(const std::string& name, Seen& seen, QuestionBatch& batch) {
  const std::string create = create_of(seen.definition).first;
  const auto known = remembered_.find(name);
  if (known != remembered_.end() && known->second.create == create &&
      seen.scans.size() == known->second.indexes.size()) {
    return;
  }
  const bool touched = is_touched(name);
  std::vector<Index> indexes;
  if (with_indexes_ && touched) indexes = readable_indexes(create);
  remembered_[name] = Known{seen.type, create, std::move(indexes), touched};
  seen.scans.clear();
  ask_scans(name, remembered_[name], batch);
}

std::vector<Component> Tables::components_of(const std::string& name, const Seen& seen) const {
  std::vector<Component> to;
  to.push_back(definition_component(in_full(name), seen.definition));
  to.push_back(rows_component(in_full(name), seen.rows));
  const auto known = remembered_.find(name);
  if (known == remembered_.end() || known->second.touched)
    to.push_back(check_component(in_full(name), seen.rows, seen.check));
  if (known == remembered_.end()) return to;
  for (const Index& index : known->second.indexes) {
    const auto scan = seen.scans.find(index.name);
    if (scan == seen.scans.end()) continue;
    const std::string component = "index:" + in_full(name) + "." + index.name;
    to.push_back(row_count(seen.rows) > kMaxScannedRows
                     ? unavailable_component(
                           component, ComponentKind::kMultiset,
                           more_rows_than(kMaxScannedRows) + "; leave out the part indexes")
                     : compare_index(component, index, seen.rows, scan->second));
  }
  return to;
}

}  // namespace esox
