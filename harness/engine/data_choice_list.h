// SPDX-License-Identifier: Apache-2.0
// Data choices as people write them: "spurious=rare,trylock=on", "all=rare", "none"
// (docs/data-choices.md).
#pragma once

#include <string>
#include <string_view>

#include "preload/protocol/data_choice.h"

namespace esox {

// What runs: a program with all its threads, or a server of which the clients' threads are
// controlled. Those are there before an execution begins, so that nothing is started in it.
enum class DataChoiceUse { kProgram, kServer };

// In force where nothing else is asked for: what every program must bear and no verdict suffers by.
DataChoiceModes shipped_data_choices();

// Items in their order, each changing what the one before it left; `from` is what the first
// changes. Throws std::invalid_argument with a line that says what is wrong and what can be
// written.
DataChoiceModes parse_data_choices(std::string_view list, DataChoiceUse use,
                                   DataChoiceModes from = shipped_data_choices());

// Every kind with its mode; parsed it gives the same.
std::string data_choices_text(const DataChoiceModes& modes);

}  // namespace esox
