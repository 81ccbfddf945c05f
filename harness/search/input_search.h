// SPDX-License-Identifier: Apache-2.0
// The search of all schedules of one input (harness/search/exhaustive), one execution at a time: of
// one tree, or the jobs of an iterative search.
//
// An iterative search goes by how many executions are left, to suspend what would not end in time.
// That is told from outside (expect()), in figures that a later launch cannot know again - time is
// among what they follow from. So they are kept, with the number of the execution that they were
// told for, and a search that is made again goes by them.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "analysis/symbols.h"
#include "harness/search/exhaustive/iterative.h"
#include "harness/search/exhaustive/search_spec.h"

namespace esox {

// By the number of executions made: how many are to come.
using ExpectedExecutions = std::vector<std::pair<uint64_t, double>>;

class InputSearch {
 public:
  // `expected`: what earlier launches were told.
  InputSearch(const exhaustive::SearchSpec& spec, ExpectedExecutions expected);

  // After `made` executions, all those of earlier launches among them: so many are to come, as far
  // as is known by then.
  void expect(uint64_t made, double executions);
  const ExpectedExecutions& expected() const { return expected_; }

  // What the next execution is to begin with; not once it has ended.
  exhaustive::Beginning next() const;
  void take(const exhaustive::ExecutedSchedule& executed);

  uint64_t executions() const { return executions_; }
  bool ended() const { return ended_; }
  bool exhausted() const;

  // One line: how far it came.
  std::string text() const;
  // The same for people, with a line for each job where there are several.
  std::string long_text(Symbols& symbols) const;

 private:
  double left_after(uint64_t made) const;
  double left() const { return executions_ == 0 ? 0 : left_after(executions_ - 1); }
  std::string jobs_line() const;

  uint64_t executions_ = 0;
  uint64_t violating_ = 0;  // executions
  bool ended_ = false;
  ExpectedExecutions expected_;
  std::unique_ptr<exhaustive::SearchInProgress> tree_;  // one of the two
  std::unique_ptr<exhaustive::IterativeSearch> iterative_;
};

}  // namespace esox
