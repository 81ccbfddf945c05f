// SPDX-License-Identifier: Apache-2.0
// See summary_parts.h.
#include "inputs/summary_parts.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <vector>

#include "inputs/input_error.h"
#include "base/text/spelling.h"
#include "inputs/statement.h"
#include "inputs/tokens.h"
#include "inputs/touched_tables.h"

namespace esox {
namespace {

// What a statement, or an option of the server, must speak of to touch a part. Such a look costs a
// temporary table in the server, in every execution.
struct Subject {
  std::string_view part;
  std::vector<std::string_view> words;
};
const std::array<Subject, 3> kSubjects = {{
    {"programs", {"TRIGGER", "PROCEDURE", "FUNCTION", "EVENT", "CALL", "PACKAGE"}},
    {"transactions", {"INNODB", "TRANSACTION", "BEGIN", "COMMIT", "XA"}},
    {"key-blocks", {"MYISAM", "MERGE", "MRG"}},
}};

std::vector<std::string> split(const std::string& text) {
  std::vector<std::string> parts;
  for (size_t at = 0; at <= text.size();) {
    const size_t end = std::min(text.find(',', at), text.size());
    parts.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  return parts;
}

bool has_word(const std::string& text, std::string_view word) {
  const auto same_letter = [](char a, char b) {
    return std::toupper(static_cast<unsigned char>(a)) == b;
  };
  return std::search(text.begin(), text.end(), word.begin(), word.end(), same_letter) != text.end();
}

// The server's default engine is InnoDB.
bool speaks_of(const std::string& text, const Subject& subject) {
  const bool by_default = subject.part == "transactions" && has_word(text, "CREATE") &&
                          has_word(text, "TABLE") && !has_word(text, "ENGINE");
  return by_default || std::any_of(subject.words.begin(), subject.words.end(),
                                   [&](std::string_view word) { return has_word(text, word); });
}

// The table that a statement creates, as the tokens have it; empty if that is not plain. After a
// ';' another statement may create another.
std::string created_table(const std::string& text) {
  if (statement_kind(text) != "CREATE TABLE" || text.find(';') != text.npos) return {};
  const std::vector<Token> tokens = tokens_of(text);
  auto token = std::find_if(tokens.begin(), tokens.end(),
                            [](const Token& one) { return one.text == "TABLE"; });
  if (token == tokens.end()) return {};
  constexpr std::array<std::string_view, 4> kBetween = {"TABLE", "IF", "NOT", "EXISTS"};
  token = std::find_if(token, tokens.end(), [&](const Token& one) {
    return std::find(kBetween.begin(), kBetween.end(), one.text) == kBetween.end();
  });
  const bool plain = token != tokens.end() && token->kind == Token::Kind::kWord &&
                     !(token + 1 != tokens.end() && token[1].text == ".");
  return plain ? token->text : std::string();
}

// The engine of a table that no statement touches is no concern of the input's.
bool is_of_untouched(const std::string& setup, const TouchedTables& touched) {
  const std::string table = created_table(setup);
  return !table.empty() && !touched.has(table);
}

bool speaks_of(const Input& input, const Subject& subject) {
  const TouchedTables touched(input);
  const auto some = [&](const std::vector<std::string>& texts) {
    return std::any_of(texts.begin(), texts.end(),
                       [&](const std::string& text) { return speaks_of(text, subject); });
  };
  return std::any_of(input.setup.begin(), input.setup.end(),
                     [&](const std::string& text) {
                       return speaks_of(text, subject) && !is_of_untouched(text, touched);
                     }) ||
         some(input.server_options) ||
         std::any_of(input.clients.begin(), input.clients.end(), [&](const InputClient& client) {
           return some(client.setup) ||
                  std::any_of(client.requests.begin(), client.requests.end(),
                              [&](const Request& one) { return speaks_of(one.text, subject); });
         });
}

// By itself: only what the input can touch.
bool is_touched(const Input& input, std::string_view part) {
  const auto subject = std::find_if(kSubjects.begin(), kSubjects.end(),
                                    [&](const Subject& one) { return one.part == part; });
  return subject == kSubjects.end() || speaks_of(input, *subject);
}

}  // namespace

std::string summary_complaint(const std::string& text) {
  if (text.empty() || text == "auto" || text == "all" || text == "basic") return {};
  for (const std::string& part : split(text)) {
    if (std::find(kSummaryParts.begin(), kSummaryParts.end(), part) != kSummaryParts.end())
      continue;
    return fmt::format("{} is no part of the state{}; give auto, all, basic, or some of {}",
                       in_quotes(part), spelling_hint(part, kSummaryParts),
                       fmt::join(kSummaryParts, ","));
  }
  return {};
}

bool summarises_what_is_touched(const Input& input) {
  return input.summary.empty() || input.summary == "auto";
}

bool has_summary_part(const Input& input, std::string_view part) {
  const std::string& choice = input.summary;
  if (choice == "basic") return false;
  if (choice == "all") return true;
  if (summarises_what_is_touched(input)) return is_touched(input, part);
  const std::vector<std::string> parts = split(choice);
  return std::find(parts.begin(), parts.end(), part) != parts.end();
}

}  // namespace esox
