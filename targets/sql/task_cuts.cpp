// SPDX-License-Identifier: Apache-2.0
// What is left of an event that fails at one of its statements: those before, and what is open of a
// transaction is rolled back, as it is when the event's session ends. Cautious: statements are told
// apart up to the first that holds others (IF, a loop, a block, a handler), which counts as the
// last.

#include <fmt/format.h>

#include <algorithm>

#include "base/text/letters.h"
#include "targets/sql/language.h"
#include "targets/sql/statement.h"
#include "targets/sql/tokens.h"

namespace esox {
namespace {

constexpr std::string_view kBlockWords[] = {"BEGIN", "IF",     "CASE", "LOOP",
                                            "WHILE", "REPEAT", "FOR"};
constexpr const char* kCutEnd = "ROLLBACK; END";

size_t behind(const Token& token) {
  return token.begin + token.length;
}

// The name behind the word EVENT, in lower case: "e1", "db.e1"; empty if that is not plain.
std::string event_name(Tokens tokens, std::string_view text) {
  const auto word =
      std::ranges::find_if(tokens, [](const Token& token) { return is_keyword(token, "EVENT"); });
  Tokens rest = tokens.subspan(static_cast<size_t>(word - tokens.begin()));
  if (!rest.empty()) rest = rest.subspan(1);
  constexpr size_t kIfNotExists = 3;
  if (rest.size() > kIfNotExists && is_keyword(rest[0], "IF")) rest = rest.subspan(kIfNotExists);
  if (rest.empty()) return "";
  std::string name = lower(identifier(text, rest[0]));
  if (rest.size() > 2 && is_symbol(rest[1], ".")) {
    name += "." + lower(identifier(text, rest[2]));
  }
  return name;
}

bool is_called(std::string_view task, std::string_view name) {
  if (name.empty()) return false;
  const std::string whole = lower(task);
  return whole == name ||
         (name.find('.') == name.npos && whole.ends_with(fmt::format(".{}", name)));
}

bool holds_statements(Tokens statement) {
  const Token& first = statement.front();
  const bool label = statement.size() > 1 && is_symbol(statement[1], ":");
  return label || has_word(statement, "HANDLER") ||
         (first.kind == Token::Kind::kWord && is_one_of(kBlockWords, first.text));
}

// Where each statement of a block ends in the text, behind its semicolon, but the last one's.
std::vector<size_t> ends_of_statements(std::string_view block, size_t from) {
  std::vector<size_t> ends;
  for (size_t at = from;;) {
    const std::string_view rest = block.substr(at);
    const std::vector<Token> statement = tokens_of(rest);
    const bool last = statement.empty() || is_keyword(statement.front(), "END");
    if (last) {
      if (!ends.empty()) ends.pop_back();
      return ends;
    }
    if (holds_statements(statement)) return ends;
    const size_t end = rest.find(';', behind(statement.back()));
    if (end == rest.npos) return ends;
    at += end + 1;
    ends.push_back(at);
  }
}

}  // namespace

std::vector<TaskCut> SqlLanguage::task_cuts(std::string_view text, std::string_view task) const {
  const std::string kind = statement_kind(text);
  if (kind != "CREATE EVENT" && kind != "ALTER EVENT") return {};
  const std::vector<Token> tokens = tokens_of(text);
  if (!is_called(task, event_name(tokens, text))) return {};
  const auto word =
      std::ranges::find_if(tokens, [](const Token& token) { return is_keyword(token, "DO"); });
  if (word == tokens.end() || word + 1 == tokens.end()) return {};
  const size_t begin = (word + 1)->begin;
  const std::string_view body = text.substr(begin);
  std::vector<size_t> ends;
  size_t first = 0;
  if (is_keyword(*(word + 1), "BEGIN")) {
    first = (word + 1)->length;
    ends = ends_of_statements(body, first);
  }
  std::vector<TaskCut> cuts;
  const auto cut = [&](std::string_view done) {
    std::string left = fmt::format("BEGIN{} {}", done, kCutEnd);
    cuts.push_back({fmt::format("{}{}", text.substr(0, begin), left), std::string(body), left});
  };
  cut("");
  for (const size_t end : ends) cut(body.substr(first, end - first));
  return cuts;
}

}  // namespace esox
