// SPDX-License-Identifier: Apache-2.0
// Expressions of C, as far as reading needs them; what they are worth is evaluator.h's.
//
//   names        variables of the program, constants of the description, enumerators, the element
//   numbers      12, 0x1f, 'c'
//   x.m  p->m  a[i]  *p  &x  -x  ~x  !x
//   * / %  + -  << >>  < <= > >=  == !=  &  ^  |  &&  ||  ?:
//   sizeof(TYPE)  sizeof(EXPRESSION)  cast<TYPE>(EXPRESSION)
//
// A cast has the form of C++, so that it can be told from a name in brackets without knowing the
// types. There are no calls, assignments or loops: an expression ends, and changes nothing.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace esox {

inline constexpr size_t kMostExpressionBytes = 4096;
inline constexpr int kMostExpressionDepth = 64;

struct Expression;
using ExpressionPtr = std::shared_ptr<const Expression>;

struct Expression {
  enum class Kind {
    kNumber,
    kName,
    kUnary,        // op: - ~ ! * &
    kBinary,       // op as written
    kConditional,  // parts: condition, then, else
    kMember,       // parts: object; text: member; op: "." or "->"
    kIndex,        // parts: array, index
    kCast,         // text: type; parts: what
    kSizeOf,       // text: what it is of, a type or a name; or parts: an expression
  };
  Kind kind = Kind::kNumber;
  std::string op;
  std::string text;
  uint64_t number = 0;
  std::vector<ExpressionPtr> parts;
};

// Throws FrozenError, which says where in the text and what is wrong.
ExpressionPtr parse_expression(std::string_view text);

}  // namespace esox
