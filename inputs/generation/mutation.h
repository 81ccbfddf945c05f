// SPDX-License-Identifier: Apache-2.0
// How one input is made of another (maker.h).
#pragma once

#include "base/text/enum_names.h"

namespace esox {

enum class Mutation {
  kRefill,    // a request again, with other names and values: mostly those of another client
  kReplace,   // a request by one of another kind
  kInsert,    // a request more, or a client more
  kDelete,    // a request less, or a client
  kSwap,      // two requests of a client change places
  kMove,      // a request goes to another client
  kWrap,      // what begins something before a request, what ends it after it: BEGIN, COMMIT
  kSplice,    // clients of another input beside its own
  kComplete,  // a request that is given: to a client that does not have it
  kSetup      // another setup under the same clients
};
inline constexpr const char* kMutationNames[] = {
    "refill", "replace", "insert", "delete", "swap", "move", "wrap", "splice", "complete", "setup"};
inline constexpr int kMutations = static_cast<int>(std::size(kMutationNames));

constexpr const char* name_of(Mutation mutation) {
  return name_in(kMutationNames, mutation);
}

// Whether the input that is made has the setup of the one that it is made of.
constexpr bool keeps_setup(Mutation mutation) {
  return mutation != Mutation::kSetup;
}

}  // namespace esox
