// SPDX-License-Identifier: Apache-2.0
#include "harness/commands/manual/completion.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "harness/commands/manual/command_facts.h"

namespace esox {
namespace {

struct NamedValue {
  std::string_view name;
  Fitting fitting;
};

// Operands by their names, options by those of their values; any other takes what nobody can guess.
constexpr auto kNamedValues = std::to_array<NamedValue>({{"CORPUS", Fitting::kFolders},
                                                         {"FILE", Fitting::kFiles},
                                                         {"FILES", Fitting::kFiles},
                                                         {"FINDING", Fitting::kFindings},
                                                         {"FOLDER", Fitting::kFolders},
                                                         {"FROM", Fitting::kFiles},
                                                         {"HUNT", Fitting::kFolders},
                                                         {"ID", Fitting::kIds},
                                                         {"INPUT", Fitting::kFiles},
                                                         {"INTO", Fitting::kIds},
                                                         {"OUT", Fitting::kFolders},
                                                         {"PROGRAM", Fitting::kProgram}});

Offer value_offer(const OptionFacts& option) {
  if (!option.choices.empty()) return {Fitting::kNothing, option.choices, ""};
  const std::string& name = option.operand ? option.names.front() : option.value;
  for (const NamedValue& one : kNamedValues) {
    if (one.name == name) return {one.fitting, {}, ""};
  }
  return {};
}

bool needs_value(const OptionFacts& option) {
  return !option.value.empty() && !option.value_optional;
}

std::string described(const std::string& word, std::string description) {
  std::ranges::replace(description, '\n', ' ');
  return word + "\t" + description;
}

// What the words before the cursor have come to.
struct Place {
  const CLI::App* command;
  size_t operands = 0;                  // of that command, before the cursor
  const CLI::Option* option = nullptr;  // the word before names it
  bool value = false;                   // of `option`; without one it is the rest of some word
  bool after_dashes = false;            // another program's words, none of them an option
};

const CLI::App* part_named(const CLI::App& command, const std::string& name) {
  for (const CLI::App* part : subcommands_of(command)) {
    if (part->get_name() == name) return part;
  }
  return nullptr;
}

void pass(Place& place, const std::string& word) {
  const CLI::Option* before = std::exchange(place.option, nullptr);
  const bool was_value = std::exchange(place.value, false);
  if (place.after_dashes) {
    ++place.operands;
  } else if (word == "=") {
    place.option = before;
    place.value = true;
  } else if (was_value) {
    return;
  } else if (word == "--") {
    place.after_dashes = true;
  } else if (word.starts_with('-')) {
    place.option = place.command->get_option_no_throw(word);
    place.value = place.option != nullptr && needs_value(option_facts(*place.option));
  } else if (const CLI::App* part = part_named(*place.command, word)) {
    place = {part};
  } else {
    ++place.operands;
  }
}

std::vector<std::string> option_names(const CLI::App& command) {
  std::vector<std::string> names;
  for (const OptionFacts& option : options_of(command)) {
    if (option.operand) continue;
    for (const std::string& name : option.names) {
      const bool equals = name.starts_with("--") && needs_value(option);
      names.push_back(described(equals ? name + "=" : name, option.description));
    }
  }
  return names;
}

Offer operand_offer(const Place& place) {
  std::vector<OptionFacts> operands = options_of(*place.command);
  std::erase_if(operands, [](const OptionFacts& option) { return !option.operand; });
  if (place.operands < operands.size()) return value_offer(operands[place.operands]);
  if (operands.empty() || !operands.back().several) return {};
  Offer offer = value_offer(operands.back());
  if (offer.fitting == Fitting::kProgram) offer.fitting = Fitting::kArguments;
  return offer;
}

Offer offer_here(const Place& place, const std::string& typed) {
  if (place.value && place.option == nullptr) return {Fitting::kFiles, {}, ""};
  if (place.value) return value_offer(option_facts(*place.option));
  Offer offer = operand_offer(place);
  if (place.after_dashes) return offer;
  if (typed.starts_with('-')) return {Fitting::kNothing, option_names(*place.command), ""};
  for (const CLI::App* part : subcommands_of(*place.command)) {
    offer.candidates.push_back(described(part->get_name(), part->get_description()));
  }
  const bool nothing = offer.fitting == Fitting::kNothing && offer.candidates.empty();
  if (nothing) offer.candidates = option_names(*place.command);
  return offer;
}

// As bash does it: "--seed=7" is three words.
std::vector<std::string> split(const std::vector<std::string>& words) {
  std::vector<std::string> pieces;
  bool after_dashes = false;
  for (const std::string& word : words) {
    after_dashes = after_dashes || word == "--";
    const size_t equals = word.find('=');
    if (after_dashes || !word.starts_with("--") || equals == std::string::npos) {
      pieces.push_back(word);
    } else {
      pieces.insert(pieces.end(), {word.substr(0, equals), "=", word.substr(equals + 1)});
    }
  }
  if (pieces.empty() || pieces.back() == "=") pieces.emplace_back();
  return pieces;
}

}  // namespace

Offer offer_at(const CLI::App& esox, const std::vector<std::string>& words) {
  std::vector<std::string> pieces = split(words);
  const std::string typed = pieces.back();
  pieces.pop_back();
  Place place{&esox};
  for (const std::string& word : pieces) pass(place, word);
  Offer offer = offer_here(place, typed);
  offer.typed = typed;
  std::erase_if(offer.candidates,
                [&](const std::string& candidate) { return !candidate.starts_with(typed); });
  return offer;
}

}  // namespace esox
