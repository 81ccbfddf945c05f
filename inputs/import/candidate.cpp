// SPDX-License-Identifier: Apache-2.0
// See candidate.h.
#include "inputs/import/candidate.h"

namespace esox {

const char* name_of(Candidate::Form form) {
  switch (form) {
    case Candidate::Form::kPair:
      return "pair";
    case Candidate::Form::kOneToMany:
      return "one-to-many";
    case Candidate::Form::kSessions:
      return "sessions";
    case Candidate::Form::kThree:
      return "three";
  }
  return "";
}

}  // namespace esox
