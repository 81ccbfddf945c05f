// SPDX-License-Identifier: Apache-2.0
// What an input is, apart from names and values: two of the same shape test the same thing. Its
// statements with `?` for values, a number for each object (1 for the first named, and so on) and
// nothing for other names, its engines and its options.

#include <cctype>
#include <map>
#include <set>
#include <string_view>
#include <vector>

#include "inputs/input.h"
#include "targets/sql/language.h"
#include "targets/sql/tokens.h"

namespace esox {
namespace {

constexpr size_t kMostShapeBytes = 4000;  // of one statement: what follows no longer matters

// The names that setup and requests create or use as tables: told by what stands before them.
const std::set<std::string_view>& before_tables() {
  static const std::set<std::string_view> kWords = {
      "TABLE",   "TABLES",   "FROM",   "INTO",    "UPDATE",  "JOIN",      "VIEW",
      "ON",      "LIKE",     "EXISTS", "CALL",    "HANDLER", "PROCEDURE", "FUNCTION",
      "TRIGGER", "SEQUENCE", "INSERT", "REPLACE", "IGNORE",  "TRUNCATE"};
  return kWords;
}

class Shaper {
 public:
  std::string shape(const std::string& text) {
    std::string shaped;
    const std::vector<Token> tokens = tokens_of(text);
    for (size_t i = 0; i < tokens.size() && shaped.size() < kMostShapeBytes; ++i) {
      append(shaped, word_of(text, tokens, i));
    }
    return shaped;
  }

 private:
  std::string word_of(const std::string& text, const std::vector<Token>& tokens, size_t i) {
    const Token& token = tokens[i];
    if (token.kind == Token::Kind::kSymbol) return token.text;
    const std::string name = identifier(text, token);
    if (name.empty()) return "?";
    const auto known = roles_.find(name);
    if (known != roles_.end()) return known->second;
    if (i > 0 && before_tables().contains(tokens[i - 1].text) && !is_reserved(token)) {
      return roles_.emplace(name, "#" + std::to_string(roles_.size() + 1)).first->second;
    }
    // Names of columns and the like are in small letters in nearly all of the suite.
    return is_keyword_like(text, token) ? token.text : "n";
  }

  static bool is_reserved(const Token& token) {
    static const std::set<std::string_view> kWords = {
        "SELECT", "IF",      "NOT",    "EXISTS",       "TABLE",         "INTO",   "FROM",
        "VALUES", "DELAYED", "IGNORE", "LOW_PRIORITY", "HIGH_PRIORITY", "UPDATE", "DUPLICATE"};
    return token.kind == Token::Kind::kWord && kWords.contains(token.text);
  }

  // Longer than a column's name usually is: "a", "b1", "id".
  static bool is_keyword_like(const std::string& text, const Token& token) {
    if (token.kind != Token::Kind::kWord || token.member) return false;
    if (token.length <= 2)
      return token.text == "IF" || token.text == "AS" || token.text == "ON" || token.text == "OR" ||
             token.text == "IN" || token.text == "IS" || token.text == "BY" || token.text == "TO";
    for (const char c : std::string_view(text).substr(token.begin, token.length)) {
      if (std::isdigit(static_cast<unsigned char>(c)) != 0) return false;
    }
    return true;
  }

  // Lists of values of any length are one.
  static void append(std::string& shaped, const std::string& word) {
    shaped += word + " ";
    for (const std::string_view repeated :
         {"? , ? ", "n , n ", "( ? ) , ( ? ) ", "- ? ", "n . n "}) {
      while (shaped.ends_with(repeated)) {
        shaped.resize(shaped.size() - repeated.size());
        shaped += repeated == "( ? ) , ( ? ) " ? "( ? ) " : repeated[0] == 'n' ? "n " : "? ";
      }
    }
  }

  std::map<std::string, std::string> roles_;
};

// ENGINE=X anywhere in the setup, by name.
void add_engines(const std::string& text, std::set<std::string>& engines) {
  const std::vector<Token> tokens = tokens_of(text);
  for (size_t i = 0; i + 1 < tokens.size(); ++i) {
    if (tokens[i].text != "ENGINE" && tokens[i].text != "TYPE") continue;
    const size_t name = tokens[i + 1].text == "=" ? i + 2 : i + 1;
    if (name < tokens.size()) engines.insert(tokens[name].text);
  }
}

}  // namespace

std::string SqlLanguage::shape(const Input& input) const {
  Shaper shaper;
  std::string shape;
  for (const InputClient& client : input.clients) {
    for (const Request& request : client.requests) shape += shaper.shape(request.text) + "; ";
    shape += "| ";
  }
  std::set<std::string> details(input.server_options.begin(), input.server_options.end());
  for (const std::string& statement : input.setup) add_engines(statement, details);
  for (const std::string& detail : details) shape += detail + " ";
  return shape;
}

}  // namespace esox
