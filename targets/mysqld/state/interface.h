// SPDX-License-Identifier: Apache-2.0
// The state of a MariaDB server as its own interface tells it: no annotation of the server, only
// SQL. Each family of components has a file of its own, with what they are:
//   tables.h, indexes.h   tables, definitions, rows, indexes, checks
//   answers.h, cached_entries.h   the query cache against the tables
//   binary_log.h          the binary log; ../replayed_log.cpp what it gives, with another server
//   leftovers.h           open tables, transactions, locks, unwritten blocks
//   programs.h            triggers, routines, events
//   accounts.h            who may do what
//   dictionary.h          tables that only InnoDB knows
//   files.h               files that belong to no table
// and here
//   observation:...       multiset  the reply to each observation of the input
//
// Order matters, for looking changes things: opening tables, checking them (which may mark them)
// and SELECTs that fill the cache. So first the cached answers, then the observations, then the
// fresh answers, then the leftovers, the tables, the checks, and the accounts at the very end. An
// observation should only read.
//
// Trips to the server: one for all that is asked on the summary's own connection, if the tables
// have the definitions that they had at the last look, else up to three; one per observation; one
// per SELECT of a client, and one per client with a SELECT; one for the list of the query cache's
// entries, where there is one, and one per entry and connection.
#pragma once

#include <bitset>
#include <deque>
#include <filesystem>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "summaries/source.h"
#include "targets/mysqld/state/accounts.h"
#include "targets/mysqld/state/answers.h"
#include "targets/mysqld/state/binary_log.h"
#include "targets/mysqld/state/cached_entries.h"
#include "targets/mysqld/state/dictionary.h"
#include "targets/mysqld/state/files.h"
#include "targets/mysqld/state/leftovers.h"
#include "targets/mysqld/state/parts.h"
#include "targets/mysqld/state/programs.h"
#include "targets/mysqld/state/tables.h"

namespace esox {

// What is summarised beside tables, definitions, rows, checks and observations.
struct MysqldParts {
  std::bitset<std::size(kMysqldParts)> left_out = {};
  bool has(MysqldPart part) const { return !left_out[static_cast<size_t>(part)]; }
  Tables::IsTouched is_touched = {};     // whose indexes are read, and which are checked
  bool tables_stay = false;              // none is made, renamed or dropped
  std::set<std::string> databases = {};  // to be looked at beside `test`
  // Gives the folder that holds the server's data/ and tmp/ now; empty: it cannot be seen.
  std::function<std::filesystem::path()> server_folder = {};
};

class MysqldInterface final : public SummarySource {
 public:
  // `own` is a connection of the summary's own, with multi-statements allowed, on which nothing
  // else runs; it must be connected before the execution is armed and used by nobody else.
  MysqldInterface(Ask own, std::vector<QuestionedClient> clients,
                  std::vector<std::string> observations, MysqldParts parts = {});

  void begin() override;
  std::vector<Component> take() override;

  // Whether a binary log is written and part of the summary.
  bool logs() const { return binary_log_.on(); }
  // After take(): what was written to the binary log since begin(), for a replay (log_replay.cpp);
  // nothing where none is written, or it is no part of the summary.
  const std::optional<LogSpan>& log_span() const { return binary_log_.span(); }

 private:
  Component observe(const std::string& statement);

  Ask own_;
  MysqldParts parts_;
  std::vector<std::string> observations_;
  Tables tables_;
  std::deque<Tables> of_other_databases_;
  Leftovers leftovers_;
  CachedEntries cached_entries_;
  Answers answers_;
  BinaryLog binary_log_;
  Programs programs_;
  Accounts accounts_;
  Dictionary dictionary_;
  OrphanedFiles files_;
};

}  // namespace esox
