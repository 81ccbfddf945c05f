// SPDX-License-Identifier: Apache-2.0
// Requests of a log or of some files that could as well have come from different clients: what an
// input is made of.
#pragma once

#include <cstddef>
#include <vector>

namespace esox {

struct Candidate {
  enum class Form {
    kPair,       // one request against one
    kOneToMany,  // one against up to three
    kSessions,   // two sessions of up to five requests, or of a whole transaction
    kThree,      // three clients with one request each
  };
  Form form = Form::kPair;
  std::vector<std::vector<size_t>> clients;  // of each: its requests' numbers, ascending
};

inline const char* name_of(Candidate::Form form) {
  static constexpr const char* kNames[] = {"pair", "one-to-many", "sessions", "three"};
  return kNames[static_cast<size_t>(form)];
}

inline constexpr size_t kWindow = 10;  // requests between first and last of a pair
inline constexpr size_t kMostSessionLength = 10;
inline constexpr size_t kMostSetup = 64;  // statements; nine of ten slices have at most ten

}  // namespace esox
