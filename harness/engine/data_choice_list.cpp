// SPDX-License-Identifier: Apache-2.0
#include "harness/engine/data_choice_list.h"

#include <fmt/format.h>

#include <array>
#include <stdexcept>

#include "base/text/spelling.h"

namespace esox {
namespace {

struct Named {
  std::string_view name;
  DataChoiceMode DataChoiceModes::*mode;
};

constexpr std::array kKinds = {
    Named{"signal", &DataChoiceModes::signal},
    Named{"spurious", &DataChoiceModes::spurious},
    Named{"early-timeout", &DataChoiceModes::early_timeout},
    Named{"trylock", &DataChoiceModes::trylock},
    Named{"short-io", &DataChoiceModes::short_io},
    Named{"eintr", &DataChoiceModes::eintr},
    Named{"start-order", &DataChoiceModes::start_order},
    Named{"timer", &DataChoiceModes::timer},
};

constexpr std::array<std::string_view, 3> kModes = {"off", "rare", "on"};  // by DataChoiceMode

constexpr std::string_view kAll = "all";
constexpr std::string_view kNothing = "none";

std::string hint(std::string_view word) {
  std::array<std::string_view, kKinds.size() + 2> known;
  for (size_t i = 0; i < kKinds.size(); ++i) known[i] = kKinds[i].name;
  known[kKinds.size()] = kAll;
  known[kKinds.size() + 1] = kNothing;
  return spelling_hint(word, known);
}

DataChoiceMode mode_named(std::string_view name, std::string_view item) {
  for (size_t i = 0; i < kModes.size(); ++i) {
    if (kModes[i] == name) return static_cast<DataChoiceMode>(i);
  }
  throw std::invalid_argument(
      fmt::format("'{}': '{}' is no mode; write off, rare or on", item, name));
}

void set_all(DataChoiceModes& modes, DataChoiceMode mode, DataChoiceUse use) {
  for (const Named& one : kKinds) modes.*one.mode = mode;
  if (use == DataChoiceUse::kServer) modes.start_order = DataChoiceMode::kOff;
}

void apply(std::string_view item, DataChoiceUse use, DataChoiceModes& modes) {
  if (item == kNothing) return set_all(modes, DataChoiceMode::kOff, use);
  const size_t equals = item.find('=');
  const std::string_view name = item.substr(0, equals);
  if (equals == std::string_view::npos) {
    throw std::invalid_argument(
        fmt::format("'{}' has no mode; write KIND=off, KIND=rare or KIND=on{}", item, hint(name)));
  }
  const DataChoiceMode mode = mode_named(item.substr(equals + 1), item);
  if (name == kAll) return set_all(modes, mode, use);
  for (const Named& one : kKinds) {
    if (one.name != name) continue;
    modes.*one.mode = mode;
    if (use == DataChoiceUse::kProgram || modes.start_order == DataChoiceMode::kOff) return;
    throw std::invalid_argument(
        "start-order is for esox exec: a server's clients have their threads before an execution "
        "begins; leave it out");
  }
  throw std::invalid_argument(fmt::format("'{}' is no kind of data choice{}", name, hint(name)));
}

}  // namespace

DataChoiceModes shipped_data_choices() {
  DataChoiceModes modes;
  modes.spurious = DataChoiceMode::kRare;
  modes.timer = DataChoiceMode::kRare;  // where there are contexts
  return modes;
}

DataChoiceModes parse_data_choices(std::string_view list, DataChoiceUse use, DataChoiceModes from) {
  if (list.empty()) throw std::invalid_argument("nothing is named; write KIND=MODE,..., or none");
  for (size_t begin = 0; begin <= list.size();) {
    const size_t end = std::min(list.find(',', begin), list.size());
    apply(list.substr(begin, end - begin), use, from);
    begin = end + 1;
  }
  return from;
}

std::string data_choices_text(const DataChoiceModes& modes) {
  std::string text;
  for (const Named& one : kKinds) {
    text += fmt::format("{}{}={}", text.empty() ? "" : ",", one.name,
                        kModes[static_cast<size_t>(modes.*one.mode)]);
  }
  return text;
}

}  // namespace esox
