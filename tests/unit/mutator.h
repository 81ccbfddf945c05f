// SPDX-License-Identifier: Apache-2.0
// Changes texts at random, for tests of what must stand any bytes. `make soak` does the same a
// hundred times longer, under the address sanitizer.
#pragma once

#include <cstdlib>
#include <random>
#include <string>
#include <string_view>

#include "tests/unit/sanitized.h"

namespace esox::testing_mutations {

// Rounds of a test: `usual`, or so many times more as ESOX_MUTATIONS says.
inline size_t rounds(size_t usual) {
  const char* const times = std::getenv("ESOX_MUTATIONS");
  return times == nullptr ? repeated(usual) : usual * std::strtoul(times, nullptr, 10);
}

// Of equal seeds the changes are equal. `bytes`: those that mean something where the text is read;
// it must outlive the mutator.
class Mutator {
 public:
  Mutator(uint32_t seed, std::string_view bytes) : random_(seed), bytes_(bytes) {}

  std::string mutate(std::string text) {
    for (size_t n = 1 + below(3); n > 0 && !text.empty(); --n) text = mutate_once(std::move(text));
    return text;
  }

  size_t below(size_t bound) { return random_() % bound; }

 private:
  std::string mutate_once(std::string text) {
    const size_t at = below(text.size());
    switch (below(6)) {
      case 0:
        text[at] = bytes_[below(bytes_.size())];
        break;
      case 1:
        text.insert(at, 1, bytes_[below(bytes_.size())]);
        break;
      case 2:
        text.erase(at, 1 + below(8));
        break;
      case 3:
        text.insert(at, text.substr(below(text.size()), below(40)));
        break;
      case 4:
        text.resize(at);
        break;
      default:
        text.insert(at, std::string(1 + below(30), bytes_[below(bytes_.size())]));
        break;
    }
    return text;
  }

  std::mt19937 random_;
  std::string_view bytes_;
};

}  // namespace esox::testing_mutations
