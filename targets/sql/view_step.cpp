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

std::string_view unjudged(Tokens tokens, std::string_view text) {
  constexpr std::string_view kChosen[] = {"LIMIT", "FETCH", "ROWNUM"};
  constexpr std::string_view kElsewhere[] = {"INTO", "SQL_CALC_FOUND_ROWS"};
  const bool has_variable =
      std::ranges::any_of(tokens, [](const Token& token) { return is_symbol(token, "@"); });
  if (locks_rows(tokens)) return "a locking read";
  if (has_variable) return "variables";
  if (!has_word(tokens, "FROM")) return "no table";
  if (has_any(tokens, kOfTheServer)) return "tables of the server's own";
  if (has_any(tokens, kElsewhere)) return "rows written elsewhere";
  if (has_any(tokens, kChosen)) return "LIMIT";
  if (!calls_only_what_is_pure(tokens)) return "a function not known to be pure";
  const bool lasts = session_effect(text) != SessionEffect::kNone;
  return lasts ? "what its session remembers" : "";
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
    const bool lasts = session_effect(text) != SessionEffect::kNone;
    return {lasts ? ViewUse::kUnknown : ViewUse::kWrites};
  }
  if (ends_transaction_first(text)) return {ViewUse::kDefines};
  if (kind == "SELECT") return {ViewUse::kReads, unjudged(tokens, text), locks_rows(tokens)};
  return {};
}

}  // namespace esox
