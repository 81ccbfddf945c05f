// SPDX-License-Identifier: Apache-2.0
// A reply that is none by the server's protocol: what came cannot be read. Clients say so in its
// message; it is unanswered, like one that never came.
#pragma once

#include <string_view>

#include "summaries/outcome.h"

namespace esox {

// How such a message begins.
inline constexpr std::string_view kGarbled = "a reply that is none: ";

inline bool is_garbled(const Output& output) {
  return !output.answered && output.message.starts_with(kGarbled);
}

// Nothing came.
inline bool is_missing(const Output& output) {
  return !output.answered && !is_garbled(output);
}

}  // namespace esox
