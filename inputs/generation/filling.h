// SPDX-License-Identifier: Apache-2.0
// Fills a phrase's slots: names of what the server holds and the session has, values of the
// grammar; mostly those that requests of other clients name, so that the clients meet.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "inputs/generation/grammar.h"
#include "inputs/generation/session_items.h"
#include "preload/strategy/rng.h"

namespace esox {

// What a request is made among.
struct Surroundings {
  const Holdings* holdings = nullptr;  // of the server, with what the grammar knows
  std::vector<bool> met;            // for each: whether requests name it that this one is to meet
  std::string met_texts;            // those requests
  std::vector<std::string> others;  // names of the other clients
};

// How often a slot is filled with what it is to meet, where something of that is fit.
inline constexpr double kMeeting = 0.7;
// How often a definition names what does not exist, or makes what does.
inline constexpr double kAbsent = 0.05;

// Nothing: there is nothing fit for a slot.
std::optional<std::string> fill(const Grammar& grammar, const Phrase& phrase, bool defines,
                                const Surroundings& surroundings, const SessionItems& session,
                                Rng& random);

// Whether the text holds the word, with no letter or digit beside it.
bool has_whole_word(std::string_view text, std::string_view word);

}  // namespace esox
