// SPDX-License-Identifier: Apache-2.0
#include "targets/mysqld/state/leftovers.h"

#include <cstdlib>
#include <string_view>
#include <utility>

#include "targets/mysqld/state/replies.h"

namespace esox {
namespace {

constexpr const char* kKeyCaches =
    "SELECT KEY_CACHE_NAME, DIRTY_BLOCKS > 0 FROM information_schema.KEY_CACHES";
// Of the default one. MySQL's table of it costs half of what the statement does, which is not
// everywhere the same: with show_compatibility_56 it is empty.
constexpr const char* kUnwrittenBlocks =
    "SELECT VARIABLE_NAME, VARIABLE_VALUE FROM performance_schema.global_status WHERE "
    "VARIABLE_NAME = 'Key_blocks_not_flushed'";
// MariaDB's, by a plugin; MySQL's, where its performance schema is on.
constexpr const char* kLocksOfPlugin =
    "SELECT THREAD_ID, LOCK_MODE, LOCK_TYPE, TABLE_SCHEMA, TABLE_NAME FROM "
    "information_schema.METADATA_LOCK_INFO";
constexpr const char* kLocksOfPerformanceSchema =
    "SELECT OWNER_THREAD_ID, LOCK_TYPE, OBJECT_TYPE, OBJECT_SCHEMA, OBJECT_NAME FROM "
    "performance_schema.metadata_locks";
constexpr const char* kThreads =
    "SELECT THREAD_ID, PROCESSLIST_ID FROM performance_schema.threads WHERE PROCESSLIST_ID IS NOT "
    "NULL";

// A table of the engine SEQUENCE: seq_1_to_9, seq_1_to_9_step_2. It is made by being named, and no
// folder or list of tables has it.
bool is_generated(const std::string& table) {
  constexpr std::string_view kPrefix = "seq_";
  if (!table.starts_with(kPrefix)) return false;
  const size_t to = table.find("_to_");
  if (to == std::string::npos || to == kPrefix.size()) return false;
  return table.find_first_not_of("0123456789", kPrefix.size()) == to;
}

using Clients = std::map<uint64_t, std::string>;  // by connection, or by thread

uint64_t number_of(const std::string& text) {
  return std::strtoull(text.c_str(), nullptr, 10);
}

// Empty for one that is no client's.
std::string name_in(const Clients& clients, const std::string& number) {
  const auto found = clients.find(number_of(number));
  return found == clients.end() ? std::string() : found->second;
}

bool tells_rows(const Output& output) {
  return output.answered && output.error == 0 && !output.results.empty() &&
         !output.results[0].rows.empty();
}

}  // namespace

void Leftovers::begin(const Ask& own) {
  if (kinds_.transactions) {
    ask_transactions_ = prepare(own, "esox_transactions",
                                "SELECT trx_mysql_thread_id, trx_state, trx_isolation_level, "
                                "trx_rows_modified FROM information_schema.INNODB_TRX");
  }
  if (kinds_.key_blocks) {
    ask_key_blocks_ = takes(own, kKeyCaches) ? prepare(own, "esox_key_blocks", kKeyCaches)
                      : tells_rows(own(kUnwrittenBlocks))
                          ? prepare(own, "esox_key_blocks", kUnwrittenBlocks)
                          : "SHOW GLOBAL STATUS LIKE 'Key_blocks_not_flushed'";
  }
  if (!kinds_.tables_and_locks) return;
  lock_owners_ = clients_;
  ask_open_tables_ = prepare(own, "esox_open_tables", "SHOW OPEN TABLES FROM `test`");
  ask_metadata_locks_ = "";
  if (has_plugin(own, "METADATA_LOCK_INFO")) {
    ask_metadata_locks_ = kLocksOfPlugin;
  } else if (takes(own, kLocksOfPerformanceSchema) && learn_threads(own)) {
    ask_metadata_locks_ = prepare(own, "esox_metadata_locks", kLocksOfPerformanceSchema);
  }
}

// The performance schema numbers threads in its own way. To ask once is enough: a connection keeps
// its thread. False: it knows none, for it is off.
bool Leftovers::learn_threads(const Ask& own) {
  const Output threads = own(kThreads);
  if (!tells_rows(threads)) return false;
  lock_owners_.clear();
  for (const Row& row : threads.results[0].rows) {
    const std::string client = name_in(clients_, cell(row, 1));
    if (!client.empty()) lock_owners_[number_of(cell(row, 0))] = client;
  }
  return true;
}

void Leftovers::ask(QuestionBatch& batch) {
  if (kinds_.tables_and_locks) {
    batch.add(ask_open_tables_, [this](Output output) { open_tables_ = std::move(output); });
  }
  if (kinds_.transactions) {
    batch.add(ask_transactions_, [this](Output output) { transactions_ = std::move(output); });
  }
  if (kinds_.key_blocks) {
    batch.add(ask_key_blocks_, [this](Output output) { key_blocks_ = std::move(output); });
  }
  if (!ask_metadata_locks_.empty()) {
    batch.add(ask_metadata_locks_, [this](Output output) { metadata_locks_ = std::move(output); });
  }
}

void Leftovers::read(const TableNames& tables, std::vector<Component>& components) const {
  if (kinds_.tables_and_locks) components.push_back(open_tables(tables));
  if (kinds_.transactions) components.push_back(transactions());
  if (kinds_.key_blocks) components.push_back(key_blocks());
  if (!ask_metadata_locks_.empty()) components.push_back(metadata_locks());
}

// Columns: database, table, in use, name locked.
Component Leftovers::open_tables(const TableNames& tables) const {
  ComponentBuilder builder("open-tables", ComponentKind::kMultiset);
  if (!tables.unavailable.empty()) builder.fail(tables.unavailable);
  if (has_rows(open_tables_, builder)) {
    for (const Row& row : open_tables_.results[0].rows) {
      const std::string table = cell(row, 1);
      if (cell(row, 2) != "0") builder.add(Element{table, "in use " + cell(row, 2) + " times"});
      if (cell(row, 3) != "0") builder.add(Element{table, "its name is locked"});
      if (!tables.names.contains(table) && !is_generated(table)) {
        builder.add(Element{table, "open, but there is no such table"});
      }
    }
  }
  return std::move(builder).build();
}

Component Leftovers::transactions() const {
  return component_of_rows("transactions", ComponentKind::kMultiset, transactions_,
                           [this](const Row& row, ComponentBuilder& builder) {
                             const std::string client = name_in(clients_, cell(row, 0));
                             if (client.empty()) return;
                             builder.add(Element{client, cell(row, 1) + ", " + cell(row, 2) +
                                                             ", rows modified: " + cell(row, 3)});
                           });
}

Component Leftovers::key_blocks() const {
  return component_of_rows(
      "key-blocks", ComponentKind::kMap, key_blocks_,
      [](const Row& row, ComponentBuilder& builder) {
        builder.add(
            Element{cell(row, 0), cell(row, 1) == "0" ? "all written" : "some not written"});
      });
}

Component Leftovers::metadata_locks() const {
  return component_of_rows(
      "metadata-locks", ComponentKind::kMultiset, metadata_locks_,
      [this](const Row& row, ComponentBuilder& builder) {
        const std::string client = name_in(lock_owners_, cell(row, 0));
        if (client.empty()) return;
        std::string name = cell(row, 3);
        if (!name.empty() && !cell(row, 4).empty()) name += ".";
        name += cell(row, 4);
        builder.add(Element{client, cell(row, 1) + ", " + cell(row, 2) + " on " + name});
      });
}

}  // namespace esox
