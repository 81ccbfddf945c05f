// SPDX-License-Identifier: Apache-2.0
// Everything the header answers is read off the list of the text's tokens.
#include "inputs/statement.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <set>
#include <span>
#include <vector>

#include "inputs/tokens.h"

namespace esox {
namespace {

bool is_space(char c) {
  return std::isspace(static_cast<unsigned char>(c)) != 0;
}

using Tokens = std::span<const Token>;

bool is_keyword(const Token& token, std::string_view word) {
  return token.kind == Token::Kind::kWord && !token.member && token.text == word;
}

bool is_symbol(const Token& token, std::string_view symbol) {
  return token.kind == Token::Kind::kSymbol && token.text == symbol;
}

// True if the first token is '(' and its partner is the last one.
bool is_enclosed(Tokens tokens) {
  if (tokens.size() < 2 || !is_symbol(tokens.front(), "(")) return false;
  const int depth = tokens.front().depth;
  const auto inside = tokens.subspan(1);
  const auto partner = std::find_if(inside.begin(), inside.end(), [&](const Token& token) {
    return is_symbol(token, ")") && token.depth == depth;
  });
  return partner != inside.end() && partner + 1 == inside.end();
}

Tokens strip_enclosing(Tokens tokens) {
  while (is_enclosed(tokens)) tokens = tokens.subspan(1, tokens.size() - 2);
  return tokens;
}

template <size_t N>
bool is_one_of(const std::array<std::string_view, N>& words, std::string_view word) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

// Verbs followed by options before the noun: the noun is searched.
constexpr std::array<std::string_view, 3> kDefinitionVerbs = {"CREATE", "ALTER", "DROP"};
constexpr std::array<std::string_view, 17> kNouns = {
    "TABLE", "TABLES", "VIEW",   "INDEX", "TRIGGER",  "PROCEDURE",  "FUNCTION", "SEQUENCE", "EVENT",
    "USER",  "ROLE",   "SERVER", "KEY",   "DATABASE", "TABLESPACE", "PACKAGE",  "SCHEMA"};
// Verbs whose next word belongs to the kind.
constexpr std::array<std::string_view, 13> kTwoWordVerbs = {
    "SHOW",   "FLUSH", "RENAME",   "TRUNCATE", "OPTIMIZE", "ANALYZE", "CHECK",
    "REPAIR", "LOCK",  "CHECKSUM", "UNLOCK",   "CACHE",    "START"};
// Words that say how, not what.
constexpr std::array<std::string_view, 6> kAdverbs = {
    "LOCAL", "NO_WRITE_TO_BINLOG", "FULL", "EXTENDED", "GLOBAL", "SESSION"};

std::string definition_kind(const std::string& verb, Tokens rest) {
  for (const Token& token : rest) {
    if (token.kind == Token::Kind::kWord && is_one_of(kNouns, token.text)) {
      return verb + " " + token.text;
    }
  }
  return verb;
}

std::string two_word_kind(const std::string& verb, Tokens rest) {
  for (const Token& token : rest) {
    if (token.kind != Token::Kind::kWord) break;
    if (is_one_of(kAdverbs, token.text)) continue;
    return verb + " " + (token.text == "TABLES" && verb != "SHOW" ? "TABLE" : token.text);
  }
  return verb;
}

std::string kind_of(Tokens tokens) {
  const auto is_verb = [](const Token& token) { return token.kind == Token::Kind::kWord; };
  const auto verb = std::find_if(tokens.begin(), tokens.end(), is_verb);
  if (verb == tokens.end()) return tokens.empty() ? "" : "UNKNOWN";
  const Tokens rest = tokens.subspan(static_cast<size_t>(verb - tokens.begin()) + 1);
  if (is_one_of(kDefinitionVerbs, verb->text)) return definition_kind(verb->text, rest);
  if (is_one_of(kTwoWordVerbs, verb->text)) return two_word_kind(verb->text, rest);
  return verb->text;
}

// Whether another statement comes after the one whose tokens these are.
bool goes_on(std::string_view text, Tokens tokens) {
  const std::vector<Token> rest =
      tokens_of(text.substr(tokens.back().begin + tokens.back().length));
  return std::any_of(rest.begin(), rest.end(),
                     [](const Token& token) { return token.kind == Token::Kind::kWord; });
}

constexpr std::array<std::string_view, 4> kRowReturners = {"SELECT", "WITH", "VALUES", "TABLE"};

// What keeps an answer out of the query cache, or makes repeating the SELECT give another one:
// words, and functions, whose names may be columns where no parenthesis follows.
constexpr std::array<std::string_view, 15> kUncacheableWords = {
    "CURRENT_DATE",       "CURRENT_ROLE", "CURRENT_TIME", "CURRENT_TIMESTAMP", "CURRENT_USER",
    "INFORMATION_SCHEMA", "INTO",         "LOCALTIME",    "LOCALTIMESTAMP",    "PERFORMANCE_SCHEMA",
    "PROCEDURE",          "SQL_NO_CACHE", "UTC_DATE",     "UTC_TIME",          "UTC_TIMESTAMP"};
constexpr std::array<std::string_view, 35> kUncacheableFunctions = {"BENCHMARK",
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

// Statements, by kind, and words and functions by which a session keeps or reads what is its own.
constexpr std::array<std::string_view, 13> kLastingKinds = {
    "CALL",    "CHANGE",     "DEALLOCATE", "DO",        "EXECUTE", "EXECUTE IMMEDIATE",
    "HANDLER", "LOCK TABLE", "PREPARE",    "SAVEPOINT", "SET",     "USE",
    "XA"};
constexpr std::array<std::string_view, 9> kLastingWords = {
    "AUTOCOMMIT",          "DIAGNOSTICS", "ERRORS", "LOCK",    "SAVEPOINT",
    "SQL_CALC_FOUND_ROWS", "TEMPORARY",   "UNLOCK", "WARNINGS"};
constexpr std::array<std::string_view, 6> kLastingFunctions = {
    "FOUND_ROWS", "GET_LOCK", "LASTVAL", "LAST_INSERT_ID", "RELEASE_LOCK", "ROW_COUNT"};

bool lasts(Tokens tokens, size_t i) {
  const Token& token = tokens[i];
  if (is_symbol(token, "@")) return true;
  if (token.kind != Token::Kind::kWord || token.member) return false;
  const bool called = i + 1 < tokens.size() && is_symbol(tokens[i + 1], "(");
  return is_one_of(kLastingWords, token.text) ||
         (called && is_one_of(kLastingFunctions, token.text));
}

}  // namespace

std::string statement_kind(std::string_view text) {
  return kind_of(tokens_of(text));
}

bool orders_rows(std::string_view text) {
  const std::vector<Token> all = tokens_of(text);
  const Tokens tokens = strip_enclosing(all);
  if (!is_one_of(kRowReturners, kind_of(tokens))) return false;
  const int depth = tokens.front().depth;
  for (size_t i = 0; i + 2 < tokens.size(); ++i) {
    if (tokens[i].depth != depth || !is_keyword(tokens[i], "ORDER")) continue;
    if (is_keyword(tokens[i + 1], "BY")) return !is_keyword(tokens[i + 2], "NULL");
  }
  return false;
}

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

SessionEffect session_effect(std::string_view text) {
  const std::vector<Token> tokens = tokens_of(text);
  const std::string kind = kind_of(tokens);
  if (is_one_of(kLastingKinds, kind)) return SessionEffect::kLasting;
  for (size_t i = 0; i < tokens.size(); ++i) {
    if (lasts(tokens, i)) return SessionEffect::kLasting;
  }
  if (kind == "BEGIN" || kind == "START TRANSACTION") return SessionEffect::kOpens;
  if (kind == "COMMIT" || kind == "ROLLBACK") return SessionEffect::kCloses;
  return SessionEffect::kNone;
}

bool is_mere_session_setting(std::string_view text) {
  static const std::set<std::string_view> kMore = {"GLOBAL", "PERSIST",    "PASSWORD",
                                                   "ROLE",   "AUTOCOMMIT", "STATEMENT"};
  const std::vector<Token> tokens = tokens_of(text);
  if (kind_of(tokens) != "SET") return false;
  return std::none_of(tokens.begin(), tokens.end(), [](const Token& token) {
    return token.text == "(" || kMore.contains(token.text);
  });
}

std::string trim_statement(std::string_view text) {
  while (!text.empty() && is_space(text.front())) text.remove_prefix(1);
  while (!text.empty() && (is_space(text.back()) || text.back() == ';')) text.remove_suffix(1);
  return std::string(text);
}

}  // namespace esox
