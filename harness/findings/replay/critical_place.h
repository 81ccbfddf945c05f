// SPDX-License-Identifier: Apache-2.0
// Where in an execution is the switch that a diagnosis calls critical?
//
// The diagnosis tells of a shorter schedule than the one that was recorded, so the switch is looked
// for by who is replaced by whom, and at which call.
//
// Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "analysis/execution_record.h"
#include "analysis/symbols.h"
#include "inputs/input.h"

namespace esox {

// As diagnosis.json has it.
struct CriticalPlace {
  std::string from;      // client
  std::string to;        // client
  std::string site;      // of the operation that `from` stands before
  std::string function;  // that called it
  std::string sentence;
};

// Nothing if the text holds no critical switch, or makes no sense.
std::optional<CriticalPlace> critical_place(const std::string& diagnosis_json);

struct FoundSwitch {
  uint64_t point = 0;  // of the execution
  ThreadId from = kNoThread;
  ThreadId to = kNoThread;
  bool critical = false;  // it is the one of the diagnosis
};

// The critical switch; where there is none, the last one at which a thread was replaced that could
// have gone on; else the last one. Nothing in an execution without switches.
std::optional<FoundSwitch> deciding_switch(const ExecutionRecord& record, const Input& input,
                                           Symbols& symbols,
                                           const std::optional<CriticalPlace>& critical);

}  // namespace esox
