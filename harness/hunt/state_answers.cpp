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
  std::map<StateQuestion, StateAnswer> passing;
  if (!unknown.empty()) {
    const std::vector<StateQuestion> asked(unknown.begin(), unknown.end());
    std::vector<StateAnswer> answers = ask(asked);
    for (size_t i = 0; i < asked.size(); ++i) {
      (answers[i].passing ? passing : known_)[asked[i]] = std::move(answers[i]);
    }
  }
  std::vector<StateAnswer> all;
  all.reserve(questions.size());
  for (const StateQuestion& question : questions) {
    const auto known = known_.find(question);
    all.push_back(known != known_.end() ? known->second : passing.at(question));
  }
  return all;
}

}  // namespace esox
