// SPDX-License-Identifier: Apache-2.0
#include "harness/search/plan.h"

#include <algorithm>

namespace esox {
namespace {

// The end of the batch after so many executions, if nothing limits it.
uint64_t batch_end_after(uint64_t executions) {
  const auto* next = std::ranges::upper_bound(kBatchEnds, executions);
  return next != kBatchEnds.end() ? *next : executions + kBatchExecutions;
}

uint64_t batches_of(uint64_t executions) {
  const auto* next = std::ranges::lower_bound(kBatchEnds, executions);
  const auto first = static_cast<uint64_t>(next - kBatchEnds.begin());
  if (next != kBatchEnds.end()) return executions == 0 ? 0 : first + 1;
  return first + (executions - kBatchEnds.back() + kBatchExecutions - 1) / kBatchExecutions;
}

}  // namespace

Plan::Plan(size_t explorations, uint64_t executions_each, Share share, size_t wave)
    : executions_each_(executions_each),
      share_(share),
      wave_(std::max<size_t>(wave, 1)),
      explorations_(explorations, {0, executions_each, {}}) {
  if (executions_each == 0) return;
  for (size_t i = 0; i < explorations; ++i) ready_.insert(turn_of(i));
}

Plan::Turn Plan::turn_of(size_t index) const {
  const One& one = explorations_[index];
  const uint64_t batches = this->batches(index);
  const bool by_yield = share_ == Share::kByYield;
  const bool sooner = by_yield && one.prospect.yield == Yield::kMuch && batches > 1;
  return {batches - (sooner ? 1 : 0) + index / wave_, by_yield ? -one.prospect.variety : 0,
          index % wave_, batches, index};
}

void Plan::restore(size_t exploration, uint64_t executions, Prospect prospect, bool given_up) {
  ready_.erase(turn_of(exploration));
  One& one = explorations_[exploration];
  one.had = executions;
  // What it had beyond its own was granted to it.
  if (executions > executions_each_) {
    one.most = executions;
    handed_over_ -= static_cast<int64_t>(executions - executions_each_);
  }
  if (given_up) return close(exploration);
  go_on(exploration, prospect);
}

uint64_t Plan::batches(size_t exploration) const {
  return batches_of(explorations_[exploration].had);
}

std::optional<Batch> Plan::next() {
  if (ready_.empty()) return std::nullopt;
  const size_t index = ready_.begin()->index;
  ready_.erase(ready_.begin());
  ++handed_out_;
  const One& one = explorations_[index];
  return Batch{index, one.had + 1, std::min(batch_end_after(one.had), one.most) - one.had};
}

void Plan::finished(const Batch& batch, Prospect prospect) {
  --handed_out_;
  explorations_[batch.exploration].had += batch.count;
  go_on(batch.exploration, prospect);
}

void Plan::given_up(const Batch& batch) {
  --handed_out_;
  explorations_[batch.exploration].had += batch.count;
  close(batch.exploration);
}

void Plan::go_on(size_t index, Prospect prospect) {
  One& one = explorations_[index];
  one.prospect = prospect;
  if (share_ == Share::kByYield && prospect.yield == Yield::kNothing) {
    handed_over_ += static_cast<int64_t>(one.most - one.had);
    close(index);
  } else if (one.had < one.most) {
    ready_.insert(turn_of(index));
  } else if (share_ == Share::kByYield && prospect.yield == Yield::kMuch) {
    hungry_.insert(index);
  }
  grant();
}

// Whole batches, the first named first.
void Plan::grant() {
  while (!hungry_.empty() && handed_over_ >= static_cast<int64_t>(kBatchExecutions)) {
    const size_t index = *hungry_.begin();
    hungry_.erase(hungry_.begin());
    handed_over_ -= static_cast<int64_t>(kBatchExecutions);
    explorations_[index].most += kBatchExecutions;
    ready_.insert(turn_of(index));
  }
}

uint64_t Plan::planned() const {
  uint64_t sum = 0;
  for (const One& one : explorations_) sum += one.most;
  return sum;
}

}  // namespace esox
