// SPDX-License-Identifier: Apache-2.0
// A lexer and a parser by precedence.
#include "summaries/frozen/expression.h"

#include <fmt/format.h>

#include <array>
#include <cctype>
#include <charconv>
#include <iterator>

#include "summaries/frozen/errors.h"

namespace esox {
namespace {

struct Token {
  enum class Kind { kEnd, kName, kNumber, kSymbol };
  Kind kind = Kind::kEnd;
  std::string text;
  uint64_t number = 0;
  size_t at = 0;
};

constexpr std::array<std::string_view, 11> kTwoCharacters = {
    "->", "<<", ">>", "<=", ">=", "==", "!=", "&&", "||", "::", "//"};

bool begins_name(char c) {
  return std::isalpha(static_cast<unsigned char>(c)) != 0 || c == '_';
}

bool is_in_name(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
}

class Lexer {
 public:
  explicit Lexer(std::string_view text) : text_(text) { next(); }

  const Token& token() const { return token_; }

  void next() {
    while (at_ < text_.size() && std::isspace(static_cast<unsigned char>(text_[at_])) != 0) ++at_;
    token_ = {};
    token_.at = at_;
    if (at_ >= text_.size()) return;
    const char c = text_[at_];
    if (begins_name(c)) return name();
    if (std::isdigit(static_cast<unsigned char>(c)) != 0) return number();
    if (c == '\'') return character();
    symbol();
  }

  [[noreturn]] void fail(const std::string& what) const {
    throw FrozenError(fmt::format("{}, at column {} of '{}'", what, token_.at + 1, text_));
  }

 private:
  // With its namespaces: "ns::name".
  void name() {
    const size_t begin = at_;
    while (at_ < text_.size()) {
      if (is_in_name(text_[at_])) {
        ++at_;
      } else if (text_.substr(at_).starts_with("::") && at_ + 2 < text_.size() &&
                 begins_name(text_[at_ + 2])) {
        at_ += 2;
      } else {
        break;
      }
    }
    token_.kind = Token::Kind::kName;
    token_.text = text_.substr(begin, at_ - begin);
  }

  void number() {
    const bool hex = text_.substr(at_).starts_with("0x");
    const char* begin = text_.data() + at_ + (hex ? 2 : 0);
    const char* end = text_.data() + text_.size();
    const auto [stop, error] = std::from_chars(begin, end, token_.number, hex ? 16 : 10);
    if (error != std::errc() || (stop != end && is_in_name(*stop))) {
      fail("this is no number; write it in decimal or as 0x...");
    }
    token_.kind = Token::Kind::kNumber;
    at_ = static_cast<size_t>(stop - text_.data());
  }

  void character() {
    if (at_ + 2 >= text_.size() || text_[at_ + 2] != '\'' || text_[at_ + 1] == '\\') {
      fail("a character is written as 'c'; write others by their number");
    }
    token_.kind = Token::Kind::kNumber;
    token_.number = static_cast<unsigned char>(text_[at_ + 1]);
    at_ += 3;
  }

  void symbol() {
    static constexpr std::string_view kOne = "+-*/%&|^~!<>()[].?:,";
    token_.kind = Token::Kind::kSymbol;
    for (const std::string_view two : kTwoCharacters) {
      if (!text_.substr(at_).starts_with(two)) continue;
      token_.text = two;
      at_ += 2;
      return;
    }
    if (kOne.find(text_[at_]) == std::string_view::npos) fail("unexpected character");
    token_.text = text_[at_++];
  }

  std::string_view text_;
  size_t at_ = 0;
  Token token_;
};

using Level = std::array<std::string_view, 4>;

// From the loosest to the tightest (C17, 6.5.5 to 6.5.14).
constexpr Level kLevels[] = {
    {"||"},       {"&&"},     {"|"},          {"^"}, {"&"}, {"==", "!="}, {"<", "<=", ">", ">="},
    {"<<", ">>"}, {"+", "-"}, {"*", "/", "%"}};

class Parser {
 public:
  explicit Parser(std::string_view text) : lexer_(text) {}

  ExpressionPtr whole() {
    ExpressionPtr expression = conditional();
    if (lexer_.token().kind != Token::Kind::kEnd) lexer_.fail("unexpected text");
    return expression;
  }

 private:
  struct Depth {
    explicit Depth(Parser& owner) : parser(owner) {
      if (++parser.depth_ > kMostExpressionDepth) {
        parser.lexer_.fail("nested too deeply; name parts of it under 'let'");
      }
    }
    ~Depth() { --parser.depth_; }
    Parser& parser;
  };

  bool is(std::string_view symbol) const {
    return lexer_.token().kind == Token::Kind::kSymbol && lexer_.token().text == symbol;
  }

  bool skip(std::string_view symbol) {
    if (!is(symbol)) return false;
    lexer_.next();
    return true;
  }

  void expect(std::string_view symbol) {
    if (!skip(symbol)) lexer_.fail(fmt::format("'{}' is missing", symbol));
  }

  static ExpressionPtr make(Expression::Kind kind, std::string op, std::string text,
                            std::vector<ExpressionPtr> parts) {
    return std::make_shared<Expression>(
        Expression{kind, std::move(op), std::move(text), 0, std::move(parts)});
  }

  ExpressionPtr conditional() {
    const Depth depth(*this);
    ExpressionPtr condition = binary(0);
    if (!skip("?")) return condition;
    ExpressionPtr yes = conditional();
    expect(":");
    ExpressionPtr no = conditional();
    return make(Expression::Kind::kConditional, "?", "",
                {std::move(condition), std::move(yes), std::move(no)});
  }

  // The operator of this level that comes next; empty if none does.
  std::string operator_of(const Level& level) const {
    for (const std::string_view symbol : level) {
      if (!symbol.empty() && is(symbol)) return std::string(symbol);
    }
    return {};
  }

  // A chain of operators nests to its left; so it counts as depth, for it is evaluated so.
  ExpressionPtr binary(size_t level) {
    if (level == std::size(kLevels)) return unary();
    ExpressionPtr left = binary(level + 1);
    int chained = 0;
    for (std::string op = operator_of(kLevels[level]); !op.empty();
         op = operator_of(kLevels[level])) {
      if (++chained > kMostExpressionDepth) lexer_.fail("too many operators in a row");
      lexer_.next();
      ExpressionPtr right = binary(level + 1);
      left =
          make(Expression::Kind::kBinary, std::move(op), "", {std::move(left), std::move(right)});
    }
    return left;
  }

  ExpressionPtr unary() {
    const Depth depth(*this);
    for (const std::string_view op : {"-", "~", "!", "*", "&"}) {
      if (!skip(op)) continue;
      return make(Expression::Kind::kUnary, std::string(op), "", {unary()});
    }
    return postfix(primary());
  }

  std::string member_name() {
    if (lexer_.token().kind != Token::Kind::kName) lexer_.fail("a member's name is missing");
    std::string name = lexer_.token().text;
    lexer_.next();
    return name;
  }

  ExpressionPtr postfix(ExpressionPtr object) {
    for (int chained = 0;; ++chained) {
      if (chained > kMostExpressionDepth) lexer_.fail("too many members in a row");
      if (skip("[")) {
        ExpressionPtr index = conditional();
        expect("]");
        object = make(Expression::Kind::kIndex, "[]", "", {std::move(object), std::move(index)});
      } else if (is(".") || is("->")) {
        std::string op = lexer_.token().text;
        lexer_.next();
        std::string name = member_name();
        object =
            make(Expression::Kind::kMember, std::move(op), std::move(name), {std::move(object)});
      } else {
        return object;
      }
    }
  }

  // Words and stars: "const struct node *".
  std::string type_name() {
    std::string name;
    while (lexer_.token().kind == Token::Kind::kName || is("*")) {
      if (!name.empty()) name += ' ';
      name += lexer_.token().text;
      lexer_.next();
    }
    if (name.empty()) lexer_.fail("the name of a type is missing");
    return name;
  }

  ExpressionPtr cast() {
    expect("<");
    std::string type = type_name();
    expect(">");
    expect("(");
    ExpressionPtr what = conditional();
    expect(")");
    return make(Expression::Kind::kCast, "", std::move(type), {std::move(what)});
  }

  // A single name may be a type or a variable; two words can only be a type.
  ExpressionPtr size_of() {
    expect("(");
    Lexer ahead = lexer_;
    while (ahead.token().kind == Token::Kind::kName) ahead.next();
    while (ahead.token().kind == Token::Kind::kSymbol && ahead.token().text == "*") ahead.next();
    const bool words = lexer_.token().kind == Token::Kind::kName &&
                       ahead.token().kind == Token::Kind::kSymbol && ahead.token().text == ")";
    ExpressionPtr made = words ? make(Expression::Kind::kSizeOf, "", type_name(), {})
                               : make(Expression::Kind::kSizeOf, "", "", {conditional()});
    expect(")");
    return made;
  }

  ExpressionPtr primary() {
    const Token token = lexer_.token();
    if (token.kind == Token::Kind::kEnd) lexer_.fail("the expression ends too early");
    if (skip("(")) {
      ExpressionPtr inner = conditional();
      expect(")");
      return inner;
    }
    if (token.kind == Token::Kind::kSymbol) lexer_.fail("a name or a number is missing");
    lexer_.next();
    if (token.kind == Token::Kind::kNumber) {
      auto number = std::make_shared<Expression>();
      number->number = token.number;
      return number;
    }
    if (token.text == "cast" && is("<")) return cast();
    if (token.text == "sizeof" && is("(")) return size_of();
    if (is("(")) lexer_.fail("functions cannot be called; nothing runs in the server");
    return make(Expression::Kind::kName, "", token.text, {});
  }

  Lexer lexer_;
  int depth_ = 0;
};

}  // namespace

ExpressionPtr parse_expression(std::string_view text) {
  if (text.size() > kMostExpressionBytes) {
    throw FrozenError(
        fmt::format("an expression is longer than {} bytes; shorten it", kMostExpressionBytes));
  }
  return Parser(text).whole();
}

}  // namespace esox
