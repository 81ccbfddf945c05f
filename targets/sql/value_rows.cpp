// SPDX-License-Identifier: Apache-2.0
// The rows of INSERT ... VALUES (1),(2),(3), parentheses included, as places of its text. Where
// this errs, the smaller statement fails, and is not taken.

#include <algorithm>

#include "targets/sql/language.h"
#include "targets/sql/tokens.h"

namespace esox {
namespace {

bool is_outer_symbol(const Token& token, std::string_view symbol) {
  return token.depth == 0 && is_symbol(token, symbol);
}

bool is_values(const Token& token) {
  return token.kind == Token::Kind::kWord && token.depth == 0 && !token.member &&
         (token.text == "VALUES" || token.text == "VALUE");
}

}  // namespace

std::vector<TextSpan> SqlLanguage::removable(std::string_view text) const {
  const std::string verb = kind(text);
  if (verb != "INSERT" && verb != "REPLACE") return {};
  const std::vector<Token> tokens = tokens_of(text);
  auto token = std::ranges::find_if(tokens, is_values);
  if (token == tokens.end()) return {};
  std::vector<TextSpan> rows;
  for (++token; token != tokens.end() && is_outer_symbol(*token, "(");) {
    const auto close = std::find_if(token + 1, tokens.end(),
                                    [](const Token& one) { return is_outer_symbol(one, ")"); });
    if (close == tokens.end()) return {};
    rows.push_back({token->begin, close->begin + close->length});
    token = close + 1;
    if (token == tokens.end() || !is_outer_symbol(*token, ",")) break;
    ++token;
  }
  return rows;
}

}  // namespace esox
