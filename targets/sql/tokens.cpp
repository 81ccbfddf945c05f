// SPDX-License-Identifier: Apache-2.0
// One forward pass over the text. See tokens.h.
#include "targets/sql/tokens.h"

#include <cctype>
#include <utility>

#include "base/text/letters.h"
#include "inputs/limits.h"

namespace esox {
namespace {

class Lexer {
 public:
  explicit Lexer(std::string_view text) : text_(text) {}

  std::vector<Token> run() {
    while (at_ < text_.size() && !ended_) step();
    return std::move(tokens_);
  }

 private:
  bool starts(std::string_view prefix) const { return text_.substr(at_).starts_with(prefix); }

  void step() {
    const char c = text_[at_];
    if (is_space(c)) {
      ++at_;
    } else if (c == '#' || is_dash_comment()) {
      at_ = std::min(text_.find('\n', at_), text_.size());
    } else if (starts("/*!") || starts("/*M!")) {
      open_executable_comment();
    } else if (starts("/*")) {
      skip_past("*/", at_ + 2);
    } else if (executable_comments_ > 0 && starts("*/")) {
      --executable_comments_;
      at_ += 2;
    } else if (c == '\'' || c == '"' || c == '`') {
      quoted_text(c);
    } else if (is_word_character(c)) {
      word();
    } else {
      symbol(c);
    }
  }

  // "--" begins a comment only before a blank or the end: 1--1 is arithmetic.
  bool is_dash_comment() const {
    if (!starts("--")) return false;
    return at_ + 2 >= text_.size() || static_cast<unsigned char>(text_[at_ + 2]) <= ' ';
  }

  void open_executable_comment() {
    ++executable_comments_;
    at_ = text_.find('!', at_) + 1;
    while (at_ < text_.size() && std::isdigit(static_cast<unsigned char>(text_[at_]))) ++at_;
  }

  void skip_past(std::string_view end, size_t from) {
    const size_t found = text_.find(end, from);
    at_ = found == std::string_view::npos ? text_.size() : found + end.size();
  }

  // A doubled quote reads as two adjacent texts: harmless, as their content is not kept.
  void quoted_text(char quote) {
    const size_t begin = at_++;
    while (at_ < text_.size() && text_[at_] != quote) {
      at_ += text_[at_] == '\\' && quote != '`' ? 2 : 1;
    }
    at_ = std::min(at_ + 1, text_.size());
    add(Token::Kind::kQuoted, "", begin);
  }

  void word() {
    const size_t begin = at_;
    while (at_ < text_.size() && is_word_character(text_[at_])) ++at_;
    std::string text(text_.substr(begin, at_ - begin));
    text = upper(text);
    add(Token::Kind::kWord, std::move(text), begin);
  }

  void symbol(char c) {
    ++at_;
    if (c == ')' && depth_ > 0) --depth_;
    if (c == ';') {
      ended_ = !tokens_.empty();
      return;
    }
    add(Token::Kind::kSymbol, std::string(1, c), at_ - 1);
    if (c == '(') ++depth_;
  }

  void add(Token::Kind kind, std::string text, size_t begin) {
    const bool member = !tokens_.empty() && tokens_.back().text == ".";
    tokens_.push_back({kind, std::move(text), depth_, member, begin, at_ - begin});
  }

  std::string_view text_;
  std::vector<Token> tokens_;
  size_t at_ = 0;
  int depth_ = 0;
  int executable_comments_ = 0;
  bool ended_ = false;
};

}  // namespace

std::vector<Token> tokens_of(std::string_view text) {
  return Lexer(text.substr(0, kMaxStatementBytes + 1)).run();
}

bool is_keyword(const Token& token, std::string_view word) {
  return token.kind == Token::Kind::kWord && !token.member && token.text == word;
}

bool is_symbol(const Token& token, std::string_view symbol) {
  return token.kind == Token::Kind::kSymbol && token.text == symbol;
}

bool locks_rows(Tokens tokens) {
  for (size_t i = 0; i + 1 < tokens.size(); ++i) {
    const bool locks = is_keyword(tokens[i + 1], "UPDATE") || is_keyword(tokens[i + 1], "SHARE");
    if (is_keyword(tokens[i], "FOR") && locks) return true;
    if (is_keyword(tokens[i], "LOCK") && is_keyword(tokens[i + 1], "IN")) return true;
  }
  return false;
}

bool has_word(Tokens tokens, std::string_view word) {
  return std::ranges::any_of(tokens, [&](const Token& token) {
    return token.kind == Token::Kind::kWord && token.text == word;
  });
}

std::string identifier(std::string_view text, const Token& token) {
  const std::string_view raw = text.substr(token.begin, token.length);
  if (token.kind == Token::Kind::kSymbol || raw.empty()) return "";
  if (token.kind == Token::Kind::kWord) {
    return std::isdigit(static_cast<unsigned char>(raw[0])) != 0 ? "" : std::string(raw);
  }
  if (raw.front() != '`' || raw.size() < 3 || raw.back() != '`') return "";
  return std::string(raw.substr(1, raw.size() - 2));
}

bool is_word_character(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return std::isalnum(byte) != 0 || c == '_' || c == '$' || byte >= 0x80;
}

bool is_definition(std::string_view verb) {
  return verb == "CREATE" || verb == "ALTER" || verb == "DROP";
}

std::string quoted_name(const std::string& name) {
  std::string quoted = "`";
  for (const char c : name) {
    if (c == '`') quoted.push_back('`');
    quoted.push_back(c);
  }
  return quoted + "`";
}

}  // namespace esox
