// SPDX-License-Identifier: Apache-2.0
#include "targets/sql/language.h"

#include <fmt/format.h>

#include <array>
#include <set>

#include "base/text/input_error.h"
#include "base/text/spelling.h"
#include "targets/sql/tokens.h"

namespace esox {
namespace {

// First words of statements.
constexpr std::array<std::string_view, 55> kVerbs = {
    "ALTER",     "ANALYZE",   "BACKUP",  "BEGIN",   "BINLOG",     "CACHE",  "CALL",     "CHANGE",
    "CHECK",     "CHECKSUM",  "COMMIT",  "CREATE",  "DEALLOCATE", "DELETE", "DESC",     "DESCRIBE",
    "DO",        "DROP",      "EXECUTE", "EXPLAIN", "FLUSH",      "GET",    "GRANT",    "HANDLER",
    "HELP",      "INSERT",    "INSTALL", "KILL",    "LOAD",       "LOCK",   "OPTIMIZE", "PREPARE",
    "PURGE",     "RELEASE",   "RENAME",  "REPAIR",  "REPLACE",    "RESET",  "REVOKE",   "ROLLBACK",
    "SAVEPOINT", "SELECT",    "SET",     "SHOW",    "SHUTDOWN",   "START",  "STOP",     "TABLE",
    "TRUNCATE",  "UNINSTALL", "UNLOCK",  "UPDATE",  "USE",        "VALUES", "WITH"};

constexpr std::string_view kReservedOptions[] = {"basedir",
                                                 "bind-address",
                                                 "bootstrap",
                                                 "chroot",
                                                 "core-file",
                                                 "datadir",
                                                 "defaults-file",
                                                 "defaults-extra-file",
                                                 "extra-port",
                                                 "gdb",
                                                 "help",
                                                 "init-file",
                                                 "log-error",
                                                 "no-defaults",
                                                 "pid-file",
                                                 "plugin-dir",
                                                 "port",
                                                 "print-defaults",
                                                 "secure-file-priv",
                                                 "skip-networking",
                                                 "socket",
                                                 "tmpdir",
                                                 "user"};

// In the order in which they promise more.
constexpr IsolationLevel kIsolationLevels[] = {
    {"read-uncommitted", "SET SESSION TRANSACTION ISOLATION LEVEL READ UNCOMMITTED",
     Promise::kDirtyReads},
    {"read-committed", "SET SESSION TRANSACTION ISOLATION LEVEL READ COMMITTED",
     Promise::kStatementView},
    {"repeatable-read", "SET SESSION TRANSACTION ISOLATION LEVEL REPEATABLE READ",
     Promise::kTransactionView},
    // MariaDB alone, where it is the default from 11.6 on (MDEV-35124).
    {"snapshot", "SET SESSION tx_isolation='REPEATABLE-READ', innodb_snapshot_isolation=ON",
     Promise::kSnapshot},
    {"serializable", "SET SESSION TRANSACTION ISOLATION LEVEL SERIALIZABLE", Promise::kSerial}};

}  // namespace

std::string SqlLanguage::kind_complaint(std::string_view named) const {
  const std::string known = statement_kind(named);
  if (known != named) {
    return fmt::format("no statement is of the kind {}{}", in_quotes(named),
                       known.empty() ? "" : fmt::format("; write {}", in_quotes(known)));
  }
  const std::string_view verb = named.substr(0, named.find(' '));
  if (is_one_of(kVerbs, verb)) return "";
  const std::string_view near = nearest_name(verb, kVerbs);
  return fmt::format("no statement begins with {}{}", in_quotes(verb),
                     near.empty() ? "" : fmt::format("; did you mean {}?", near));
}

std::vector<std::string> SqlLanguage::names_made(std::string_view text) const {
  const std::string table = made_table(text);
  return table.empty() ? std::vector<std::string>{} : std::vector<std::string>{table};
}

// One of these words is in it, or in a routine that it makes. EXECUTE: what is executed may have
// been put together.
bool SqlLanguage::changes_more_than_state(std::string_view text) const {
  static const std::set<std::string, std::less<>> kWords = {
      "GLOBAL", "PERSIST", "GRANT",  "REVOKE", "USER",   "ROLE",     "PASSWORD",
      "MYSQL",  "PLUGIN",  "SONAME", "SERVER", "SCHEMA", "DATABASE", "EXECUTE"};
  const std::vector<Token> tokens = tokens_of(text);
  return std::ranges::any_of(tokens,
                             [](const Token& token) { return kWords.contains(token.text); });
}

std::span<const IsolationLevel> SqlLanguage::isolation_levels() const {
  return kIsolationLevels;
}

bool SqlLanguage::undoes_transaction(uint32_t error) const {
  constexpr uint32_t kDeadlock = 1213;
  constexpr uint32_t kRecordHasChanged = 1020;  // with innodb_snapshot_isolation
  return error == kDeadlock || error == kRecordHasChanged;
}

std::span<const std::string_view> SqlLanguage::reserved_options() const {
  return kReservedOptions;
}

bool SqlLanguage::only_of_existence(uint32_t error) const {
  // Of databases, tables, columns, keys, programs, triggers, events, users, roles, sequences,
  // constraints, partitions; and of a view whose table is gone.
  static const std::set<uint32_t> kErrors = {
      1007, 1008, 1049, 1050, 1051, 1054, 1060, 1061, 1072, 1091, 1109, 1146, 1176,
      1267, 1304, 1305, 1347, 1356, 1359, 1360, 1396, 1507, 1517, 1526, 1537, 1539,
      1576, 1826, 1959, 1975, 1976, 1977, 4031, 4089, 4091, 4092, 4093};
  return kErrors.contains(error);
}

}  // namespace esox
