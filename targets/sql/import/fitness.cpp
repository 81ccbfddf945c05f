// SPDX-License-Identifier: Apache-2.0
#include "targets/sql/import/fitness.h"

#include <algorithm>
#include <string_view>
#include <vector>

#include "base/text/utf8.h"
#include "inputs/limits.h"
#include "targets/sql/tokens.h"

namespace esox {
namespace {

bool is_word(const Token& token) {
  return token.kind == Token::Kind::kWord;
}

// A word of the list; if `called`, followed by a parenthesis.
bool names_one(Tokens tokens, std::span<const std::string_view> words, bool called) {
  for (size_t i = 0; i < tokens.size(); ++i) {
    if (!is_word(tokens[i]) || !is_one_of(words, tokens[i].text)) continue;
    if (!called || (i + 1 < tokens.size() && tokens[i + 1].text == "(")) return true;
  }
  return false;
}

bool names_schema(Tokens tokens, std::string_view schema) {
  for (size_t i = 0; i + 1 < tokens.size(); ++i) {
    if (tokens[i].text == schema && !tokens[i].member && tokens[i + 1].text == ".") return true;
  }
  return false;
}

constexpr std::string_view kFileWords[] = {"OUTFILE", "DUMPFILE", "INFILE", "LOAD_FILE",
                                           "DIRECTORY"};
constexpr std::string_view kChangingFunctions[] = {
    "NOW",           "CURDATE",     "CURTIME",         "SYSDATE",       "UNIX_TIMESTAMP",
    "RAND",          "UUID",        "UUID_SHORT",      "CONNECTION_ID", "RANDOM_BYTES",
    "SLEEP",         "BENCHMARK",   "MASTER_POS_WAIT", "SYS_GUID",      "MASTER_GTID_WAIT",
    "UTC_TIMESTAMP", "UTC_DATE",    "UTC_TIME",        "ENCRYPT",       "VERSION",
    "USER",          "SESSION_USER"};
constexpr std::string_view kChangingWords[] = {
    "CURRENT_TIMESTAMP", "CURRENT_DATE",     "CURRENT_TIME",   "LOCALTIME", "LOCALTIMESTAMP",
    "PROCESSLIST",       "GLOBAL_STATUS",    "SESSION_STATUS", "PROFILING", "TIMESTAMP_SECONDS",
    "INNODB_METRICS",    "PSEUDO_THREAD_ID", "LAST_QUERY_COST"};
constexpr std::string_view kAdministration[] = {
    "KILL",  "SHUTDOWN", "CHANGE", "START",  "STOP",  "RESET", "INSTALL", "UNINSTALL",
    "PURGE", "BINLOG",   "LOAD",   "BACKUP", "DEBUG", "CLONE", "IMPORT"};
// Kinds whose answers are estimates, times and counters.
constexpr std::string_view kReports[] = {
    "EXPLAIN",          "DESC",           "DESCRIBE",      "SHOW STATUS",
    "SHOW PROCESSLIST", "SHOW ENGINE",    "SHOW PROFILE",  "SHOW PROFILES",
    "SHOW EXPLAIN",     "SHOW ANALYZE",   "SHOW WARNINGS", "SHOW ERRORS",
    "SHOW COUNT",       "SHOW VARIABLES", "SHOW MASTER",   "SHOW SLAVE"};
constexpr std::string_view kLater[] = {"DELAYED"};
constexpr std::string_view kCompounds[] = {"PROCEDURE", "FUNCTION", "TRIGGER",
                                           "EVENT",     "PACKAGE",  "NOT"};

bool is_report(const LoggedStatement& statement, Tokens tokens) {
  if (statement.kind.starts_with("ANALYZE")) return statement.kind != "ANALYZE TABLE";
  // DESC and DESCRIBE of a table tell its columns.
  if (statement.kind.starts_with("DESC")) return tokens.size() > 3;
  return is_one_of(kReports, statement.kind);
}

bool is_administration(const LoggedStatement& statement, Tokens tokens) {
  if (statement.kind == "START TRANSACTION" || statement.kind == "RESET QUERY") return false;
  if (tokens.empty() || !is_one_of(kAdministration, tokens.front().text)) return false;
  return tokens.size() < 2 || tokens[1].text != "QUERY";  // RESET QUERY CACHE
}

// Something after a ';' that is not part of a routine's body.
bool is_several(const LoggedStatement& statement, Tokens tokens) {
  if (tokens.empty()) return false;
  const Token& last = tokens.back();
  const std::string_view rest = std::string_view(statement.text).substr(last.begin + last.length);
  if (rest.find(';') == std::string_view::npos) return false;
  return !names_one(tokens, kCompounds, false);
}

bool uses_own_schema(Tokens tokens, const LoggedStatement& statement) {
  static constexpr std::string_view kOwn[] = {"MYSQL", "MTR", "PERFORMANCE_SCHEMA", "SYS"};
  if (statement.database == "mysql" || statement.database == "mtr") return true;
  return std::ranges::any_of(kOwn,
                             [&](std::string_view schema) { return names_schema(tokens, schema); });
}

std::string unfit_anywhere(const LoggedStatement& statement, Tokens tokens) {
  if (!statement.matched) return "its result is not known";
  if (statement.text.size() > kMaxStatementBytes) return "longer than a statement may be";
  if (find_invalid_utf8(statement.text) != std::string_view::npos) return "not UTF-8";
  if (statement.text.find("${") != std::string::npos) return "has the sign of a placeholder";
  if (is_several(statement, tokens)) return "several statements in one";
  if (names_one(tokens, kFileWords, false)) return "reads or writes files";
  if (is_administration(statement, tokens)) return "administers the server";
  if (uses_own_schema(tokens, statement)) return "uses the server's own tables";
  // INSERT DELAYED: when its rows appear is up to the server, and no schedule of the clients'
  // threads.
  if (names_one(tokens, kLater, false)) return "is carried out later, by a thread of the server";
  return "";
}

}  // namespace

std::string unfit_for_setup(const LoggedStatement& statement) {
  return unfit_anywhere(statement, tokens_of(statement.text));
}

std::string unfit_for_request(const LoggedStatement& statement) {
  const std::vector<Token> tokens = tokens_of(statement.text);
  std::string reason = unfit_anywhere(statement, tokens);
  if (!reason.empty()) return reason;
  if (is_report(statement, tokens)) return "reports estimates, times or counters";
  if (names_one(tokens, kChangingFunctions, true) || names_one(tokens, kChangingWords, false)) {
    return "its answer changes by itself";
  }
  return "";
}

std::string unfit_alone(const LoggedStatement& statement) {
  if (is_session_setting(statement) || is_transaction_end_or_begin(statement)) {
    return "concerns its session alone";
  }
  const bool only_private = std::ranges::all_of(statement.accesses, is_private);
  if (only_private) return "uses no object that others see";
  return unfit_for_request(statement);
}

bool is_session_setting(const LoggedStatement& statement) {
  if (statement.kind == "USE") return true;
  if (statement.kind != "SET") return false;
  const std::vector<Token> tokens = tokens_of(statement.text);
  if (tokens.size() > 1 && tokens[1].text == "STATEMENT") return false;  // SET STATEMENT ... FOR
  return std::ranges::none_of(statement.accesses,
                              [](const Access& one) { return one.mode == AccessMode::kWrite; });
}

bool is_transaction_end_or_begin(const LoggedStatement& statement) {
  static constexpr std::string_view kKinds[] = {
      "BEGIN",   "START TRANSACTION", "COMMIT",       "ROLLBACK",    "SAVEPOINT",
      "RELEASE", "LOCK TABLE",        "UNLOCK TABLE", "LOCK TABLES", "UNLOCK TABLES"};
  return is_one_of(kKinds, statement.kind);
}

}  // namespace esox
