// SPDX-License-Identifier: Apache-2.0
// Statements that a server executes as several, one after the other, while others may come between:
// the statements that they count as. For filters of the kind `split` (filters/rule.h), and for
// requests that no serial order of requests can be held against. Cautious: what is not plain has no
// parts.

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "base/text/letters.h"
#include "targets/sql/language.h"
#include "targets/sql/tokens.h"

namespace esox {
namespace {

constexpr std::string_view kMaintenance[] = {"CHECK TABLE", "OPTIMIZE TABLE", "ANALYZE TABLE",
                                             "REPAIR TABLE"};
constexpr std::string_view kInsertions[] = {"INSERT", "REPLACE"};

constexpr std::string_view kReadThenWrite = "read-then-write";
constexpr std::string_view kTables = "tables";
constexpr Splitting kSplittings[] = {{kReadThenWrite, kInsertions}, {kTables, kMaintenance}};

constexpr const char* kReadTable = "esox_read";

bool is_word_of(std::span<const std::string_view> words, const Token& token) {
  return token.kind == Token::Kind::kWord && is_one_of(words, token.text);
}

size_t end_of(const Token& token) {
  return token.begin + token.length;
}

// A name as it is written, without its quotes.
std::string plain_name(const Token& token, std::string_view text) {
  std::string_view written = text.substr(token.begin, token.length);
  if (token.kind == Token::Kind::kQuoted && written.size() >= 2) {
    written = written.substr(1, written.size() - 2);
  }
  return std::string(written);
}

bool may_be_name(const Token& token) {
  return token.kind != Token::Kind::kSymbol;
}

// The tokens of a name at the beginning of `tokens`: "t1", "db.t1"; 0: there is none.
size_t name_length(Tokens tokens) {
  if (tokens.empty() || !may_be_name(tokens[0])) return 0;
  const bool qualified = tokens.size() > 2 && is_symbol(tokens[1], ".") && may_be_name(tokens[2]);
  return qualified ? 3 : 1;
}

std::string name_of(Tokens tokens, size_t length, std::string_view text) {
  const std::string first = plain_name(tokens[0], text);
  return length == 1 ? first : first + "." + plain_name(tokens[2], text);
}

// Separated by commas outside parentheses.
std::vector<Tokens> listed(Tokens tokens) {
  std::vector<Tokens> items;
  size_t begin = 0;
  for (size_t i = 0; i <= tokens.size(); ++i) {
    const bool comma = i < tokens.size() && tokens[i].depth == 0 && is_symbol(tokens[i], ",");
    if (i != tokens.size() && !comma) continue;
    items.push_back(tokens.subspan(begin, i - begin));
    begin = i + 1;
  }
  return items;
}

std::string_view text_from(Tokens tokens, std::string_view text) {
  if (tokens.empty()) return "";
  return text.substr(tokens.front().begin, end_of(tokens.back()) - tokens.front().begin);
}

// Options at the end are for all, unless others have some of their own (ANALYZE TABLE).
std::vector<RequestPart> parts_of_list(std::string_view head, Tokens list, bool own_options,
                                       std::string_view text) {
  std::vector<RequestPart> parts;
  const std::vector<Tokens> items = listed(list);
  if (items.size() < 2) return {};
  const bool each =
      own_options && std::any_of(items.begin(), items.end() - 1, [](const Tokens& item) {
        return item.size() != name_length(item);
      });
  const std::string_view tail = text_from(items.back().subspan(name_length(items.back())), text);
  for (const Tokens& item : items) {
    const size_t length = name_length(item);
    const bool last = &item == &items.back();
    if (length == 0 || (!each && !last && item.size() != length)) return {};
    const std::string_view name = text_from(item.first(length), text);
    const std::string_view options = each ? text_from(item.subspan(length), text) : tail;
    parts.push_back({fmt::format("{} {}{}{}", head, name, options.empty() ? "" : " ", options),
                     name_of(item, length, text)});
  }
  return parts;
}

bool all_different(const std::vector<RequestPart>& parts) {
  std::set<std::string> names;
  return std::ranges::all_of(
      parts, [&](const RequestPart& part) { return names.insert(part.subject).second; });
}

// Words with which an insertion does more than to read and then to write.
constexpr std::string_view kMoreThanTwoSteps[] = {"DELAYED", "DUPLICATE", "RETURNING", "PROCEDURE"};

// What is left of the text after each ';' that ends a statement, the whole first.
std::vector<std::vector<Token>> statements_in(std::string_view text) {
  std::vector<std::vector<Token>> statements;
  while (!text.empty()) {
    std::vector<Token> tokens = tokens_of(text);
    const size_t from = tokens.empty() ? 0 : end_of(tokens.back());
    const size_t end = text.find(';', from);
    if (!tokens.empty()) statements.push_back(std::move(tokens));
    if (end == std::string_view::npos) break;
    text.remove_prefix(end + 1);
  }
  return statements;
}

constexpr std::string_view kLoops[] = {"LOOP", "WHILE", "REPEAT", "FOR"};
constexpr std::string_view kNoSteps[] = {"END", "DECLARE"};

bool has_several_steps(std::string_view body) {
  size_t steps = 0;
  for (const std::vector<Token>& statement : statements_in(body)) {
    for (const Token& token : statement) {
      if (is_keyword(token, "TRANSACTION")) return false;
    }
    const bool loop = std::ranges::any_of(
        statement, [](const Token& token) { return is_word_of(kLoops, token); });
    // The first one is CREATE PROCEDURE and the first statement of its body.
    const bool none = is_word_of(kNoSteps, statement.front()) ||
                      std::ranges::any_of(statement, [](const Token& token) {
                        return is_keyword(token, "DECLARE");
                      });
    if (!none) steps += loop ? 2 : 1;
  }
  return steps > 1;
}

// Whether it may take more than one number of a sequence: they are given one by one, in the order
// of asking, and never taken back (MariaDB's manual, "Sequence Overview").
bool takes_several_numbers(std::string_view text, std::span<const std::string> setup) {
  if (!is_one_of(kInsertions, statement_kind(text))) return false;
  const auto asks = [](std::string_view one) {
    return speaks(one, "NEXTVAL") || (speaks(one, "NEXT") && speaks(one, "VALUE"));
  };
  const bool by_default = std::ranges::any_of(setup, [&](const std::string& one) {
    return statement_kind(one) == "CREATE TABLE" && asks(one);
  });
  if (!by_default && !asks(text)) return false;
  const std::vector<Token> tokens = tokens_of(text);
  size_t rows = 0;
  bool values = false;
  for (const Token& token : tokens) {
    if (is_keyword(token, "SELECT")) return true;
    values = values || is_keyword(token, "VALUES") || is_keyword(token, "VALUE");
    rows += values && token.depth == 0 && is_symbol(token, "(") ? 1 : 0;
  }
  return rows > 1;
}

// User locks are taken and given back by functions, at the moment of each call and for all to see
// at once (both manuals, "GET_LOCK"), and are kept for the statements that follow.
bool takes_several_user_locks(std::string_view text) {
  constexpr std::string_view kFunctions[] = {"GET_LOCK", "IS_FREE_LOCK", "IS_USED_LOCK",
                                             "RELEASE_ALL_LOCKS", "RELEASE_LOCK"};
  const std::vector<Token> tokens = tokens_of(text);
  return std::ranges::count_if(
             tokens, [&](const Token& token) { return is_word_of(kFunctions, token); }) > 1;
}

// What it finds depends on locks that others hold for a while and give back without a trace:
// "queries that skip locked rows return an inconsistent view of the data" (MySQL's manual, "Locking
// Reads").
bool skips_locked_rows(std::string_view text) {
  const std::vector<Token> tokens = tokens_of(text);
  for (size_t i = 0; i + 1 < tokens.size(); ++i) {
    if (is_keyword(tokens[i], "SKIP") && is_keyword(tokens[i + 1], "LOCKED")) return true;
  }
  return false;
}

// A part of it locks what is committed now, another looks at its session's view, which may be older
// (InnoDB: "a locking read clause in an outer statement does not lock the rows of a table in a
// nested subquery", and in a UNION it is of the SELECT that it stands behind).
bool locks_and_looks(std::string_view text) {
  if (statement_kind(text) != "SELECT") return false;
  const std::vector<Token> tokens = tokens_of(text);
  size_t selects = 0;
  size_t locks = 0;
  for (size_t i = 0; i + 1 < tokens.size(); ++i) {
    if (is_keyword(tokens[i], "SELECT")) ++selects;
    const bool is_for = is_keyword(tokens[i], "FOR") &&
                        (is_keyword(tokens[i + 1], "UPDATE") || is_keyword(tokens[i + 1], "SHARE"));
    if (is_for || (is_keyword(tokens[i], "LOCK") && is_keyword(tokens[i + 1], "IN"))) ++locks;
  }
  return locks > 0 && locks < selects;
}

// The name that follows the word, without the database: of CALL, of CREATE PROCEDURE.
std::string name_after(std::string_view word, std::string_view text) {
  const std::vector<Token> tokens = tokens_of(text);
  const auto is_it = [&](const Token& token) { return is_keyword(token, word); };
  const auto found = std::ranges::find_if(tokens, is_it);
  if (found == tokens.end()) return "";
  Tokens rest = Tokens(tokens).subspan(static_cast<size_t>(found - tokens.begin()) + 1);
  constexpr size_t kIfNotExists = 3;
  if (rest.size() > kIfNotExists && is_keyword(rest[0], "IF") && is_keyword(rest[1], "NOT")) {
    rest = rest.subspan(kIfNotExists);
  }
  const size_t length = name_length(rest);
  if (length == 0) return "";
  return lower(plain_name(rest[length - 1], text));
}

// One table's part of CHECK TABLE t1, db.t2 QUICK; its subject is the table as its rows of the
// reply name it: "t2", "db.t2". Empty unless there are at least two tables, all different.
std::vector<RequestPart> table_parts(std::string_view text) {
  const std::string kind = statement_kind(text);
  if (!is_one_of(kMaintenance, kind)) return {};
  const std::vector<Token> tokens = tokens_of(text);
  const auto noun = std::ranges::find_if(tokens, [](const Token& token) {
    return is_keyword(token, "TABLE") || is_keyword(token, "TABLES");
  });
  if (noun == tokens.end()) return {};
  const auto after = static_cast<size_t>(noun - tokens.begin()) + 1;
  const Tokens all(tokens);
  std::vector<RequestPart> parts = parts_of_list(text_from(all.first(after), text),
                                                 all.subspan(after), kind == "ANALYZE TABLE", text);
  return all_different(parts) ? parts : std::vector<RequestPart>{};
}

// INSERT INTO t SELECT ...: what it reads is kept in a temporary table of the session, written from
// there, and forgotten. Empty where that would not be the same: ON DUPLICATE KEY, RETURNING,
// DELAYED, user variables.
std::vector<RequestPart> read_and_write(std::string_view text) {
  if (!is_one_of(kInsertions, statement_kind(text))) return {};
  const std::vector<Token> tokens = tokens_of(text);
  const auto select = std::ranges::find_if(
      tokens, [](const Token& token) { return token.depth == 0 && is_keyword(token, "SELECT"); });
  if (select == tokens.end() || select == tokens.begin()) return {};
  const bool more = std::ranges::any_of(tokens, [](const Token& token) {
    return is_word_of(kMoreThanTwoSteps, token) || is_symbol(token, "@") ||
           is_keyword(token, "WITH");
  });
  if (more) return {};
  const std::string_view head = text.substr(0, select->begin);
  return {
      {.text = fmt::format("CREATE TEMPORARY TABLE {} {}", kReadTable, text.substr(select->begin)),
       .silent = true,
       .reads = true},
      {.text = fmt::format("{}SELECT * FROM {}", head, kReadTable)},
      {.text = fmt::format("DROP TEMPORARY TABLE {}", kReadTable), .silent = true}};
}

}  // namespace

// Of a block, or of a procedure that one of these statements makes, each statement is a step of its
// own (autocommit), which the block does not hold together, unless it makes a transaction of them.
bool SqlLanguage::is_one_step(std::string_view text, std::span<const std::string> setup) const {
  if (is_compound(text)) return !has_several_steps(text);
  if (takes_several_numbers(text, setup) || takes_several_user_locks(text)) return false;
  if (skips_locked_rows(text) || locks_and_looks(text)) return false;
  if (kind(text) != "CALL") return true;
  const std::string name = name_after("CALL", text);
  return std::ranges::none_of(setup, [&](const std::string& statement) {
    return statement_kind(statement) == "CREATE PROCEDURE" &&
           name_after("PROCEDURE", statement) == name && has_several_steps(statement);
  });
}

std::span<const Splitting> SqlLanguage::splittings() const {
  return kSplittings;
}

std::vector<RequestPart> SqlLanguage::parts(std::string_view text,
                                            std::string_view splitting) const {
  if (splitting == kTables) return table_parts(text);
  if (splitting == kReadThenWrite) return read_and_write(text);
  return {};
}

}  // namespace esox
