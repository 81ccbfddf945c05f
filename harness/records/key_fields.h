// SPDX-License-Identifier: Apache-2.0
// How records hold values of the rooms below: the key of an input, the class of a verdict.
#pragma once

#include "analysis/verdict.h"
#include "base/record/record.h"
#include "inputs/input.h"

namespace esox {

template <class F>
void each_field(F& f, Of<InputKey>) {
  f("input", &InputKey::input, kRequired);
  f("engine", &InputKey::engine);
  f("setting", &InputKey::setting);
}

inline void write_value(ValueWriter& out, VerdictClass verdict) {
  out.put(std::string(class_name(verdict)));
}

// By its name; in older memories of hunts by its number.
inline void read_value(const ValueReader& in, VerdictClass& verdict) {
  if (!in.is_string()) {
    verdict = static_cast<VerdictClass>(in.number(static_cast<uint64_t>(VerdictClass::kDegraded)));
    return;
  }
  const auto known = class_from_name(in.text());
  if (!known) in.refuse("is '" + in.text() + "', a class that this esox does not know");
  verdict = *known;
}

}  // namespace esox
