// SPDX-License-Identifier: Apache-2.0
#include "summaries/frozen/evaluator.h"

#include <fmt/format.h>

#include "summaries/frozen/errors.h"

namespace esox {
namespace {

constexpr uint32_t kNumberBits = 64;

bool is_pointer(const Value& value) {
  return value.type != nullptr && value.type->kind == TypeKind::kPointer;
}

std::string kind_text(const Value& value) {
  return value.type != nullptr ? name_of(*value.type) : "a number";
}

uint64_t widened(uint64_t raw, uint32_t bits, bool is_signed) {
  if (bits == 0 || bits >= kNumberBits) return raw;
  const uint64_t mask = (uint64_t{1} << bits) - 1;
  raw &= mask;
  const bool negative = is_signed && (raw >> (bits - 1) & 1) != 0;
  return negative ? raw | ~mask : raw;
}

// How far apart are the things that a pointer of this type goes over.
uint64_t step_of(const Type* pointer) {
  const Type* target = pointer->target;
  if (target == nullptr || target->kind == TypeKind::kVoid) return 1;
  if (target->bytes == 0) {
    throw FrozenError(fmt::format("the size of {} is not known", name_of(*target)));
  }
  return target->bytes;
}

bool is_whole(const Type& type) {
  return type.kind == TypeKind::kInteger || type.kind == TypeKind::kEnum ||
         type.kind == TypeKind::kPointer;
}

}  // namespace

Value number_value(uint64_t number, bool is_unsigned) {
  Value value;
  value.number = number;
  value.is_unsigned = is_unsigned;
  return value;
}

Value pointer_value(const Type* pointer, uint64_t address) {
  Value value = number_value(address, true);
  value.type = pointer;
  return value;
}

Value place_value(const Type* type, uint64_t address) {
  Value value;
  value.type = type;
  value.in_memory = true;
  value.address = address;
  return value;
}

Evaluator::Evaluator(Program& program, Memory& memory,
                     const std::map<std::string, int64_t>& constants, std::string unit)
    : program_(program), memory_(memory), constants_(constants), unit_(std::move(unit)) {}

Value Evaluator::evaluate(const Expression& expression) {
  switch (expression.kind) {
    case Expression::Kind::kNumber:
      return number_value(expression.number, expression.number >> 63 != 0);
    case Expression::Kind::kName:
      return name(expression.text);
    case Expression::Kind::kUnary:
      return unary(expression);
    case Expression::Kind::kBinary:
      return binary(expression);
    case Expression::Kind::kConditional:
      return conditional(expression);
    case Expression::Kind::kMember: {
      const Value object = evaluate(*expression.parts[0]);
      if (expression.op == "->") return member(dereference(object), expression.text);
      if (is_pointer(object)) {
        throw FrozenError(fmt::format("'.{0}' of a pointer ({1}); write '->{0}'", expression.text,
                                      kind_text(object)));
      }
      return member(object, expression.text);
    }
    case Expression::Kind::kIndex:
      return element(evaluate(*expression.parts[0]), number(load(evaluate(*expression.parts[1]))));
    case Expression::Kind::kCast:
      return cast(expression);
    case Expression::Kind::kSizeOf:
      return size_of(expression);
  }
  throw FrozenError("an expression of no known kind");
}

Value Evaluator::name(const std::string& text) {
  if (const auto local = locals_.find(text); local != locals_.end()) return local->second;
  if (const auto constant = constants_.find(text); constant != constants_.end()) {
    return number_value(static_cast<uint64_t>(constant->second));
  }
  if (const auto known = known_.find(text); known != known_.end()) return known->second;
  const Meaning meaning = program_.meaning(text, unit_);
  const Value value = meaning.number ? number_value(static_cast<uint64_t>(*meaning.number))
                                     : place_value(meaning.type, meaning.address);
  known_.emplace(text, value);
  return value;
}

Value Evaluator::unary(const Expression& expression) {
  const Value operand = evaluate(*expression.parts[0]);
  if (expression.op == "*") return dereference(operand);
  if (expression.op == "&") {
    return pointer_value(program_.pointer_to(operand.type), address_of(operand));
  }
  const Value loaded = load(operand);
  const uint64_t value = number(loaded);
  if (expression.op == "!") return number_value(value == 0 ? 1 : 0);
  if (expression.op == "~") return number_value(~value, loaded.is_unsigned);
  return number_value(0 - value, loaded.is_unsigned);
}

Value Evaluator::moved(const Value& pointer, uint64_t by) {
  return pointer_value(pointer.type, pointer.number + by * step_of(pointer.type));
}

Value Evaluator::logical(const Expression& expression) {
  const bool left = truth(evaluate(*expression.parts[0]));
  const bool decided = expression.op == "&&" ? !left : left;
  if (decided && !check_everything_) return number_value(left ? 1 : 0);
  const bool right = truth(evaluate(*expression.parts[1]));
  return number_value((expression.op == "&&" ? left && right : left || right) ? 1 : 0);
}

Value Evaluator::binary(const Expression& expression) {
  const std::string& op = expression.op;
  if (op == "&&" || op == "||") return logical(expression);
  const Value left = load(evaluate(*expression.parts[0]));
  const Value right = load(evaluate(*expression.parts[1]));
  const uint64_t a = number(left);
  const uint64_t b = number(right);
  if (is_pointer(left) && is_pointer(right) && op == "-") {
    return number_value(static_cast<uint64_t>(static_cast<int64_t>(a - b) /
                                              static_cast<int64_t>(step_of(left.type))));
  }
  if (is_pointer(left) && !is_pointer(right) && op == "+") return moved(left, b);
  if (is_pointer(left) && !is_pointer(right) && op == "-") return moved(left, 0 - b);
  if (is_pointer(right) && !is_pointer(left) && op == "+") return moved(right, a);
  const bool is_unsigned = left.is_unsigned || right.is_unsigned;
  const bool compares =
      op == "==" || op == "!=" || op == "<" || op == "<=" || op == ">" || op == ">=";
  return number_value(arithmetic(op, a, b, is_unsigned), is_unsigned && !compares);
}

uint64_t Evaluator::arithmetic(const std::string& op, uint64_t a, uint64_t b, bool is_unsigned) {
  const auto x = static_cast<int64_t>(a);
  const auto y = static_cast<int64_t>(b);
  if (op == "+") return a + b;
  if (op == "-") return a - b;
  if (op == "*") return a * b;
  if (op == "&") return a & b;
  if (op == "|") return a | b;
  if (op == "^") return a ^ b;
  if (op == "==") return a == b ? 1 : 0;
  if (op == "!=") return a != b ? 1 : 0;
  if (op == "<") return (is_unsigned ? a < b : x < y) ? 1 : 0;
  if (op == "<=") return (is_unsigned ? a <= b : x <= y) ? 1 : 0;
  if (op == ">") return (is_unsigned ? a > b : x > y) ? 1 : 0;
  if (op == ">=") return (is_unsigned ? a >= b : x >= y) ? 1 : 0;
  if (op == "<<") return b < kNumberBits ? a << b : 0;
  if (op == ">>" && b >= kNumberBits) return is_unsigned || x >= 0 ? 0 : ~uint64_t{0};
  if (op == ">>") return is_unsigned ? a >> b : static_cast<uint64_t>(x >> b);
  if (b == 0) {  // what else is there to do: the state has a zero where none should be
    if (check_everything_) return 0;
    throw Unreadable();
  }
  if (is_unsigned) return op == "/" ? a / b : a % b;
  if (y == -1) return op == "/" ? 0 - a : 0;  // the one that overflows
  return static_cast<uint64_t>(op == "/" ? x / y : x % y);
}

Value Evaluator::conditional(const Expression& expression) {
  const bool yes = truth(evaluate(*expression.parts[0]));
  if (check_everything_) load(evaluate(*expression.parts[yes ? 2 : 1]));
  return evaluate(*expression.parts[yes ? 1 : 2]);
}

const Type* Evaluator::type_named(const std::string& words) {
  if (const auto known = types_.find(words); known != types_.end()) return known->second;
  std::string base = words;
  size_t stars = 0;
  while (base.ends_with('*') || base.ends_with(' ')) {
    stars += base.back() == '*' ? 1 : 0;
    base.pop_back();
  }
  if (base.starts_with("const ")) base.erase(0, 6);
  const Type* type = program_.type(base);
  for (size_t i = 0; i < stars; ++i) type = program_.pointer_to(type);
  types_.emplace(words, type);
  return type;
}

Value Evaluator::cast(const Expression& expression) {
  const Type* type = type_named(expression.text);
  if (!is_whole(*type)) {
    throw FrozenError(
        fmt::format("a cast to {}; cast to a number or a pointer, as in *cast<{} *>(...)",
                    name_of(*type), name_of(*type)));
  }
  const uint64_t value = number(load(evaluate(*expression.parts[0])));
  if (type->kind == TypeKind::kPointer) return pointer_value(type, value);
  const auto bits = static_cast<uint32_t>(type->bytes * 8);
  return number_value(widened(value, bits, type->is_signed),
                      !type->is_signed && bits >= kNumberBits);
}

Value Evaluator::size_of(const Expression& expression) {
  if (!expression.parts.empty()) {
    const Value value = evaluate(*expression.parts[0]);
    return number_value(value.type != nullptr ? value.type->bytes : sizeof(uint64_t));
  }
  if (const auto local = locals_.find(expression.text);
      local != locals_.end() && local->second.type != nullptr) {
    return number_value(local->second.type->bytes);
  }
  return number_value(type_named(expression.text)->bytes);
}

Value Evaluator::load(const Value& value) {
  if (!value.in_memory) return value;
  if (value.type == nullptr) {
    throw FrozenError(
        "its type is not known, for there is no debug information on it; write *cast<TYPE "
        "*>(&...)");
  }
  if (value.type->kind == TypeKind::kArray) {
    return pointer_value(program_.pointer_to(value.type->target), value.address);
  }
  if (!is_whole(*value.type)) return value;
  uint64_t raw = 0;
  const uint64_t bytes = value.type->bytes;
  if (bytes == 0 || bytes > sizeof raw) {
    throw FrozenError(fmt::format("{} is too large for a number", name_of(*value.type)));
  }
  // A bit-field's own storage may reach beyond its type's (packed structs).
  const uint64_t used = value.bits == 0 ? bytes : (value.bit_offset + value.bits + 7) / 8;
  if (used > sizeof raw) throw FrozenError("a bit-field across more than 8 bytes");
  if (!memory_.read(value.address, &raw, used)) throw Unreadable();
  if (value.type->kind == TypeKind::kPointer) return pointer_value(value.type, raw);
  const auto bits = value.bits == 0 ? static_cast<uint32_t>(bytes * 8) : value.bits;
  Value loaded = number_value(widened(raw >> value.bit_offset, bits, value.type->is_signed),
                              !value.type->is_signed && bits >= kNumberBits);
  loaded.type = value.type->kind == TypeKind::kEnum ? value.type : nullptr;
  return loaded;
}

uint64_t Evaluator::number(const Value& value) {
  if (value.in_memory) {
    const Value loaded = load(value);
    if (!loaded.in_memory) return loaded.number;
    throw FrozenError(fmt::format("{} is no number; name one of its members", kind_text(value)));
  }
  return value.number;
}

uint64_t Evaluator::address_of(const Value& value) {
  if (value.in_memory && value.bits == 0) return value.address;
  throw FrozenError("'&' of what has no address");
}

Value Evaluator::member(const Value& object, std::string_view name) {
  if (object.type == nullptr || object.type->kind != TypeKind::kStruct || !object.in_memory) {
    throw FrozenError(
        fmt::format("{} has no member '{}', for it is no struct", kind_text(object), name));
  }
  const std::optional<Member> found = find_member(*object.type, name);
  if (!found || found->type == nullptr) {
    const bool incomplete = object.type->members.empty();
    throw FrozenError(
        fmt::format("{} has no member '{}'{}", kind_text(object), name,
                    incomplete ? "; its definition is not in the debug information" : ""));
  }
  Value value = place_value(found->type, object.address + found->offset);
  value.bit_offset = found->bit_offset;
  value.bits = found->bits;
  return value;
}

Value Evaluator::dereference(const Value& pointer) {
  const Value loaded = load(pointer);
  if (!is_pointer(loaded)) {
    throw FrozenError(fmt::format("{} is no pointer; use cast<TYPE *>(...)", kind_text(pointer)));
  }
  const Type* target = loaded.type->target;
  if (target == nullptr || target->kind == TypeKind::kVoid) {
    throw FrozenError("a void pointer leads to nothing known; use cast<TYPE *>(...)");
  }
  return place_value(target, loaded.number);
}

Value Evaluator::element(const Value& array, uint64_t index) {
  const Value loaded = load(array);
  if (!is_pointer(loaded)) {
    throw FrozenError(fmt::format("{} is no array or pointer", kind_text(array)));
  }
  return dereference(moved(loaded, index));
}

double Evaluator::real(const Value& value) {
  (void)load(value);  // says so if nothing is known of it
  if (value.type == nullptr || value.type->kind != TypeKind::kFloat || !value.in_memory) {
    throw FrozenError(fmt::format("{} is no floating-point number", kind_text(value)));
  }
  if (value.type->bytes == sizeof(float)) {
    float one = 0;
    if (!memory_.read(value.address, &one, sizeof one)) throw Unreadable();
    return one;
  }
  if (value.type->bytes != sizeof(double)) {
    throw FrozenError(fmt::format("{} cannot be read", kind_text(value)));
  }
  double one = 0;
  if (!memory_.read(value.address, &one, sizeof one)) throw Unreadable();
  return one;
}

}  // namespace esox
