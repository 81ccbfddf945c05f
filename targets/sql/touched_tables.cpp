// SPDX-License-Identifier: Apache-2.0
#include "targets/sql/touched_tables.h"

#include <algorithm>

#include "base/text/letters.h"
#include "targets/sql/statement.h"
#include "targets/sql/tokens.h"

namespace esox {
namespace {

// Kinds of statements (statement.h) that touch no table but those they name, or that the same
// session has named before.
constexpr std::string_view kNamingKinds[] = {"ALTER TABLE",
                                             "ANALYZE TABLE",
                                             "BEGIN",
                                             "CHECK TABLE",
                                             "CHECKSUM TABLE",
                                             "COMMIT",
                                             "CREATE INDEX",
                                             "CREATE KEY",
                                             "CREATE TABLE",
                                             "CREATE TRIGGER",
                                             "CREATE VIEW",
                                             "DELETE",
                                             "DESC",
                                             "DESCRIBE",
                                             "DROP INDEX",
                                             "DROP KEY",
                                             "DROP TABLE",
                                             "DROP TABLES",
                                             "DROP VIEW",
                                             "EXPLAIN",
                                             "HANDLER",
                                             "INSERT",
                                             "LOAD",
                                             "LOCK TABLE",
                                             "OPTIMIZE TABLE",
                                             "RELEASE",
                                             "RENAME TABLE",
                                             "REPAIR TABLE",
                                             "REPLACE",
                                             "ROLLBACK",
                                             "SAVEPOINT",
                                             "SELECT",
                                             "SHOW COLUMNS",
                                             "SHOW CREATE",
                                             "SHOW INDEX",
                                             "SHOW WARNINGS",
                                             "START TRANSACTION",
                                             "TRUNCATE TABLE",
                                             "UNLOCK TABLE",
                                             "UPDATE",
                                             "WITH"};

// Words of a statement that makes one thing act on another, or on what it does not name.
constexpr std::string_view kTies[] = {
    "CONNECT", "CONNECTION", "EVENT",   "EXCHANGE", "LIKE",      "RENAME",     "FUNCTION",
    "MERGE",   "MRG_MYISAM", "OQGRAPH", "PACKAGE",  "PROCEDURE", "REFERENCES", "SEQUENCE",
    "SPIDER",  "TRIGGER",    "UNION",   "VIEW",     "WRAPPER"};

// In the body of a trigger, a routine or an event: a statement in it acts on tables that it does
// not name. A trigger may SET GLOBAL, an event may FLUSH TABLES, and no request says so.
constexpr std::string_view kBeyondTheNamed[] = {"BACKUP", "CACHE",  "DATABASE", "FLUSH", "GLOBAL",
                                                "RESET",  "SCHEMA", "SHOW",     "XA"};

// A statement whose text is another's, or about all tables.
constexpr std::string_view kBeyondItsText[] = {
    "EXECUTE", "INFORMATION_SCHEMA", "MYSQL", "PERFORMANCE_SCHEMA", "PREPARE", "SCHEMATA", "SYS"};

// In statements of the kinds above that make, drop or replace a table.
constexpr std::string_view kDefinitions[] = {"ALTER",    "CREATE", "DROP",   "EVENT",
                                             "OPTIMIZE", "RENAME", "REPAIR", "TRUNCATE"};

// In a SET, whose effect then is not on its session alone.
constexpr std::string_view kBeyondTheSession[] = {"GLOBAL", "PASSWORD", "ROLE", "STATEMENT"};

// What the bytes of others are depends on the session's character set, and their capitals on the
// server's.
bool is_plain_character(char c) {
  return is_word_character(c) && static_cast<unsigned char>(c) < 0x80;
}

// The version of an executable comment, of five digits or six, may touch the word after it: in
// /*!50001VIEW*/ the word is VIEW.
void add_word(std::string_view word, std::set<std::string>& words) {
  const size_t digits = std::min(word.find_first_not_of("0123456789"), word.size());
  for (const size_t version : {size_t{0}, size_t{5}, size_t{6}}) {
    if (version <= digits) words.insert(upper(word.substr(version)));
  }
}

// Its kind is then not that of all it does: after a ';', which may also stand in a compound
// statement (BEGIN NOT ATOMIC ...), comes another statement, and what an executable comment holds
// is left out by servers of other versions. Cautious: a ';' in a text counts too.
bool may_do_more_than_its_kind(std::string_view text) {
  return text.find(';') != text.npos || text.find("/*!") != text.npos ||
         text.find("/*M!") != text.npos;
}

bool has_one_of(const std::set<std::string>& words, std::span<const std::string_view> some) {
  return std::ranges::any_of(
      some, [&](std::string_view one) { return words.contains(std::string(one)); });
}

}  // namespace

std::set<std::string> words_of(std::string_view text) {
  std::set<std::string> words;
  for (auto at = text.begin(); at != text.end();) {
    const auto begin = std::find_if(at, text.end(), is_word_character);
    at = std::find_if_not(begin, text.end(), is_word_character);
    if (begin != at) add_word(std::string_view(begin, at), words);
  }
  return words;
}

bool is_plain_name(std::string_view name) {
  return !name.empty() && std::ranges::all_of(name, is_plain_character);
}

bool names_what_it_touches(std::string_view request) {
  return is_one_of(kNamingKinds, statement_kind(request)) && !may_do_more_than_its_kind(request) &&
         !has_one_of(words_of(request), kBeyondItsText);
}

TouchedTables::TouchedTables(const Input& input) {
  for (const std::string& text : input.setup) add_setup(text);
  for (const std::string& text : input.observations) add_words(text);
  for (const InputClient& client : input.clients) {
    for (const std::string& text : client.setup) add_request(text);
    for (const Request& request : client.requests) add_request(request.text);
  }
}

bool TouchedTables::has(const std::string& table) const {
  return all_ || !is_plain_name(table) || words_.contains(upper(table));
}

bool TouchedTables::may_come_or_go() const {
  return all_ || has_one_of(words_, kDefinitions);
}

void TouchedTables::add_request(const std::string& text) {
  const std::string kind = statement_kind(text);
  const bool names = is_one_of(kNamingKinds, kind);
  const std::set<std::string> words = words_of(text);
  const bool sets = kind == "SET" && !has_one_of(words, kBeyondTheSession);
  if ((!names && !sets) || may_do_more_than_its_kind(text)) all_ = true;
  if (has_one_of(words, kTies) && has_one_of(words, kBeyondTheNamed)) all_ = true;
  add_words(text);
}

void TouchedTables::add_setup(const std::string& text) {
  const std::set<std::string> words = words_of(text);
  if (has_one_of(words, kBeyondItsText)) all_ = true;
  if (!has_one_of(words, kTies)) return;
  if (has_one_of(words, kBeyondTheNamed)) all_ = true;
  add_words(text);
}

void TouchedTables::add_words(std::string_view text) {
  std::set<std::string> words = words_of(text);
  if (has_one_of(words, kBeyondItsText)) all_ = true;
  words_.merge(words);
}

}  // namespace esox
