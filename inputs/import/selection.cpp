// SPDX-License-Identifier: Apache-2.0
// See selection.h.
#include "inputs/import/selection.h"

#include <algorithm>
#include <numeric>
#include <tuple>
#include <utility>

namespace esox {
namespace {

struct Weight {
  bool failing = false;
  bool whole = false;
  size_t same_before = 0;  // candidates of the same kinds before it

  auto tie() const { return std::tie(failing, whole, same_before); }
};

Weight weight_of(const LoggedTest& test, const Candidate& candidate,
                 std::map<std::string, size_t>& seen) {
  Weight weight;
  std::string kinds = name_of(candidate.form);
  for (const auto& client : candidate.clients) {
    kinds += " |";
    for (const size_t number : client) {
      const LoggedStatement& statement = test.statements[number];
      weight.failing = weight.failing || statement.error != 0;
      weight.whole = weight.whole || is_about_whole_object(statement.kind);
      kinds += " " + statement.kind;
    }
  }
  weight.same_before = seen[kinds]++;
  return weight;
}

}  // namespace

std::vector<Candidate> in_order(const LoggedTest& test, std::vector<Candidate> candidates) {
  std::map<std::string, size_t> seen;
  std::vector<Weight> weights;
  for (const Candidate& one : candidates) weights.push_back(weight_of(test, one, seen));
  std::vector<size_t> places(candidates.size());
  std::iota(places.begin(), places.end(), size_t{0});
  std::stable_sort(places.begin(), places.end(),
                   [&](size_t a, size_t b) { return weights[a].tie() < weights[b].tie(); });
  std::vector<Candidate> ordered;
  for (const size_t place : places) ordered.push_back(std::move(candidates[place]));
  return ordered;
}

bool Selection::wants(Candidate::Form form) {
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
