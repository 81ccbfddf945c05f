// SPDX-License-Identifier: Apache-2.0
// See plan.h.
#include "harness/hunt/plan.h"

#include <algorithm>

namespace esox {

Plan::Plan(size_t explorations, uint64_t executions_each)
    : executions_each_(executions_each), batches_(explorations, 0) {
  if (executions_each == 0) return;
  for (size_t i = 0; i < explorations; ++i) ready_.insert(turn_of(i));
}

Plan::Turn Plan::turn_of(size_t index) const {
  return {batches_[index] + index / kWave, index % kWave, batches_[index], index};
}

uint64_t Plan::restore(size_t exploration, uint64_t batches, bool given_up) {
  ready_.erase(turn_of(exploration));
  batches_[exploration] = batches;
  const uint64_t done = std::min(batches * kBatchExecutions, executions_each_);
  if (given_up) return executions_each_ - done;
  if (done < executions_each_) ready_.insert(turn_of(exploration));
  return 0;
}

std::optional<Batch> Plan::next() {
  if (ready_.empty()) return std::nullopt;
  const size_t index = ready_.begin()->index;
  ready_.erase(ready_.begin());
  ++handed_out_;
  const uint64_t done = batches_[index] * kBatchExecutions;
  return Batch{index, done + 1, std::min(kBatchExecutions, executions_each_ - done)};
}

void Plan::finished(const Batch& batch) {
  --handed_out_;
  const uint64_t batches = ++batches_[batch.exploration];
  if (batches * kBatchExecutions < executions_each_) ready_.insert(turn_of(batch.exploration));
}

uint64_t Plan::given_up(const Batch& batch) {
  --handed_out_;
  const uint64_t done = ++batches_[batch.exploration] * kBatchExecutions;
  return executions_each_ - std::min(done, executions_each_);
}

}  // namespace esox
