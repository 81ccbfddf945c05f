// SPDX-License-Identifier: Apache-2.0
// What an expression is worth, on a program and a memory.
//
// All whole numbers are of 64 bits: what is loaded is widened by its type's sign, and an operation
// is unsigned where an operand is a 64-bit unsigned number or a pointer. Pointers move by what they
// lead to (void by bytes), arrays become pointers, as in C.
//
// Throws FrozenError where an expression makes no sense (no such member, a struct added), and
// Unreadable where it leads to memory that is not there: never anything else, whatever the memory
// holds.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "summaries/frozen/expression.h"
#include "summaries/frozen/memory.h"
#include "summaries/frozen/program.h"

namespace esox {

// A place in memory with a type, or a number or pointer at hand.
struct Value {
  const Type* type = nullptr;  // of a number: null
  bool in_memory = false;
  uint64_t address = 0;     // in_memory
  uint32_t bit_offset = 0;  // in_memory, of a bit-field
  uint32_t bits = 0;        // likewise; 0: none
  uint64_t number = 0;      // else
  bool is_unsigned = false;
};

Value number_value(uint64_t number, bool is_unsigned = false);
Value pointer_value(const Type* pointer, uint64_t address);
Value place_value(const Type* type, uint64_t address);

class Evaluator {
 public:
  // All must outlive it. `unit` as Program::meaning has it.
  Evaluator(Program& program, Memory& memory, const std::map<std::string, int64_t>& constants,
            std::string unit);

  // To see whether all of an expression fits its types: both sides of ?:, && and || are taken.
  void check_everything() { check_everything_ = true; }
  bool checks() const { return check_everything_; }

  // Names that stand for a value until they are set again; they come before all others.
  void set(const std::string& name, const Value& value) { locals_[name] = value; }
  void unset(const std::string& name) { locals_.erase(name); }

  Value evaluate(const Expression& expression);

  // --- What one needs of a value -------------------------------------------------------------
  // A number or pointer at hand, arrays as a pointer to their first element. Structs stay.
  Value load(const Value& value);
  uint64_t number(const Value& value);      // of an integer, enum or pointer
  uint64_t address_of(const Value& value);  // of what is in memory
  Value member(const Value& object, std::string_view name);
  Value dereference(const Value& pointer);
  Value element(const Value& array, uint64_t index);
  double real(const Value& value);  // of a float or double

  Program& program() { return program_; }
  Memory& memory() { return memory_; }
  const Type* type_named(const std::string& words);  // "struct node *"

 private:
  Value name(const std::string& text);
  Value unary(const Expression& expression);
  Value binary(const Expression& expression);
  Value logical(const Expression& expression);
  Value conditional(const Expression& expression);
  Value cast(const Expression& expression);
  Value size_of(const Expression& expression);
  Value moved(const Value& pointer, uint64_t by);
  uint64_t arithmetic(const std::string& op, uint64_t left, uint64_t right, bool is_unsigned);
  bool truth(const Value& value) { return number(load(value)) != 0; }

  Program& program_;
  Memory& memory_;
  const std::map<std::string, int64_t>& constants_;
  std::string unit_;
  bool check_everything_ = false;
  std::map<std::string, Value, std::less<>> locals_;
  std::map<std::string, Value, std::less<>> known_;        // variables and enumerators
  std::map<std::string, const Type*, std::less<>> types_;  // by their words
};

}  // namespace esox
