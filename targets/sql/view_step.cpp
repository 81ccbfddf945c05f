// SPDX-License-Identifier: Apache-2.0
// Whether a statement's reply follows from the rows that it finds (statement.h).
#include <algorithm>
#include <span>

#include "targets/sql/statement.h"
#include "targets/sql/tokens.h"

namespace esox {
namespace {

// What may stand before a parenthesis: functions of their arguments alone, aggregates that do not
// depend on the order of rows, types, and words of the grammar.
constexpr std::string_view kPure[] = {"ABS",      "ALL",       "AND",          "ANY",
                                      "AS",       "ASCII",     "AVG",          "BETWEEN",
                                      "BINARY",   "BIT_AND",   "BIT_OR",       "BIT_XOR",
                                      "BY",       "CASE",      "CAST",         "CEIL",
                                      "CEILING",  "CHAR",      "CHAR_LENGTH",  "COALESCE",
                                      "CONCAT",   "CONCAT_WS", "CONVERT",      "COUNT",
                                      "CRC32",    "CROSS",     "DECIMAL",      "DISTINCT",
                                      "DIV",      "ELSE",      "EXCEPT",       "EXISTS",
                                      "FIELD",    "FLOOR",     "FROM",         "GREATEST",
                                      "HAVING",   "HEX",       "IF",           "IFNULL",
                                      "IN",       "INDEX",     "INSTR",        "INTERSECT",
                                      "INTERVAL", "ISNULL",    "JOIN",         "KEY",
                                      "LEAST",    "LEFT",      "LENGTH",       "LIKE",
                                      "LOCATE",   "LOWER",     "LPAD",         "LTRIM",
                                      "MAX",      "MD5",       "MIN",          "MOD",
                                      "NOT",      "NULLIF",    "OCTET_LENGTH", "ON",
                                      "OR",       "REPEAT",    "REPLACE",      "REVERSE",
                                      "RIGHT",    "ROUND",     "RPAD",         "RTRIM",
                                      "SELECT",   "SIGN",      "SOME",         "STRAIGHT_JOIN",
                                      "STRCMP",   "SUBSTR",    "SUBSTRING",    "SUM",
                                      "THEN",     "TRIM",      "UNION",        "UPPER",
                                      "USING",    "VARCHAR",   "WHEN",         "WHERE",
                                      "XOR"};

// Functions that are called without parentheses, or choose rows by their order.
constexpr std::string_view kImpure[] = {"CURRENT_DATE",      "CURRENT_ROLE", "CURRENT_TIME",
                                        "CURRENT_TIMESTAMP", "CURRENT_USER", "LOCALTIME",
                                        "LOCALTIMESTAMP",    "NEXT",         "OVER",
                                        "PREVIOUS",          "PROCEDURE",    "SYSTEM_TIME",
                                        "UTC_DATE",          "UTC_TIME",     "UTC_TIMESTAMP"};
constexpr std::string_view kOfTheServer[] = {"INFORMATION_SCHEMA", "PERFORMANCE_SCHEMA", "MYSQL",
                                             "SYS"};

bool calls_only_what_is_pure(Tokens tokens) {
  for (size_t i = 0; i < tokens.size(); ++i) {
    if (tokens[i].kind == Token::Kind::kSymbol) continue;
    const bool called = i + 1 < tokens.size() && is_symbol(tokens[i + 1], "(");
    const bool word = tokens[i].kind == Token::Kind::kWord && !tokens[i].member;
    if (called && !(word && is_one_of(kPure, tokens[i].text))) return false;
    if (word && is_one_of(kImpure, tokens[i].text)) return false;
  }
  return true;
}

bool has_any(Tokens tokens, std::span<const std::string_view> words) {
  return std::ranges::any_of(words, [&](std::string_view word) { return has_word(tokens, word); });
}

// A lock at the end is that of the outermost tables alone, and a part that does not lock looks at
// the session's view ("Locking Reads" in both manuals).
bool locks_in_part(Tokens tokens) {
  const auto is_select = [](const Token& token) { return is_keyword(token, "SELECT"); };
  return locks_rows(tokens) &&
         (std::ranges::count_if(tokens, is_select) > 1 || has_word(tokens, "OF"));
}

// Where several rows of another table could be written into one, the order decides.
bool updates_by_several_tables(Tokens tokens) {
  for (const Token& token : tokens) {
    if (is_keyword(token, "SET")) return false;
    if (is_keyword(token, "JOIN") || is_keyword(token, "STRAIGHT_JOIN") || is_symbol(token, ",")) {
      return is_keyword(tokens[0], "UPDATE");
    }
  }
  return false;
}

std::string_view unjudged(Tokens tokens, std::string_view text, bool writes) {
  constexpr std::string_view kChosen[] = {"LIMIT", "FETCH", "ROWNUM"};
  constexpr std::string_view kPassing[] = {"SKIP", "IGNORE", "DUPLICATE", "REPLACE"};
  constexpr std::string_view kElsewhere[] = {"INTO", "SQL_CALC_FOUND_ROWS"};
  const bool has_variable =
      std::ranges::any_of(tokens, [](const Token& token) { return is_symbol(token, "@"); });
  if (locks_in_part(tokens)) return "a read of which only a part locks";
  if ((writes || locks_rows(tokens)) && has_any(tokens, kPassing))
    return "rows that it may pass over";
  if (updates_by_several_tables(tokens)) return "an update of one table by another";
  if (has_variable) return "variables";
  if (!writes && !has_word(tokens, "FROM")) return "no table";
  if (has_any(tokens, kOfTheServer)) return "tables of the server's own";
  if (!writes && has_any(tokens, kElsewhere)) return "rows written elsewhere";
  if (has_any(tokens, kChosen)) return "LIMIT";
  if (!calls_only_what_is_pure(tokens)) return "a function not known to be pure";
  const bool lasts = session_effect(text) != SessionEffect::kNone;  // of locks: as long as it says
  return lasts && !locks_rows(tokens) ? "what its session remembers" : "";
}

// What comes behind a semicolon is no token.
bool is_one_statement(std::string_view text) {
  return trim_statement(text).find(';') == std::string::npos;
}

// One table, and nothing made of several of its rows.
bool is_by_rows(Tokens tokens) {
  constexpr std::string_view kOfSeveral[] = {
      "JOIN", "STRAIGHT_JOIN", "DISTINCT", "GROUP",   "HAVING", "COUNT",  "SUM",
      "AVG",  "MIN",           "MAX",      "BIT_AND", "BIT_OR", "BIT_XOR"};
  if (has_any(tokens, kOfSeveral) || locks_in_part(tokens)) return false;
  const auto from =
      std::ranges::find_if(tokens, [](const Token& token) { return is_keyword(token, "FROM"); });
  if (tokens.end() - from < 2 || is_symbol(from[1], "(")) return false;
  return std::none_of(from, tokens.end(),
                      [](const Token& token) { return token.depth == 0 && is_symbol(token, ","); });
}

}  // namespace

ViewStep view_step(std::string_view text) {
  constexpr std::string_view kBeside[] = {"BEGIN", "COMMIT", "SAVEPOINT", "RELEASE"};
  constexpr std::string_view kWriters[] = {"INSERT", "UPDATE", "DELETE", "REPLACE"};
  const std::vector<Token> tokens = tokens_of(text);
  const std::string kind = statement_kind(text);
  if (is_compound(text)) return {};
  if (kind == "START TRANSACTION") {
    return {has_word(tokens, "SNAPSHOT") ? ViewUse::kTakesView : ViewUse::kNone};
  }
  if (is_one_of(kBeside, kind)) return {ViewUse::kNone};
  if (kind == "ROLLBACK") {
    return {has_word(tokens, "TO") ? ViewUse::kAbandonsPart : ViewUse::kAbandons};
  }
  if (is_one_of(kWriters, kind)) {
    if (session_effect(text) != SessionEffect::kNone) return {};
    const bool looks = kind == "UPDATE" || kind == "DELETE" || has_word(tokens, "SELECT");
    return {ViewUse::kWrites, looks ? unjudged(tokens, text, true) : "", looks};
  }
  if (ends_transaction_first(text)) return {ViewUse::kDefines};
  if (kind == "SELECT") {
    return {ViewUse::kReads, unjudged(tokens, text, false), locks_rows(tokens), is_by_rows(tokens)};
  }
  return {};
}

bool leaves_views_alone(std::string_view text, bool but_level) {
  constexpr std::string_view kKnown[] = {
      "DEFAULT_STORAGE_ENGINE", "FOREIGN_KEY_CHECKS", "INNODB_LOCK_WAIT_TIMEOUT",
      "INNODB_STRICT_MODE",     "INNODB_TABLE_LOCKS", "LOCK_WAIT_TIMEOUT",
      "OPTIMIZER_SWITCH",       "SQL_MODE",           "STORAGE_ENGINE",
      "UNIQUE_CHECKS",          "USE_STAT_TABLES"};
  constexpr std::string_view kLevels[] = {"INNODB_SNAPSHOT_ISOLATION", "TRANSACTION_ISOLATION",
                                          "TX_ISOLATION"};
  // By which a text is another one than it is taken for here.
  constexpr std::string_view kModes[] = {"ANSI",  "BACKSLASH",    "ORACLE",
                                         "PIPES", "IGNORE_SPACE", "MSSQL",
                                         "DB2",   "MAXDB",        "POSTGRESQL"};
  constexpr std::string_view kServers[] = {"INFORMATION_SCHEMA", "PERFORMANCE_SCHEMA", "MYSQL",
                                           "SYS"};
  const auto speaks_of = [&](std::string_view word) { return speaks(text, word); };
  if (!is_one_statement(text)) return false;
  if (session_effect(text) == SessionEffect::kChooses) {
    return std::ranges::none_of(kServers, speaks_of);
  }
  if (!is_mere_session_setting(text) || std::ranges::any_of(kModes, speaks_of)) return false;
  const std::vector<Token> tokens = tokens_of(text);
  if (tokens.size() == 3 && is_keyword(tokens[1], "NAMES")) return true;
  if (has_word(tokens, "TRANSACTION")) return but_level && has_word(tokens, "ISOLATION");
  size_t assigned = 0;
  for (size_t i = 1; i + 1 < tokens.size(); ++i) {
    if (!is_symbol(tokens[i], "=")) continue;
    ++assigned;
    const std::string& name = tokens[i - 1].text;
    const bool known = is_one_of(kKnown, name) || (but_level && is_one_of(kLevels, name));
    const bool in_words = tokens[i + 1].kind == Token::Kind::kQuoted;  // not a number of modes
    if (!known || (name == "SQL_MODE" && !in_words)) return false;
  }
  return assigned > 0;
}

bool only_begins_or_marks(std::string_view text) {
  const std::vector<Token> tokens = tokens_of(text);
  const std::string kind = statement_kind(text);
  const size_t count = tokens.size();
  if (!is_one_statement(text)) return false;
  if (kind == "BEGIN") return count == 1 || (count == 2 && is_keyword(tokens[1], "WORK"));
  if (kind == "START TRANSACTION") {
    return count == 2 || (count == 4 && is_keyword(tokens[2], "READ"));
  }
  return (kind == "SAVEPOINT" && count == 2) || (kind == "RELEASE" && count == 3);
}

}  // namespace esox
