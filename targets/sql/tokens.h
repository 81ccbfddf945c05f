// SPDX-License-Identifier: Apache-2.0
// A statement's words and symbols, each with its depth of parentheses. Comments are left out; what
// executable comments hold is kept. The limits: statement.h.
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace esox {

struct Token {
  enum class Kind { kWord, kQuoted, kSymbol };
  Kind kind;
  std::string text;  // words in capitals; symbols one character; quoted texts empty
  int depth;         // of parentheses around it; a parenthesis has the depth outside it
  bool member;       // follows a dot: a column or table name, never a keyword
  size_t begin;      // where it stands in the text, quotes included
  size_t length;
};
using Tokens = std::span<const Token>;

// Of the first of several statements separated by ';'. What lies beyond the length a statement may
// have (limits.h) is not looked at: a list of values of 16 MB would take a gigabyte. Safe on any
// bytes.
std::vector<Token> tokens_of(std::string_view text);

// `word` in capitals; not a column of that name that follows a dot.
bool is_keyword(const Token& token, std::string_view word);
bool is_symbol(const Token& token, std::string_view symbol);

inline bool is_one_of(std::span<const std::string_view> words, std::string_view word) {
  return std::ranges::find(words, word) != words.end();
}
bool has_word(Tokens tokens, std::string_view word);
// FOR UPDATE, FOR SHARE, LOCK IN SHARE MODE.
bool locks_rows(Tokens tokens);

// The identifier that a token is, without back-quotes; empty if it is none.
std::string identifier(std::string_view text, const Token& token);

// Of a name without quotes, or a keyword.
bool is_word_character(char c);

// CREATE, ALTER, DROP.
bool is_definition(std::string_view verb);

std::string quoted_name(const std::string& name);  // `a``b`

}  // namespace esox
