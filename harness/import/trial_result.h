// SPDX-License-Identifier: Apache-2.0
// What a trial (trial.h) says of an input on one engine. Plain data.
#pragma once

#include <string>
#include <vector>

#include "analysis/contacts.h"

namespace esox {

// What the order of the requests changes, the most telling last.
enum class Sensitivity {
  kNone,       // nothing
  kExistence,  // but some request only finds that what it names is not there, or there already
  kFailing,    // some request ends with another error in some order
  kClean,      // and all requests succeed in every order
};

// By their numbers.
inline constexpr const char* kSensitivityNames[] = {"none", "existence", "failing", "clean"};
inline const char* name_of(Sensitivity sensitivity) {
  return kSensitivityNames[static_cast<size_t>(sensitivity)];
}

// Reasons that may be the setup's fault, not the requests'.
inline constexpr const char* kSetupFails = "its setup fails";
inline constexpr const char* kRequestFails = "a request fails that succeeded in the test";

struct TrialResult {
  std::string rejected;  // the reason, one of few; empty: admitted
  std::string detail;    // of the rejection, for people
  Sensitivity sensitivity = Sensitivity::kNone;
  std::vector<std::string> observations;  // of what it changes beside its tables
  std::vector<Contact> contacts;

  bool admitted() const { return rejected.empty(); }
};

}  // namespace esox
