// SPDX-License-Identifier: Apache-2.0
// See plan.h.
#include "harness/search/plan.h"

#include <algorithm>

namespace esox {
namespace {

uint64_t batches_of(uint64_t executions) {
  if (executions <= kFirstBatchExecutions) return executions == 0 ? 0 : 1;
  if (executions <= kSecondBatchEnd) return 2;
  return 2 + (executions - kSecondBatchEnd + kBatchExecutions - 1) / kBatchExecutions;
}

// By the end of so many batches, if nothing limits them.
uint64_t executions_of(uint64_t batches) {
  if (batches <= 1) return batches * kFirstBatchExecutions;
  return kSecondBatchEnd + (batches - 2) * kBatchExecutions;
}

}  // namespace

Plan::Plan(size_t explorations, uint64_t executions_each, Share share, size_t wave)
    : executions_each_(executions_each),
      own_batches_(batches_of(executions_each)),
      share_(share),
      wave_(std::max<size_t>(wave, 1)),
      explorations_(explorations, {0, executions_each, Yield::kSome}) {
  if (executions_each == 0) return;
  for (size_t i = 0; i < explorations; ++i) ready_.insert(turn_of(i));
}

Plan::Turn Plan::turn_of(size_t index) const {
  const One& one = explorations_[index];
  const bool sooner = share_ == Share::kByYield && one.yield == Yield::kMuch;
  const uint64_t counted = sooner ? one.batches / 2 : one.batches;
  return {counted + index / wave_, index % wave_, one.batches, index};
}

uint64_t Plan::had(size_t index) const {
  const uint64_t batches = explorations_[index].batches;
  if (batches < own_batches_) return executions_of(batches);
  return executions_each_ + (batches - own_batches_) * kBatchExecutions;
}

void Plan::restore(size_t exploration, uint64_t batches, Yield yield, bool given_up) {
  ready_.erase(turn_of(exploration));
  One& one = explorations_[exploration];
  one.batches = batches;
  // What it had beyond its own was granted to it.
  if (batches > own_batches_) {
    one.most = had(exploration);
    handed_over_ -= static_cast<int64_t>(one.most - executions_each_);
  }
  if (given_up) return close(exploration);
  go_on(exploration, yield);
}

std::optional<Batch> Plan::next() {
  if (ready_.empty()) return std::nullopt;
  const size_t index = ready_.begin()->index;
  ready_.erase(ready_.begin());
  ++handed_out_;
  const uint64_t done = had(index);
  const One& one = explorations_[index];
  const uint64_t end =
      one.batches < own_batches_ ? executions_of(one.batches + 1) : done + kBatchExecutions;
  return Batch{index, done + 1, std::min(end, one.most) - done};
}

void Plan::finished(const Batch& batch, Yield yield) {
  --handed_out_;
  ++explorations_[batch.exploration].batches;
  go_on(batch.exploration, yield);
}

void Plan::given_up(const Batch& batch) {
  --handed_out_;
  ++explorations_[batch.exploration].batches;
  close(batch.exploration);
}

void Plan::close(size_t index) {
  explorations_[index].most = had(index);
}

void Plan::go_on(size_t index, Yield yield) {
  One& one = explorations_[index];
  one.yield = yield;
  if (share_ == Share::kByYield && yield == Yield::kNothing) {
    handed_over_ += static_cast<int64_t>(one.most - had(index));
    close(index);
  } else if (had(index) < one.most) {
    ready_.insert(turn_of(index));
  } else if (share_ == Share::kByYield && yield == Yield::kMuch) {
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
