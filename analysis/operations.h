// SPDX-License-Identifier: Apache-2.0
// What each thread of an execution did before its switches, told so that another build of the
// server can be compared with it: each operation by its kind, the name of what it acted on, and the
// function that called it. A finding keeps this beside its choices, which are mere numbers; where
// the program has changed, a replay finds the places of the switches again by it
// (harness/findings/replay/realignment.h).
//
// Developers want to reproduce a failure also after they have added logging or a patch.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "analysis/execution_record.h"
#include "analysis/symbols.h"

namespace esox {

// Of one thread; what comes later is not kept.
inline constexpr size_t kMaxKeptOperations = 20'000;

struct OperationName {
  OpKind kind = OpKind::kNone;
  std::string object;    // of a static lock or a file, its digits as '#'; empty: no name of its own
  std::string function;  // that called it; without a name, its module's
  std::string site;      // the same with the offset: equal within one build only
  bool operator==(const OperationName&) const = default;
};

struct Operations {
  std::vector<OperationName> names;       // each once, in the order of first use
  std::vector<std::vector<uint32_t>> of;  // by thread: its own points from the 1st, as `names`
  bool empty() const { return of.empty(); }
  bool operator==(const Operations&) const = default;
};

// Up to each thread's last switch away; `whole`: up to its end.
Operations operations_of(const ExecutionRecord& record, Symbols& symbols, bool whole = false);

// "lock mutex", "unlocked rwlock", "request begins": one text for each kind, and back.
std::string kind_text(OpKind kind);
OpKind kind_from_text(const std::string& text);  // kNone: no such kind

// "0-12 3 5x4": ascending neighbours and repetitions, shortened.
std::string packed(const std::vector<uint32_t>& numbers);
// False: it makes no sense, or is longer than `most`.
bool unpack(const std::string& text, size_t most, std::vector<uint32_t>& numbers);

}  // namespace esox
