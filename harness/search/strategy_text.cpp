// SPDX-License-Identifier: Apache-2.0
#include "harness/search/strategy_text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>
#include <stdexcept>
#include <vector>

#include "base/mapped.h"
#include "base/text/input_error.h"
#include "base/text/number.h"
#include "preload/strategy/registry.h"

namespace esox {
namespace {

// Then every accepted text reads back the same after formatting.
constexpr size_t kMaxDecimals = 15;
constexpr double kLeastFraction = 1e-15;

// "d, p"
template <class T>
std::string listed(std::span<const T> all, std::string_view T::*name) {
  std::vector<std::string_view> names;
  for (const T& one : all) names.push_back(one.*name);
  return fmt::format("{}", fmt::join(names, ", "));
}

// "0.05", ".05", "1"; neither "1e-3" nor "inf".
std::optional<double> fraction_of(std::string_view text) {
  const size_t dot = std::min(text.find('.'), text.size());
  const bool plain = text.find_first_not_of("0123456789.") == text.npos && dot <= 1 &&
                     text.size() - dot <= 1 + kMaxDecimals;
  return plain ? number_of<double>(text) : std::nullopt;
}

// With as few decimals as read back the same. A value that came from elsewhere is rounded, though
// never down to 0.
std::string fraction_text(double value) {
  std::string text = fmt::format("{:.{}f}", std::max(value, kLeastFraction), kMaxDecimals);
  text.erase(text.find_last_not_of('0') + 1);
  if (text.back() == '.') text.pop_back();
  return text;
}

std::string range_text(const Parameter& parameter) {
  if (parameter.whole != nullptr) {
    return fmt::format("a whole number from {} to {}", parameter.least, parameter.most);
  }
  return fmt::format("a decimal fraction above 0 and at most 1, with up to {} decimals",
                     kMaxDecimals);
}

// False if it is malformed or out of range.
bool read_value(const Parameter& parameter, std::string_view text, StrategySpec& spec) {
  const auto take = [](auto& into, const auto& value) {
    if (value) into = *value;
    return value.has_value();
  };
  const bool is_number = parameter.whole != nullptr
                             ? take(spec.*parameter.whole, number_of<uint32_t>(text))
                             : take(spec.*parameter.fraction, fraction_of(text));
  return is_number && in_range(parameter, spec);
}

// Reads the parameters of one strategy, and says what is wrong with them.
class ParameterReader {
 public:
  ParameterReader(const StrategyFacts& strategy, StrategySpec& spec)
      : strategy_(strategy), spec_(spec) {}

  void read(std::string_view assignment) {
    if (strategy_.parameters.empty()) {
      refuse("takes no parameters, but got " + in_quotes(assignment));
    }
    const size_t equals = assignment.find('=');
    if (equals == assignment.npos) {
      refuse(fmt::format("{} is not KEY=VALUE: {}", in_quotes(assignment), known_keys()));
    }
    read(assignment.substr(0, equals), assignment.substr(equals + 1));
  }

 private:
  void read(std::string_view key, std::string_view value) {
    const auto parameter = std::ranges::find(strategy_.parameters, key, &Parameter::key);
    if (parameter == strategy_.parameters.end()) {
      refuse(fmt::format("unknown key {}: {}", in_quotes(key), known_keys()));
    }
    if (!seen_.insert(key).second) refuse(fmt::format("{} is given twice: give it once", key));
    if (read_value(*parameter, value, spec_)) return;
    refuse(fmt::format("{} is {}: write {}", key, in_quotes(value), range_text(*parameter)));
  }

  std::string known_keys() const {
    return "known keys are " + listed(strategy_.parameters, &Parameter::key);
  }

  [[noreturn]] void refuse(const std::string& why) const {
    throw std::invalid_argument(fmt::format("strategy {}: {}", strategy_.name, why));
  }

  const StrategyFacts& strategy_;
  StrategySpec& spec_;
  std::set<std::string_view> seen_;
};

}  // namespace

StrategySpec strategy_from_text(std::string_view text) {
  const std::span<const StrategyFacts> all = known_strategies();
  const size_t colon = std::min(text.find(':'), text.size());
  const std::string_view name = text.substr(0, colon);
  const auto strategy = std::ranges::find(all, name, &StrategyFacts::name);
  if (strategy == all.end()) {
    throw std::invalid_argument(fmt::format("unknown strategy {}: known are {}", in_quotes(name),
                                            listed(all, &StrategyFacts::name)));
  }
  StrategySpec spec;
  spec.kind = strategy->kind;
  ParameterReader reader(*strategy, spec);
  for (size_t begin = colon + 1; begin <= text.size();) {
    const size_t end = std::min(text.find(',', begin), text.size());
    reader.read(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return spec;
}

std::optional<StrategySpec> exploring_strategy(std::string_view text) {
  try {
    const StrategySpec spec = strategy_from_text(text);
    return explores(spec.kind) ? std::optional(spec) : std::nullopt;
  } catch (const std::invalid_argument&) {
    return std::nullopt;
  }
}

std::string strategy_text(const StrategySpec& spec) {
  const StrategyFacts* strategy = facts_of(spec);
  if (strategy == nullptr) return "";
  const auto parameters = mapped<std::string>(strategy->parameters, [&](const Parameter& one) {
    return fmt::format(
        "{}={}", one.key,
        one.whole != nullptr ? std::to_string(spec.*one.whole) : fraction_text(spec.*one.fraction));
  });
  return fmt::format("{}{}{}", strategy->name, parameters.empty() ? "" : ":",
                     fmt::join(parameters, ","));
}

}  // namespace esox
