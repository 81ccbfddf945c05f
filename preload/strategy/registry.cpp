// SPDX-License-Identifier: Apache-2.0
#include "preload/strategy/registry.h"

#include <array>
#include <iterator>
#include <new>
#include <type_traits>

#include "preload/strategy/decimal.h"
#include "preload/strategy/parameter.h"
#include "preload/strategy/pct.h"
#include "preload/strategy/pos.h"
#include "preload/strategy/pos_star.h"
#include "preload/strategy/prefix.h"
#include "preload/strategy/random_walk.h"
#include "preload/strategy/rapos.h"
#include "preload/strategy/replay.h"
#include "preload/strategy/segments.h"
#include "preload/strategy/serial.h"
#include "preload/strategy/surw.h"
#include "preload/strategy/text.h"
#include "preload/strategy/weighted_walk.h"

namespace esox {
namespace {

struct Registration {
  StrategyKind kind;
  std::string_view name;
  std::span<const Parameter> parameters;
  Strategy* (*make)(const StrategySpec&, const StrategyTape&, std::byte* memory);
};

template <class T>
constexpr Registration registration() {
  static_assert(sizeof(T) <= kStrategyMemoryBytes);
  static_assert(alignof(T) <= kStrategyMemoryAlignment);
  static_assert(std::is_trivially_destructible_v<T>, "its memory is reused without a destructor");
  std::span<const Parameter> parameters;
  if constexpr (requires { T::kParameters; }) parameters = T::kParameters;
  return {T::kKind, T::kName, parameters,
          [](const StrategySpec& spec, const StrategyTape& tape, std::byte* memory) -> Strategy* {
            return new (memory) T(spec, tape);
          }};
}

constexpr Registration kStrategies[] = {
    registration<Serial>(),  registration<Pct>(),      registration<RandomWalk>(),
    registration<Replay>(),  registration<Segments>(), registration<Pos>(),
    registration<PosStar>(), registration<Rapos>(),    registration<WeightedWalk>(),
    registration<Surw>(),    registration<Prefix>(),
};

constexpr auto kKinds = [] {
  std::array<StrategyKind, std::size(kStrategies)> kinds{};
  for (size_t i = 0; i < kinds.size(); ++i) kinds[i] = kStrategies[i].kind;
  return kinds;
}();

const Registration* find_by_name(std::string_view name) {
  for (const Registration& strategy : kStrategies) {
    if (strategy.name == name) return &strategy;
  }
  return nullptr;
}

const Registration* find_by_kind(StrategyKind kind) {
  for (const Registration& strategy : kStrategies) {
    if (strategy.kind == kind) return &strategy;
  }
  return nullptr;
}

bool in_range(const Parameter& parameter, const StrategySpec& spec) {
  if (parameter.whole != nullptr) {
    const uint32_t value = spec.*parameter.whole;
    return parameter.least <= value && value <= parameter.most;
  }
  const double value = spec.*parameter.fraction;
  return 0 < value && value <= 1;
}

// The registration of a spec that is fit for use, else null.
const Registration* find_valid(const StrategySpec& spec) {
  const Registration* strategy = find_by_kind(spec.kind);
  if (strategy == nullptr) return nullptr;
  for (const Parameter& parameter : strategy->parameters) {
    if (!in_range(parameter, spec)) return nullptr;
  }
  return strategy;
}

// Reads one value into *spec; false if it is malformed or out of range.
bool read_value(const Parameter& parameter, std::string_view text, StrategySpec* spec) {
  if (parameter.whole != nullptr) {
    uint64_t value = 0;
    if (!read_digits(text, &value) || value > parameter.most) return false;
    spec->*parameter.whole = static_cast<uint32_t>(value);
  } else if (!read_fraction(text, &(spec->*parameter.fraction))) {
    return false;
  }
  return in_range(parameter, *spec);
}

void write_value(LineWriter& out, const Parameter& parameter, const StrategySpec& spec) {
  if (parameter.whole != nullptr) {
    out.number(spec.*parameter.whole);
  } else {
    write_fraction(out, spec.*parameter.fraction);
  }
}

void describe_range(LineWriter& out, const Parameter& parameter) {
  if (parameter.whole != nullptr) {
    out.text("a whole number from ").number(parameter.least).text(" to ").number(parameter.most);
  } else {
    out.text("a decimal fraction above 0 and at most 1, with up to ");
    out.number(kMaxDecimals).text(" decimals");
  }
}

void list_names(LineWriter& out) {
  for (const Registration& strategy : kStrategies) {
    if (&strategy != kStrategies) out.text(", ");
    out.text(strategy.name);
  }
}

void list_keys(LineWriter& out, const Registration& strategy) {
  for (const Parameter& parameter : strategy.parameters) {
    if (&parameter != strategy.parameters.data()) out.text(", ");
    out.text(parameter.key);
  }
}

// Reads the parameters of one strategy, and says what is wrong with them.
class ParameterReader {
 public:
  ParameterReader(const Registration& strategy, StrategySpec* spec, LineWriter* error)
      : strategy_(strategy), spec_(spec), error_(error) {}

  bool read_all(std::string_view list) {
    for (;;) {
      const size_t comma = list.find(',');
      if (!read(text_before(list, comma))) return false;
      if (comma == list.npos) return true;
      list = text_after(list, comma);
    }
  }

 private:
  bool read(std::string_view assignment) {
    if (strategy_.parameters.empty()) return refuse_any(assignment);
    const size_t equals = assignment.find('=');
    if (equals == assignment.npos) return refuse_form(assignment);
    const std::string_view key = text_before(assignment, equals);
    const std::string_view value = text_after(assignment, equals);
    for (size_t i = 0; i < strategy_.parameters.size(); ++i) {
      if (strategy_.parameters[i].key == key) return read(i, value);
    }
    return refuse_key(key);
  }

  bool read(size_t index, std::string_view value) {
    const Parameter& parameter = strategy_.parameters[index];
    if ((seen_ >> index & 1) != 0) return refuse_repeat(parameter);
    seen_ |= uint64_t{1} << index;
    if (read_value(parameter, value, spec_)) return true;
    begin_error().text(parameter.key).text(" is ").quoted(value).text(": write ");
    describe_range(*error_, parameter);
    return false;
  }

  bool refuse_any(std::string_view assignment) {
    begin_error().text("takes no parameters, but got ").quoted(assignment);
    return false;
  }

  bool refuse_form(std::string_view assignment) {
    begin_error().quoted(assignment).text(" is not KEY=VALUE: known keys are ");
    list_keys(*error_, strategy_);
    return false;
  }

  bool refuse_key(std::string_view key) {
    begin_error().text("unknown key ").quoted(key).text(": known keys are ");
    list_keys(*error_, strategy_);
    return false;
  }

  bool refuse_repeat(const Parameter& parameter) {
    begin_error().text(parameter.key).text(" is given twice: give it once");
    return false;
  }

  LineWriter& begin_error() { return error_->text("strategy ").text(strategy_.name).text(": "); }

  const Registration& strategy_;
  StrategySpec* spec_;
  LineWriter* error_;
  uint64_t seen_ = 0;  // bit per parameter
};

}  // namespace

std::span<const StrategyKind> strategy_kinds() {
  return kKinds;
}

bool parse_strategy(std::string_view text, StrategySpec* out, char* error, size_t error_size) {
  LineWriter line(error, error_size);
  const size_t colon = text.find(':');
  const std::string_view name = text_before(text, colon);
  const Registration* strategy = find_by_name(name);
  if (strategy == nullptr) {
    line.text("unknown strategy ").quoted(name).text(": known are ");
    list_names(line);
    return false;
  }
  StrategySpec spec;
  spec.kind = strategy->kind;
  if (colon != text.npos) {
    ParameterReader reader(*strategy, &spec, &line);
    if (!reader.read_all(text_after(text, colon))) return false;
  }
  *out = spec;
  return true;
}

size_t format_strategy(const StrategySpec& spec, char* text, size_t size) {
  LineWriter line(text, size);
  const Registration* strategy = find_valid(spec);
  if (strategy == nullptr) return 0;
  line.text(strategy->name);
  for (const Parameter& parameter : strategy->parameters) {
    line.text(&parameter == strategy->parameters.data() ? ":" : ",");
    line.text(parameter.key).text("=");
    write_value(line, parameter, spec);
  }
  if (line.complete()) return line.length();
  if (size > 0) text[0] = '\0';
  return 0;
}

Strategy* make_strategy(const StrategySpec& spec, const StrategyTape& tape,
                        std::span<std::byte> memory) {
  const Registration* strategy = find_valid(spec);
  const bool aligned = reinterpret_cast<uintptr_t>(memory.data()) % kStrategyMemoryAlignment == 0;
  if (strategy == nullptr || memory.size() < kStrategyMemoryBytes || !aligned) return nullptr;
  return strategy->make(spec, tape, memory.data());
}

}  // namespace esox
