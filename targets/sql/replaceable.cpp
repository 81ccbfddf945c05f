// SPDX-License-Identifier: Apache-2.0
// The parts of a statement that others of their type can take the place of: names that the server
// holds, and values written out. A name is of the type of which the server has it; where it has
// several, the words before and after it decide.
//
// Left alone are the numbers that are no values: of LIMIT, of types (VARCHAR(20)), of time-outs,
// and of what follows a word or '=' that is an option's. Where this errs, the statement made fails,
// and its template rests.

#include <algorithm>
#include <cctype>
#include <map>
#include <set>

#include "base/text/letters.h"
#include "targets/sql/language.h"
#include "targets/sql/tokens.h"

namespace esox {
namespace {

// Words after which a number or a text is a value.
constexpr std::string_view kBeforeValues[] = {"VALUES", "BETWEEN", "AND",  "OR",
                                              "IN",     "LIKE",    "SET",  "WHERE",
                                              "THEN",   "ELSE",    "WHEN", "SELECT"};
constexpr std::string_view kBeforeTables[] = {"TABLE",  "TABLES", "FROM",    "INTO",
                                              "UPDATE", "JOIN",   "HANDLER", "REFERENCES"};
// Kinds in which numbers and texts are values; elsewhere they are options.
constexpr std::string_view kWithValues[] = {"SELECT", "INSERT", "REPLACE", "UPDATE",
                                            "DELETE", "WITH",   "HANDLER", "DO"};

using ByName = std::multimap<std::string, const Holding*>;

bool is_number(const Token& token) {
  return token.kind == Token::Kind::kWord && std::ranges::all_of(token.text, [](char c) {
           return std::isdigit(static_cast<unsigned char>(c)) != 0;
         });
}

// "2030-01-01" and what begins so.
bool is_date(std::string_view text) {
  constexpr std::string_view kForm = "dddd-dd-dd";
  if (text.size() < kForm.size()) return false;
  for (size_t i = 0; i < kForm.size(); ++i) {
    const bool digit = std::isdigit(static_cast<unsigned char>(text[i])) != 0;
    if (kForm[i] == 'd' ? !digit : text[i] != kForm[i]) return false;
  }
  return true;
}

class Parts {
 public:
  Parts(std::string_view text, const Holdings& holdings, bool with_values)
      : text_(text), tokens_(tokens_of(text)), with_values_(with_values) {
    for (const Holding& one : holdings) by_name_.emplace(lower(unquoted(one.name)), &one);
  }

  std::vector<ReplaceablePart> run() {
    note_tables();
    for (size_t i = 0; i < tokens_.size(); ++i) {
      if (!add_name(i) && with_values_) add_value(i);
    }
    return std::move(parts_);
  }

 private:
  static std::string unquoted(std::string_view name) {
    return std::string(name.starts_with('`') && name.ends_with('`') && name.size() > 2
                           ? name.substr(1, name.size() - 2)
                           : name);
  }

  bool is_before_table(size_t i) const {
    return i > 0 && is_one_of(kBeforeTables, tokens_[i - 1].text);
  }
  bool is_symbol_at(size_t i, std::string_view symbol) const {
    return i < tokens_.size() && is_symbol(tokens_[i], symbol);
  }

  // Tables that the statement names: a column is one of these.
  void note_tables() {
    for (const Token& token : tokens_) {
      const auto [first, last] = by_name_.equal_range(lower(identifier(text_, token)));
      for (auto one = first; one != last; ++one) {
        if (one->second->of.empty()) named_.insert(one->second->name);
      }
    }
  }

  // "t2.id": of t2, unless that is an alias.
  bool may_be_of(size_t i, const std::string& owner) const {
    if (!tokens_[i].member || i < 2) return true;
    const std::string qualifier = lower(identifier(text_, tokens_[i - 2]));
    return qualifier == lower(unquoted(owner)) || !by_name_.contains(qualifier);
  }

  const Holding* holding_at(size_t i) const {
    const std::string name = lower(identifier(text_, tokens_[i]));
    if (name.empty()) return nullptr;
    const auto [first, last] = by_name_.equal_range(name);
    const Holding* best = nullptr;
    for (auto one = first; one != last; ++one) {
      const Holding& holding = *one->second;
      const bool owner = holding.of.empty();
      if (!owner && (!named_.contains(holding.of) || !may_be_of(i, holding.of))) continue;
      const bool wants_owner = is_before_table(i) || is_symbol_at(i + 1, ".");
      if (best == nullptr || (wants_owner && owner)) best = &holding;
    }
    return best;
  }

  bool add_name(size_t i) {
    const Token& token = tokens_[i];
    const bool is_call = is_symbol_at(i + 1, "(") && token.kind == Token::Kind::kWord;
    const Holding* holding = holding_at(i);
    if (holding == nullptr) return false;
    if (is_call && !holding->of.empty()) return false;
    parts_.push_back(
        {{token.begin, token.begin + token.length}, holding->type, holding->of, holding->detail});
    return true;
  }

  void add_value(size_t i) {
    const Token& token = tokens_[i];
    const bool number = is_number(token);
    const std::string_view raw = text_.substr(token.begin, token.length);
    const bool quoted = token.kind == Token::Kind::kQuoted && !raw.starts_with('`');
    if ((!number && !quoted) || !is_value_at(i)) return;
    const std::string_view inside = quoted && raw.size() > 2 ? raw.substr(1) : "";
    parts_.push_back({{token.begin, token.begin + token.length},
                      "value",
                      "",
                      number            ? "int"
                      : is_date(inside) ? "date"
                                        : "varchar"});
  }

  // By what is before it and after it: no part of a decimal number, a call, a doubled quote.
  bool is_value_at(size_t i) const {
    if (i == 0 || is_symbol_at(i - 1, ".") || is_symbol_at(i + 1, ".")) return false;
    if (i + 1 < tokens_.size() && tokens_[i + 1].kind == Token::Kind::kQuoted) return false;
    const Token& before = tokens_[i - 1];
    if (before.kind == Token::Kind::kQuoted) return false;
    if (before.kind == Token::Kind::kWord) return is_one_of(kBeforeValues, before.text);
    if (before.text != "(") return before.text != "@" && before.text != "-";
    return i < 2 || tokens_[i - 2].kind == Token::Kind::kSymbol ||
           is_one_of(kBeforeValues, tokens_[i - 2].text);
  }

  std::string_view text_;
  std::vector<Token> tokens_;
  bool with_values_;
  ByName by_name_;
  std::set<std::string> named_;
  std::vector<ReplaceablePart> parts_;
};

}  // namespace

std::vector<ReplaceablePart> SqlLanguage::replaceable(std::string_view text,
                                                      const Holdings& holdings) const {
  return Parts(text, holdings, is_one_of(kWithValues, kind(text))).run();
}

}  // namespace esox
