// SPDX-License-Identifier: Apache-2.0
#include "analysis/executed_order.h"

namespace esox {
namespace {

constexpr uint32_t kNothing = UINT32_MAX;

class Replayer {
 public:
  explicit Replayer(const ExecutionRecord& record) : record_(record) {
    executed_.reserve(record.trace.size());
  }

  std::vector<uint32_t> run() {
    const std::vector<TraceEvent>& trace = record_.trace;
    for (size_t i = 0; i < trace.size(); ++i) {
      if (i == 0 || trace[i].point != trace[i - 1].point) pass_choices_before(trace[i].point);
      arrive(static_cast<uint32_t>(i));
      const bool decides = i + 1 == trace.size() || trace[i + 1].point != trace[i].point;
      if (decides) decide(trace[i]);
    }
    pass_choices_before(UINT32_MAX);
    return std::move(executed_);
  }

 private:
  // Two events of one point and thread: the first is an operation in which a wait ended
  // (Scheduler::end_wait), for which the thread had been chosen already.
  void arrive(uint32_t index) {
    const TraceEvent& event = record_.trace[index];
    uint32_t& pending = pending_of(event.thread);
    if (pending != kNothing && record_.trace[pending].point == event.point) perform(pending);
    pending = index;
    if (event.kind == OpKind::kThreadExit) perform(pending);  // it is never chosen again
  }

  void decide(const TraceEvent& event) {
    if (current_ == kNoThread) current_ = event.thread;
    const std::vector<Choice>& choices = record_.choices;
    if (next_ < choices.size() && choices[next_].point == event.point) {
      current_ = choices[next_++].thread;
    }
    perform(pending_of(current_));
  }

  // Decisions of which no event tells: somebody came back from outside control.
  void pass_choices_before(uint32_t point) {
    const std::vector<Choice>& choices = record_.choices;
    for (; next_ < choices.size() && choices[next_].point < point; ++next_) {
      current_ = choices[next_].thread;
      perform(pending_of(current_));
    }
  }

  uint32_t& pending_of(ThreadId thread) {
    if (pending_.size() <= thread) pending_.resize(size_t{thread} + 1, kNothing);
    return pending_[thread];
  }

  void perform(uint32_t& pending) {
    if (pending != kNothing) executed_.push_back(pending);
    pending = kNothing;
  }

  const ExecutionRecord& record_;
  std::vector<uint32_t> executed_;
  std::vector<uint32_t> pending_;  // by thread: the operation it stands before
  ThreadId current_ = kNoThread;
  size_t next_ = 0;  // choice
};

}  // namespace

std::vector<uint32_t> executed_order(const ExecutionRecord& record) {
  return Replayer(record).run();
}

}  // namespace esox
