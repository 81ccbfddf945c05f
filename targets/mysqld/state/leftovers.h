// SPDX-License-Identifier: Apache-2.0
// What the sessions left behind in the server, beside data:
//   open-tables     multiset  tables of the cache that are still in use (LOCK TABLES, HANDLER), and
//                             those that are open although there is no such table (those of
//                             the engine SEQUENCE are made by being named: left out)
//   transactions    multiset  by client: open InnoDB transactions and what they changed
//   key-blocks      map       by key cache: whether blocks of index files wait to be written
//   metadata-locks  multiset  by client: locks on names, user locks (GET_LOCK) among them; only
//                             where the plugin metadata_lock_info is loaded, or MySQL's performance
//                             schema is on
//
// Left out, since they differ between equal histories or are the server's free choice: which unused
// tables are open, how full caches are and how often they were hit, numbers of transactions and of
// row locks (an implicit lock becomes a real one when somebody else meets it), and everything of
// the server's own threads. INNODB_LOCKS lists only locks that somebody waits for: at rest, none.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "summaries/component.h"
#include "targets/mysqld/state/batch.h"
#include "targets/mysqld/state/tables.h"

namespace esox {

// Which of them are looked at.
struct LeftoverKinds {
  bool tables_and_locks = true;
  bool transactions = true;
  bool key_blocks = true;
};

class Leftovers {
 public:
  // Connection id -> name of the client.
  Leftovers(std::map<uint64_t, std::string> clients, LeftoverKinds kinds)
      : clients_(std::move(clients)), kinds_(kinds) {}

  // Learns which plugins there are, and has the server parse what it will be asked.
  void begin(const Ask& own);
  void ask(QuestionBatch& batch);
  void read(const TableNames& tables, std::vector<Component>& components) const;

 private:
  Component open_tables(const TableNames& tables) const;
  Component transactions() const;
  Component key_blocks() const;
  Component metadata_locks() const;
  bool learn_threads(const Ask& own);

  std::map<uint64_t, std::string> clients_;
  std::map<uint64_t, std::string> lock_owners_;  // as the metadata locks name them
  LeftoverKinds kinds_;
  // As they are sent; empty: not asked.
  std::string ask_open_tables_;
  std::string ask_transactions_;
  std::string ask_key_blocks_;
  std::string ask_metadata_locks_;
  Output open_tables_;
  Output transactions_;
  Output key_blocks_;
  Output metadata_locks_;
};

}  // namespace esox
