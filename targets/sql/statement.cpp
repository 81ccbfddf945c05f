// SPDX-License-Identifier: Apache-2.0
// Everything the header answers is read off the list of the text's tokens.
#include "targets/sql/statement.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>

#include "base/text/letters.h"
#include "targets/sql/tokens.h"
#include "targets/sql/versions.h"

namespace esox {
namespace {

// True if the first token is '(' and its partner is the last one.
bool is_enclosed(Tokens tokens) {
  if (tokens.size() < 2 || !is_symbol(tokens.front(), "(")) return false;
  const int depth = tokens.front().depth;
  const auto inside = tokens.subspan(1);
  const auto partner = std::ranges::find_if(
      inside, [&](const Token& token) { return is_symbol(token, ")") && token.depth == depth; });
  return partner != inside.end() && partner + 1 == inside.end();
}

Tokens strip_enclosing(Tokens tokens) {
  while (is_enclosed(tokens)) tokens = tokens.subspan(1, tokens.size() - 2);
  return tokens;
}

// Of a definition: options come before it, so it is searched.
constexpr std::string_view kNouns[] = {
    "TABLE", "TABLES", "VIEW",   "INDEX", "TRIGGER",  "PROCEDURE",  "FUNCTION", "SEQUENCE", "EVENT",
    "USER",  "ROLE",   "SERVER", "KEY",   "DATABASE", "TABLESPACE", "PACKAGE",  "SCHEMA"};
// Verbs whose next word belongs to the kind.
constexpr std::string_view kTwoWordVerbs[] = {"SHOW",    "FLUSH", "RENAME", "TRUNCATE", "OPTIMIZE",
                                              "ANALYZE", "CHECK", "REPAIR", "LOCK",     "CHECKSUM",
                                              "UNLOCK",  "CACHE", "START"};
// Words that say how, not what.
constexpr std::string_view kAdverbs[] = {
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
  const auto verb = std::ranges::find_if(tokens, is_verb);
  if (verb == tokens.end()) return tokens.empty() ? "" : "UNKNOWN";
  const Tokens rest = tokens.subspan(static_cast<size_t>(verb - tokens.begin()) + 1);
  if (is_definition(verb->text)) return definition_kind(verb->text, rest);
  if (is_one_of(kTwoWordVerbs, verb->text)) return two_word_kind(verb->text, rest);
  return verb->text;
}

constexpr std::string_view kRowReturners[] = {"SELECT", "WITH", "VALUES", "TABLE"};

// Statements, by kind, and words and functions by which a session keeps or reads what is its own.
constexpr std::string_view kLastingKinds[] = {
    "BACKUP",  "CALL",       "CHANGE",  "DEALLOCATE", "DO",  "EXECUTE", "EXECUTE IMMEDIATE",
    "HANDLER", "LOCK TABLE", "PREPARE", "SAVEPOINT",  "SET", "XA"};
// EXPORT: FLUSH TABLES ... FOR EXPORT locks them.
constexpr std::string_view kLastingWords[] = {
    "AUTOCOMMIT", "DIAGNOSTICS",         "ERRORS",    "EXPORT", "LOCK",
    "SAVEPOINT",  "SQL_CALC_FOUND_ROWS", "TEMPORARY", "UNLOCK", "WARNINGS"};
constexpr std::string_view kLastingFunctions[] = {"FOUND_ROWS",     "GET_LOCK",     "LASTVAL",
                                                  "LAST_INSERT_ID", "RELEASE_LOCK", "ROW_COUNT"};

bool lasts(Tokens tokens, size_t i) {
  const Token& token = tokens[i];
  if (is_symbol(token, "@")) return true;
  if (token.kind != Token::Kind::kWord || token.member) return false;
  const bool called = i + 1 < tokens.size() && is_symbol(tokens[i + 1], "(");
  return is_one_of(kLastingWords, token.text) ||
         (called && is_one_of(kLastingFunctions, token.text));
}

// Whether it asks for columns as they are: what is computed may look like another version of a
// list.
bool asks_for_columns(Tokens tokens) {
  const auto from =
      std::ranges::find_if(tokens, [](const Token& token) { return is_keyword(token, "FROM"); });
  return from != tokens.end() && std::none_of(tokens.begin(), from, [](const Token& token) {
           return is_symbol(token, "(") || token.kind == Token::Kind::kQuoted;
         });
}

// A word, or what stands in back-quotes, in lower case; empty for others.
std::string name_of(const Token& token, std::string_view statement) {
  const std::string_view text = statement.substr(token.begin, token.length);
  if (token.kind == Token::Kind::kWord) return lower(text);
  if (token.kind != Token::Kind::kQuoted || text.size() < 2 || text.front() != '`') return "";
  return lower(text.substr(1, text.size() - 2));
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

bool is_compound(std::string_view text) {
  constexpr std::string_view kBlocks[] = {"IF", "CASE", "FOR", "LOOP", "REPEAT", "WHILE"};
  const std::vector<Token> tokens = tokens_of(text);
  if (is_one_of(kBlocks, kind_of(tokens))) return true;
  const auto begin =
      std::ranges::find_if(tokens, [](const Token& token) { return is_keyword(token, "BEGIN"); });
  return kind_of(tokens) == "BEGIN" && begin + 1 < tokens.end() && is_keyword(begin[1], "NOT");
}

SessionEffect session_effect(std::string_view text) {
  const std::vector<Token> tokens = tokens_of(text);
  const std::string kind = kind_of(tokens);
  if (is_one_of(kLastingKinds, kind) || is_compound(text)) return SessionEffect::kLasting;
  for (size_t i = 0; i < tokens.size(); ++i) {
    if (lasts(tokens, i)) return SessionEffect::kLasting;
  }
  if (kind == "BEGIN" || kind == "START TRANSACTION") return SessionEffect::kOpens;
  if (kind == "ROLLBACK" && has_word(tokens, "TO")) return SessionEffect::kLasting;  // a savepoint
  if (kind == "COMMIT" || kind == "ROLLBACK") return SessionEffect::kCloses;
  if (kind == "USE") return SessionEffect::kChooses;
  return SessionEffect::kNone;
}

bool ends_transaction_first(std::string_view text) {
  static const std::set<std::string_view> kVerbs = {
      "ALTER", "ANALYZE", "BEGIN",    "CACHE",   "CHANGE", "CHECK",    "CREATE",
      "DROP",  "FLUSH",   "GRANT",    "INSTALL", "LOCK",   "RENAME",   "REPAIR",
      "RESET", "REVOKE",  "OPTIMIZE", "START",   "STOP",   "TRUNCATE", "UNINSTALL"};
  const std::vector<Token> tokens = tokens_of(text);
  const std::string kind = kind_of(tokens);
  if (is_compound(text)) return false;
  if (!kVerbs.contains(std::string_view(kind).substr(0, kind.find(' ')))) return false;
  return std::ranges::none_of(tokens, [](const Token& token) {
    return token.kind == Token::Kind::kWord && token.text == "TEMPORARY";
  });
}

bool tells_of_last_request(std::string_view text) {
  constexpr std::string_view kFunctions[] = {"ROW_COUNT", "FOUND_ROWS"};
  constexpr std::string_view kShown[] = {"WARNINGS", "ERRORS"};
  const std::vector<Token> tokens = tokens_of(text);
  const bool shows = kind_of(tokens).starts_with("SHOW");
  for (size_t i = 0; i < tokens.size(); ++i) {
    if (tokens[i].kind != Token::Kind::kWord || tokens[i].member) continue;
    const bool called = i + 1 < tokens.size() && is_symbol(tokens[i + 1], "(");
    if (called && is_one_of(kFunctions, tokens[i].text)) return true;
    if (shows && is_one_of(kShown, tokens[i].text)) return true;
    if (is_keyword(tokens[i], "DIAGNOSTICS")) return true;
  }
  return false;
}

ListStep list_step(std::string_view text) {
  constexpr std::string_view kBeside[] = {
      "BEGIN",         "COMMIT",      "SAVEPOINT",  "RELEASE",     "ALTER TABLE",   "CREATE INDEX",
      "ANALYZE TABLE", "CHECK TABLE", "DROP INDEX", "FLUSH TABLE", "OPTIMIZE TABLE"};
  const std::vector<Token> tokens = tokens_of(text);
  const std::string kind = kind_of(tokens);
  if (is_compound(text)) return {};
  if (is_one_of(kBeside, kind)) return {ListUse::kNone};
  if (kind == "START TRANSACTION") {
    return {has_word(tokens, "SNAPSHOT") ? ListUse::kTakesSnapshot : ListUse::kNone};
  }
  if (kind == "ROLLBACK") {
    return {has_word(tokens, "TO") ? ListUse::kAbandonsPart : ListUse::kAbandons};
  }
  if (kind == "XA" && has_word(tokens, "ROLLBACK")) return {ListUse::kAbandons};
  if (kind == "XA") return {has_word(tokens, "PREPARE") ? ListUse::kLetsGo : ListUse::kNone};
  if (kind == "SELECT") {
    // Of several, each may read at another moment, or compute.
    const auto selects = std::ranges::count_if(
        tokens, [](const Token& token) { return is_keyword(token, "SELECT"); });
    if (selects != 1 || !asks_for_columns(tokens)) return {};
    ListStep step = rows_read(text);
    if (locks_rows(tokens)) step.use = ListUse::kReadsCurrent;
    return step;
  }
  if (const std::optional<ListStep> step = row_change(text)) return *step;
  // What INSERT ... ON DUPLICATE KEY UPDATE did, its reply does not tell.
  if (kind != "UPDATE") return {};
  if (const std::optional<ListStep> step = register_write(text)) return *step;
  const std::optional<uint64_t> element = appended_element(text);
  return element ? ListStep{ListUse::kAppends, *element} : ListStep{};
}

std::vector<std::string> names_in(std::string_view text) {
  std::vector<std::string> names;
  const std::vector<Token> tokens = tokens_of(text);
  for (size_t i = 0; i < tokens.size(); ++i) {
    const std::string name = name_of(tokens[i], text);
    if (name.empty()) continue;
    names.push_back(name);
    if (i < 2 || !is_symbol(tokens[i - 1], ".")) continue;
    const std::string before = name_of(tokens[i - 2], text);
    if (!before.empty()) names.push_back(fmt::format("{}.{}", before, name));
  }
  return names;
}

std::string made_table(std::string_view text) {
  const std::vector<Token> tokens = tokens_of(text);
  if (kind_of(tokens) != "CREATE TABLE") return {};
  auto token = std::ranges::find(tokens, "TABLE", &Token::text);
  if (token == tokens.end()) return {};
  constexpr std::string_view kBetween[] = {"TABLE", "IF", "NOT", "EXISTS"};
  token = std::find_if(token, tokens.end(),
                       [&](const Token& one) { return !is_one_of(kBetween, one.text); });
  const bool plain = token != tokens.end() && token->kind == Token::Kind::kWord &&
                     !(token + 1 != tokens.end() && token[1].text == ".");
  return plain ? name_of(*token, text) : std::string();
}

bool is_mere_session_setting(std::string_view text) {
  static const std::set<std::string_view> kMore = {"GLOBAL", "PERSIST",    "PASSWORD",
                                                   "ROLE",   "AUTOCOMMIT", "STATEMENT"};
  const std::vector<Token> tokens = tokens_of(text);
  if (kind_of(tokens) != "SET") return false;
  return std::ranges::none_of(
      tokens, [](const Token& token) { return token.text == "(" || kMore.contains(token.text); });
}

std::string trim_statement(std::string_view text) {
  while (!text.empty() && is_space(text.front())) text.remove_prefix(1);
  while (!text.empty() && (is_space(text.back()) || text.back() == ';')) text.remove_suffix(1);
  return std::string(text);
}

bool speaks(std::string_view text, std::string_view word) {
  const auto same_letter = [](char a, char b) { return upper(a) == b; };
  return std::search(text.begin(), text.end(), word.begin(), word.end(), same_letter) != text.end();
}

}  // namespace esox
