// SPDX-License-Identifier: Apache-2.0
#include "harness/search/input_search.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "harness/search/search_jobs.h"

namespace esox {
namespace {

using exhaustive::Job;
using exhaustive::JobState;

constexpr double kAsMuchAsItWants = std::numeric_limits<double>::max();

// Told again only if it is not what was expected anyway.
constexpr double kNoNews = 0.5;

}  // namespace

InputSearch::InputSearch(const exhaustive::SearchSpec& spec, ExpectedExecutions expected)
    : expected_(std::move(expected)) {
  if (spec.iterative) {
    iterative_ = std::make_unique<exhaustive::IterativeSearch>([this] { return left(); });
    ended_ = !iterative_->next();
    return;
  }
  exhaustive::SearchOptions options;
  options.bound = spec.bound;
  options.most = spec.most;
  tree_ = exhaustive::begin_search(options);
}

void InputSearch::expect(uint64_t made, double executions) {
  if (!iterative_) return;
  const double known = left_after(made);
  if (known != kAsMuchAsItWants && std::abs(known - executions) < kNoNews) return;
  expected_.emplace_back(made, executions);
}

// What was told last by then, less what was made since. The search asks after an execution, before
// it is told of the next ones: it goes by what was known before that execution.
double InputSearch::left_after(uint64_t made) const {
  double left = kAsMuchAsItWants;
  for (const auto& [then, to_come] : expected_) {
    if (then > made) break;
    left = std::max(0.0, to_come - static_cast<double>(made - then));
  }
  return left;
}

exhaustive::Beginning InputSearch::next() const {
  return iterative_ ? *iterative_->next() : tree_->next();
}

void InputSearch::take(const exhaustive::ExecutedSchedule& executed) {
  ++executions_;
  violating_ += executed.violation ? 1 : 0;
  if (tree_) {
    ended_ = !tree_->take(executed);
    return;
  }
  iterative_->take(executed);
  ended_ = !iterative_->next();
}

bool InputSearch::exhausted() const {
  return iterative_ ? iterative_->exhausted() : tree_->result().exhausted;
}

std::string InputSearch::jobs_line() const {
  std::map<JobState, size_t> states;
  for (const Job& job : iterative_->jobs()) ++states[job.state];
  const size_t done = states[JobState::kExhausted] + states[JobState::kCancelled];
  return fmt::format("{}: {} violating of {} executions; of {} jobs {} exhausted, {} begun, {} not",
                     exhausted() ? "exhausted" : "not exhausted", violating_, executions_,
                     iterative_->jobs().size(), done,
                     iterative_->jobs().size() - done - states[JobState::kPending],
                     states[JobState::kPending]);
}

std::string InputSearch::text() const {
  return iterative_ ? jobs_line() : text_of(tree_->result());
}

std::string InputSearch::long_text(Symbols& symbols) const {
  if (tree_) return text() + "\n";
  return text() + "\n" + jobs_text(told_jobs(*iterative_, symbols), exhausted());
}

}  // namespace esox
