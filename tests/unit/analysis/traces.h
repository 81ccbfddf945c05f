// SPDX-License-Identifier: Apache-2.0
// Executions written as their operations come to pass: what the scheduler would have recorded.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "analysis/execution_record.h"

namespace esox::test {

inline constexpr uint64_t kLoadBase = 0x10000;
inline constexpr uint64_t kMutex = 0x70;
inline constexpr uint64_t kVariable = 0x80;

// Each thread runs until another one does something; operations are told where they took effect.
// A thread that is switched away from stands before the operation that it does when it comes back,
// as under the real scheduler: finish() writes the trace down in that order.
class TraceBuilder {
 public:
  TraceBuilder& does(ThreadId thread, OpKind kind, uint64_t object = 0, uint64_t site = 0x10,
                     uint8_t flags = kTraceOffered) {
    executed_.push_back({thread, kind, object, site, flags});
    return *this;
  }
  TraceBuilder& locks(ThreadId thread, uint64_t object, uint64_t site = 0x10) {
    return does(thread, OpKind::kMutexLock, object, site);
  }
  TraceBuilder& begins(ThreadId thread) { return does(thread, OpKind::kRequestBegin); }
  TraceBuilder& reads(ThreadId thread, uint64_t file, uint64_t site = 0x10) {
    return does(thread, OpKind::kFileRead, file, site);
  }
  TraceBuilder& writes(ThreadId thread, uint64_t file, uint64_t site = 0x10) {
    return does(thread, OpKind::kFileWrite, file, site);
  }
  // Until `signaller` signals: three events of the waiter, as the scheduler writes them.
  TraceBuilder& waits_for_signal(ThreadId waiter, ThreadId signaller, uint64_t variable,
                                 uint64_t mutex, uint8_t how_it_ended = 0) {
    does(waiter, OpKind::kCondWait, variable);
    does(signaller, OpKind::kCondSignal, variable);
    does(waiter, OpKind::kCondWait, variable, 0x10, kTraceBlocked);
    return does(waiter, OpKind::kMutexLock, mutex, 0x10,
                static_cast<uint8_t>(kTraceOffered | how_it_ended));
  }

  // Arrivals come as early as they can: a thread reaches its next operation right after the last
  // one, so that every operation after a switch is written down before the switch.
  ExecutionRecord finish(uint64_t load_base = kLoadBase) const {
    ExecutionRecord record;
    record.modules = {{load_base, load_base + 0x100000, load_base, "/usr/sbin/server"}};
    Writer writer{record, executed_, load_base};
    writer.write();
    return record;
  }

 private:
  struct Step {
    ThreadId thread;
    OpKind kind;
    uint64_t object;
    uint64_t site;
    uint8_t flags;
  };

  struct Writer {
    ExecutionRecord& record;
    const std::vector<Step>& steps;
    uint64_t load_base;
    std::vector<bool> written = std::vector<bool>(steps.size(), false);

    void write() {
      // All threads stand before their first operation when the execution begins.
      std::vector<bool> seen(128, false);
      for (size_t i = 0; i < steps.size(); ++i) {
        if (!seen[steps[i].thread]) event(i, 0);
        seen[steps[i].thread] = true;
      }
      uint32_t point = 0;
      for (size_t i = 0; i < steps.size(); ++i) {
        if (i == 0 || steps[i].thread != steps[i - 1].thread) {
          record.choices.push_back({point, steps[i].thread, 0});
        }
        const size_t next = next_of(i);
        if (next < steps.size()) event(next, ++point);
        if (next >= steps.size()) ++point;  // it leaves: a decision without an event
      }
    }

    size_t next_of(size_t i) const {
      size_t next = i + 1;
      while (next < steps.size() && steps[next].thread != steps[i].thread) ++next;
      return next;
    }

    void event(size_t i, uint32_t point) {
      if (written[i]) return;
      written[i] = true;
      const Step& step = steps[i];
      TraceEvent one{};
      one.site = step.site == 0 ? 0 : load_base + step.site;
      one.object = step.object;
      one.point = point;
      one.thread = step.thread;
      one.kind = step.kind;
      one.flags = step.flags;
      record.trace.push_back(one);
    }
  };

  std::vector<Step> executed_;
};

}  // namespace esox::test
