// SPDX-License-Identifier: Apache-2.0
#include "inputs/import/selection.h"

namespace esox {

bool Selection::wants(Candidate::Form form) {
  if (limits_.form && form != *limits_.form) {
    ++left_out_["not made: of another form than asked for"];
    return false;
  }
  if (of_form_[form] < limits_.per_test_and_form) return true;
  ++left_out_["not made: enough of its test and form"];
  return false;
}

bool Selection::keep(const ImportedInput& input) {
  if (shapes_.contains(input.shape)) {
    ++left_out_["made, but another input has its shape"];
    return false;
  }
  if (kinds_[input.kinds] >= limits_.per_kinds) {
    ++left_out_["made, but there are enough of its kinds of statement"];
    return false;
  }
  know(input);
  ++of_form_[input.form];
  return true;
}

void Selection::know(const ImportedInput& input) {
  shapes_.insert(input.shape);
  ++kinds_[input.kinds];
}

}  // namespace esox
