// SPDX-License-Identifier: Apache-2.0
// See value_rows.h.
#include "harness/findings/minimise/value_rows.h"

#include <algorithm>

#include "inputs/statement.h"
#include "inputs/tokens.h"

namespace esox {
namespace {

bool is_symbol(const Token& token, const char* symbol) {
  return token.kind == Token::Kind::kSymbol && token.depth == 0 && token.text == symbol;
}

bool is_values(const Token& token) {
  return token.kind == Token::Kind::kWord && token.depth == 0 && !token.member &&
         (token.text == "VALUES" || token.text == "VALUE");
}

}  // namespace

std::vector<TextSpan> value_rows(std::string_view text) {
  const std::string kind = statement_kind(text);
  if (kind != "INSERT" && kind != "REPLACE") return {};
  const std::vector<Token> tokens = tokens_of(text);
  auto token = std::find_if(tokens.begin(), tokens.end(), is_values);
  if (token == tokens.end()) return {};
  std::vector<TextSpan> rows;
  for (++token; token != tokens.end() && is_symbol(*token, "(");) {
    const auto close =
        std::find_if(token + 1, tokens.end(), [](const Token& one) { return is_symbol(one, ")"); });
    if (close == tokens.end()) return {};
    rows.push_back({token->begin, close->begin + close->length});
    token = close + 1;
    if (token == tokens.end() || !is_symbol(*token, ",")) break;
    ++token;
  }
  return rows;
}

std::string with_rows(std::string_view text, const std::vector<TextSpan>& rows,
                      const std::vector<size_t>& kept) {
  std::string smaller(text.substr(0, rows.front().begin));
  for (const size_t row : kept) {
    if (row != kept.front()) smaller += ",";
    smaller += text.substr(rows[row].begin, rows[row].end - rows[row].begin);
  }
  return smaller + std::string(text.substr(rows.back().end));
}

}  // namespace esox
