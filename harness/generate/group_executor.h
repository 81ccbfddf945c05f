// SPDX-License-Identifier: Apache-2.0
// Executions of many inputs from one snapshot: inputs that differ in their requests only, and in
// how many clients they have.
//
// To the executor behind it they are one input, whose clients have the requests of all, one after
// the other; each execution sends those of one of them (ExecutionPlan::first_requests), and clients
// that it does not have stay idle. A snapshot takes as long as ten executions and more, and so is
// had once for all.
//
// What a target looks at by an input's requests is looked at for those of all, and idle sessions
// are there to be seen (SHOW PROCESSLIST): for what is judged, an input is executed alone.
#pragma once

#include <vector>

#include "harness/engine/executor.h"

namespace esox {

// Whether both may be of one group. One of three must be compared with the one that has the most
// clients.
bool same_group(const Input& one, const Input& other);

class GroupExecutor final : public Executor {
 public:
  // All of one group; there must be one. `executor` outlives this.
  GroupExecutor(Executor& executor, const std::vector<const Input*>& inputs);

  // A plan of an input that is none of the group's is executed as it is.
  ExecutionReport run(const ExecutionPlan& plan) override;
  std::vector<StateAnswer> answer(const ExecutionPlan& plan, const RowLog& log,
                                  std::span<const StateQuestion> questions) override;
  const RunLives& lives() const override { return executor_.lives(); }
  uint64_t memory_kib() const override { return executor_.memory_kib(); }

 private:
  ExecutionPlan of_group(const ExecutionPlan& plan) const;

  Executor& executor_;
  ConcreteInput input_;
  std::vector<Input> members_;
  std::vector<std::vector<size_t>> first_;  // of each member: where its requests begin, by client
};

}  // namespace esox
