// SPDX-License-Identifier: Apache-2.0
#include "harness/hunt/state_answers.h"

#include <set>
#include <utility>

namespace esox {

std::vector<StateAnswer> StateAnswers::to(const std::vector<StateQuestion>& questions,
                                          const Ask& ask) {
  if (known_.size() >= kMostKept) known_.clear();
  std::set<StateQuestion> unknown;
  for (const StateQuestion& question : questions) {
    if (!known_.contains(question)) unknown.insert(question);
  }
  if (!unknown.empty()) {
    const std::vector<StateQuestion> asked(unknown.begin(), unknown.end());
    std::vector<StateAnswer> answers = ask(asked);
    for (size_t i = 0; i < asked.size(); ++i) known_[asked[i]] = std::move(answers[i]);
  }
  std::vector<StateAnswer> all;
  for (const StateQuestion& question : questions) all.push_back(known_[question]);
  return all;
}

}  // namespace esox
