// SPDX-License-Identifier: Apache-2.0
// See language.h.
#include "targets/sql/language.h"

#include <fmt/format.h>

#include <array>
#include <set>

#include "base/text/input_error.h"
#include "base/text/spelling.h"
#include "targets/sql/parts.h"
#include "targets/sql/shape.h"
#include "targets/sql/statement.h"
#include "targets/sql/tokens.h"
#include "targets/sql/value_rows.h"

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

constexpr std::string_view kReadThenWrite = "read-then-write";
constexpr std::string_view kTables = "tables";
constexpr std::array<Splitting, 2> kSplittings = {
    {{kReadThenWrite, kInsertions}, {kTables, kMaintenance}}};

constexpr std::string_view kReservedOptions[] = {
    "basedir",
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
    "user",
};

}  // namespace

std::string SqlLanguage::trimmed(std::string_view text) const {
  return trim_statement(text);
}

std::string SqlLanguage::complaint(std::string_view) const {
  return "";
}

bool SqlLanguage::orders_rows(std::string_view text) const {
  return esox::orders_rows(text);
}

std::string SqlLanguage::kind(std::string_view text) const {
  return statement_kind(text);
}

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

std::vector<std::string> SqlLanguage::names(std::string_view text) const {
  return names_in(text);
}

std::vector<std::string> SqlLanguage::names_made(std::string_view text) const {
  const std::string table = made_table(text);
  return table.empty() ? std::vector<std::string>{} : std::vector<std::string>{table};
}

std::string SqlLanguage::shape(const Input& input) const {
  return shape_of(input);
}

std::vector<TextSpan> SqlLanguage::removable(std::string_view text) const {
  return value_rows(text);
}

std::string SqlLanguage::harmless() const {
  return "SELECT 1";
}

bool SqlLanguage::is_one_step(std::string_view text, std::span<const std::string> setup) const {
  return !calls_several_statements(text, setup);
}

std::span<const Splitting> SqlLanguage::splittings() const {
  return kSplittings;
}

std::vector<RequestPart> SqlLanguage::parts(std::string_view text,
                                            std::string_view splitting) const {
  std::vector<RequestPart> parts;
  if (splitting == kTables) {
    for (TablePart& part : table_parts(text)) {
      parts.push_back({std::move(part.statement), std::move(part.table)});
    }
  } else if (auto both = read_and_write(text); both && splitting == kReadThenWrite) {
    parts.push_back({.text = std::move(both->read), .silent = true, .reads = true});
    parts.push_back({.text = std::move(both->write)});
    parts.push_back({.text = std::move(both->forget), .silent = true});
  }
  return parts;
}

SessionEffect SqlLanguage::session_effect(std::string_view text) const {
  return esox::session_effect(text);
}

bool SqlLanguage::is_mere_session_setting(std::string_view text) const {
  return esox::is_mere_session_setting(text);
}

bool SqlLanguage::ends_server(std::string_view text) const {
  return statement_kind(text) == "SHUTDOWN";
}

// One of these words is in it, or in a routine that it makes. EXECUTE: what is executed may have
// been put together.
bool SqlLanguage::changes_more_than_state(std::string_view text) const {
  static const std::set<std::string, std::less<>> kWords = {
      "GLOBAL", "PERSIST", "GRANT",  "REVOKE", "USER",   "ROLE",     "PASSWORD",
      "MYSQL",  "PLUGIN",  "SONAME", "SERVER", "SCHEMA", "DATABASE", "EXECUTE"};
  const std::vector<Token> tokens = tokens_of(text);
  return std::any_of(tokens.begin(), tokens.end(),
                     [](const Token& token) { return kWords.contains(token.text); });
}

std::span<const std::string_view> SqlLanguage::reserved_options() const {
  return kReservedOptions;
}

}  // namespace esox
