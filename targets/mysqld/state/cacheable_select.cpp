// SPDX-License-Identifier: Apache-2.0
#include "targets/mysqld/state/cacheable_select.h"

#include <algorithm>
#include <vector>

#include "targets/sql/tokens.h"

namespace esox {
namespace {

// Whether another statement comes after the one whose tokens these are.
bool goes_on(std::string_view text, Tokens tokens) {
  const std::vector<Token> rest =
      tokens_of(text.substr(tokens.back().begin + tokens.back().length));
  return std::ranges::any_of(rest,
                             [](const Token& token) { return token.kind == Token::Kind::kWord; });
}

// What keeps an answer out of the query cache, or makes repeating the SELECT give another one:
// words, and functions, whose names may be columns where no parenthesis follows.
constexpr std::string_view kUncacheableWords[] = {
    "CURRENT_DATE",       "CURRENT_ROLE", "CURRENT_TIME", "CURRENT_TIMESTAMP", "CURRENT_USER",
    "INFORMATION_SCHEMA", "INTO",         "LOCALTIME",    "LOCALTIMESTAMP",    "PERFORMANCE_SCHEMA",
    "PROCEDURE",          "SQL_NO_CACHE", "UTC_DATE",     "UTC_TIME",          "UTC_TIMESTAMP"};
constexpr std::string_view kUncacheableFunctions[] = {"BENCHMARK",
                                                      "CONNECTION_ID",
                                                      "CURDATE",
                                                      "CURTIME",
                                                      "DATABASE",
                                                      "DES_DECRYPT",
                                                      "DES_ENCRYPT",
                                                      "ENCRYPT",
                                                      "FOUND_ROWS",
                                                      "GET_LOCK",
                                                      "IS_FREE_LOCK",
                                                      "IS_USED_LOCK",
                                                      "LAST_INSERT_ID",
                                                      "LASTVAL",
                                                      "LOAD_FILE",
                                                      "MASTER_GTID_WAIT",
                                                      "MASTER_POS_WAIT",
                                                      "NEXTVAL",
                                                      "NOW",
                                                      "RAND",
                                                      "RANDOM_BYTES",
                                                      "RELEASE_ALL_LOCKS",
                                                      "RELEASE_LOCK",
                                                      "ROW_COUNT",
                                                      "SCHEMA",
                                                      "SESSION_USER",
                                                      "SETVAL",
                                                      "SLEEP",
                                                      "SYSDATE",
                                                      "SYSTEM_USER",
                                                      "SYS_GUID",
                                                      "UNIX_TIMESTAMP",
                                                      "USER",
                                                      "UUID",
                                                      "UUID_SHORT"};

bool keeps_out_of_cache(Tokens tokens, size_t i) {
  const Token& token = tokens[i];
  if (is_symbol(token, "@")) return true;
  if (token.kind != Token::Kind::kWord || token.member) return false;
  if (is_one_of(kUncacheableWords, token.text)) return true;
  const Token* next = i + 1 < tokens.size() ? &tokens[i + 1] : nullptr;
  if (next == nullptr) return false;
  if (is_symbol(*next, "(")) return is_one_of(kUncacheableFunctions, token.text);
  if (token.text == "FOR") return is_keyword(*next, "UPDATE") || is_keyword(*next, "SYSTEM_TIME");
  if (token.text == "LOCK") return is_keyword(*next, "IN");
  if (token.text == "VALUE") return is_keyword(*next, "FOR");
  return (token.text == "MYSQL" || token.text == "SYS") && is_symbol(*next, ".");
}

}  // namespace

bool is_plain_select(std::string_view text) {
  const std::vector<Token> tokens = tokens_of(text);
  if (tokens.empty() || !is_keyword(tokens.front(), "SELECT") || goes_on(text, tokens))
    return false;
  bool reads_table = false;
  for (size_t i = 0; i < tokens.size(); ++i) {
    if (keeps_out_of_cache(tokens, i)) return false;
    reads_table = reads_table || is_keyword(tokens[i], "FROM");
  }
  return reads_table;
}

}  // namespace esox
