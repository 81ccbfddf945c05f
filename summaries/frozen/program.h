// SPDX-License-Identifier: Apache-2.0
// What the expressions of a description may name: a program's static variables, types and
// enumerators.
//
// Two programs are real: one on disk (to check a description against) and one in a process, where
// addresses are those of its memory (program_image.h). Tests have made-up ones.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "summaries/frozen/type.h"

namespace esox {

// What a name stands for: an enumerator's number, or else a variable.
struct Meaning {
  std::optional<int64_t> number;
  uint64_t address = 0;
  const Type* type = nullptr;  // null: only the variable's address is known
};

class Program {
 public:
  virtual ~Program() = default;

  // `unit`: the compile unit ("items.c", a path's end) to take a variable from if several have one
  // of that name; may be empty. Throws FrozenError: there is none, or several.
  virtual Meaning meaning(std::string_view name, std::string_view unit) = 0;
  // "item", "struct node", "ns::T". Throws FrozenError.
  virtual const Type* type(std::string_view name) = 0;
  virtual const Type* pointer_to(const Type* target) = 0;
};

}  // namespace esox
