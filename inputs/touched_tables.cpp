// SPDX-License-Identifier: Apache-2.0
// See touched_tables.h.
#include "inputs/touched_tables.h"

#include <algorithm>
#include <array>
#include <cctype>

#include "inputs/statement.h"

namespace esox {
namespace {

// Kinds of statements (statement.h) that touch no table but those they name, or that the same
// session has named before.
constexpr std::array<std::string_view, 41> kNamingKinds = {"ALTER TABLE",
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
constexpr std::array<std::string_view, 16> kTies = {
    "CONNECTION", "EVENT",      "EXCHANGE", "LIKE",      "RENAME",     "FUNCTION",
    "MERGE",      "MRG_MYISAM", "PACKAGE",  "PROCEDURE", "REFERENCES", "SEQUENCE",
    "TRIGGER",    "UNION",      "VIEW",     "WRAPPER"};

// A statement whose text is another's, or about all tables.
constexpr std::array<std::string_view, 7> kBeyondItsText = {
    "EXECUTE", "INFORMATION_SCHEMA", "MYSQL", "PERFORMANCE_SCHEMA", "PREPARE", "SCHEMATA", "SYS"};

// In a SET, whose effect then is not on its session alone.
constexpr std::array<std::string_view, 4> kBeyondTheSession = {"GLOBAL", "PASSWORD", "ROLE",
                                                               "STATEMENT"};

bool is_word_character(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return std::isalnum(byte) != 0 || c == '_' || c == '$' || byte >= 0x80;
}

std::string in_capitals(std::string_view text) {
  std::string capitals(text);
  for (char& c : capitals) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  return capitals;
}

// Within quotes and comments too: a name may stand in either.
std::set<std::string> words_of(std::string_view text) {
  std::set<std::string> words;
  for (auto at = text.begin(); at != text.end();) {
    const auto begin = std::find_if(at, text.end(), is_word_character);
    at = std::find_if_not(begin, text.end(), is_word_character);
    if (begin != at) words.insert(in_capitals(std::string_view(begin, at)));
  }
  return words;
}

template <size_t N>
bool has_one_of(const std::set<std::string>& words, const std::array<std::string_view, N>& some) {
  return std::any_of(some.begin(), some.end(),
                     [&](std::string_view one) { return words.contains(std::string(one)); });
}

}  // namespace

TouchedTables::TouchedTables(const Input& input) {
  for (const std::string& text : input.setup) add_setup(text);
  for (const std::string& text : input.observations) add_words(text);
  for (const InputClient& client : input.clients) {
    for (const std::string& text : client.setup) add_request(text);
    for (const Request& request : client.requests) add_request(request.text);
  }
}

bool TouchedTables::has(const std::string& table) const {
  return all_ || !std::all_of(table.begin(), table.end(), is_word_character) ||
         words_.contains(in_capitals(table));
}

void TouchedTables::add_request(const std::string& text) {
  const std::string kind = statement_kind(text);
  const bool names =
      std::find(kNamingKinds.begin(), kNamingKinds.end(), kind) != kNamingKinds.end();
  const bool sets = kind == "SET" && !has_one_of(words_of(text), kBeyondTheSession);
  if (!names && !sets) all_ = true;
  add_words(text);
}

void TouchedTables::add_setup(const std::string& text) {
  const std::set<std::string> words = words_of(text);
  if (has_one_of(words, kBeyondItsText)) all_ = true;
  if (has_one_of(words, kTies)) add_words(text);
}

void TouchedTables::add_words(std::string_view text) {
  std::set<std::string> words = words_of(text);
  if (has_one_of(words, kBeyondItsText)) all_ = true;
  words_.merge(words);
}

}  // namespace esox
