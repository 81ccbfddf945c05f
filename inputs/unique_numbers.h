// SPDX-License-Identifier: Apache-2.0
// ${unique} in clients' requests: a number, from 1 on, that no other place of the same input gets.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "inputs/input.h"

namespace esox {

inline constexpr std::string_view kUniquePlaceholder = "${unique}";

// Client by client, in the order of their requests.
inline void fill_in_unique_numbers(std::vector<InputClient>& clients) {
  size_t next = 1;
  for (InputClient& client : clients) {
    for (Request& request : client.requests) {
      for (size_t at = request.text.find(kUniquePlaceholder); at != std::string::npos;
           at = request.text.find(kUniquePlaceholder, at)) {
        request.text.replace(at, kUniquePlaceholder.size(), std::to_string(next++));
      }
    }
  }
}

}  // namespace esox
