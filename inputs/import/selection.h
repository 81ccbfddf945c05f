// SPDX-License-Identifier: Apache-2.0
// Which inputs are made and kept: one of each shape, and not too many of one test and form or of
// the same kinds of statement. Ten tests of suite main would otherwise give a quarter of the
// corpus.
//
// Tests are offered one after the other in a fixed order, the most telling candidates first; of
// equal shapes the first stays. So the same suite gives the same inputs.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <set>
#include <string>

#include "inputs/import/imported_input.h"

namespace esox {

struct SelectionLimits {
  size_t per_test_and_form = 12;
  size_t per_kinds = 200;               // inputs whose clients' statements are of the same kinds
  std::optional<Candidate::Form> form;  // the only one wanted
};

class Selection {
 public:
  explicit Selection(SelectionLimits limits) : limits_(limits) {}

  void begin_test() { of_form_.clear(); }
  // Whether another one of this form would be kept; if not, it need not be made.
  bool wants(Candidate::Form form);
  bool keep(const ImportedInput& input);
  // An input that is kept in any case: others of its shape are not.
  void know(const ImportedInput& input);

  // "another input has its shape", ...
  const std::map<std::string, size_t>& left_out() const { return left_out_; }

 private:
  SelectionLimits limits_;
  std::set<std::string> shapes_;
  std::map<std::string, size_t> kinds_;
  std::map<Candidate::Form, size_t> of_form_;  // of the test at hand
  std::map<std::string, size_t> left_out_;
};

}  // namespace esox
