// SPDX-License-Identifier: Apache-2.0
#include "harness/programs/schedule_text.h"

#include <fmt/format.h>

#include <algorithm>

#include "analysis/operation_text.h"
#include "analysis/report/layout.h"
#include "analysis/report/object_names.h"
#include "analysis/thread_name.h"

namespace esox {
namespace {

constexpr size_t kContext = 4;      // operations shown after and before each switch
constexpr size_t kMostLines = 600;  // of operations in all: the beginning and the end of more
constexpr size_t kThreadWidth = 24;
constexpr size_t kOperationWidth = 30;

class ScheduleWriter {
 public:
  ScheduleWriter(const ExecutionRecord& record, const std::vector<std::string>& names,
                 Symbols& symbols)
      : record_(record), names_(names), symbols_(symbols), objects_(record, symbols) {}

  std::string run() {
    const std::vector<bool> keep = kept();
    text_ = fmt::format("{:>6}  {}{}called by\n", "point", padded("thread", kThreadWidth),
                        padded("operation", kOperationWidth));
    const std::vector<TraceEvent>& trace = record_.trace;
    size_t left_out = 0;
    for (size_t i = 0; i < trace.size(); ++i) {
      if (keep[i] && left_out > 0) gap(left_out);
      if (keep[i] && i > 0 && trace[i].thread != trace[i - 1].thread) switch_line(i);
      left_out = keep[i] ? 0 : left_out + 1;
      if (keep[i]) line(trace[i]);
    }
    if (left_out > 0) gap(left_out);
    return std::move(text_);
  }

 private:
  bool is_switch(size_t i) const {
    return i > 0 && record_.trace[i].thread != record_.trace[i - 1].thread;
  }

  std::vector<bool> kept() const {
    const size_t size = record_.trace.size();
    std::vector<bool> keep(size, false);
    const auto around = [&](size_t at) {
      for (size_t i = at - std::min(at, kContext); i < std::min(size, at + kContext); ++i) {
        keep[i] = true;
      }
    };
    around(0);
    around(size);
    for (size_t i = 0; i < size; ++i) {
      if (is_switch(i)) around(i);
    }
    const auto lines = static_cast<size_t>(std::ranges::count(keep, true));
    for (size_t i = 0, seen = 0; i < size && lines > kMostLines; ++i) {
      if (!keep[i]) continue;
      ++seen;
      if (seen > kMostLines / 2 && seen <= lines - kMostLines / 2) keep[i] = false;
    }
    return keep;
  }

  std::string name(ThreadId thread) const { return thread_name(names_, thread); }

  // "T1" of "T1 (withdraw)".
  std::string short_name(ThreadId thread) const {
    const std::string whole = name(thread);
    return whole.substr(0, whole.find(' '));
  }

  void gap(size_t count) { text_ += fmt::format("        ... {} operations\n", count); }

  static const char* reason(const TraceEvent& event) {
    if ((event.flags & kTraceDemoted) != 0) return "repeated itself";
    if ((event.flags & kTraceBlocked) != 0) return "has to wait";
    if ((event.flags & kTraceSwitchedAway) != 0) return "could have gone on";
    if (event.kind == OpKind::kThreadExit) return "has ended";
    return nullptr;
  }

  void switch_line(size_t i) {
    const TraceEvent& from = record_.trace[i - 1];
    text_ += fmt::format("------  {} goes on", short_name(record_.trace[i].thread));
    if (const char* why = reason(from))
      text_ += fmt::format("; {} {}", short_name(from.thread), why);
    text_ += "\n";
  }

  std::string operation(const TraceEvent& event) const {
    std::string text = operation_name(event.kind);
    if (event.kind == OpKind::kThreadJoin) {
      return text + " " + short_name(static_cast<ThreadId>(event.object));
    }
    const std::string& object = objects_.name(event.kind, event.object);
    return object.empty() ? text : text + " " + object;
  }

  static std::string marks(const TraceEvent& event) {
    std::string text;
    if ((event.flags & kTraceSwitchedAway) != 0) text += " [!]";
    if ((event.flags & kTraceBlocked) != 0) text += " [waits]";
    if ((event.flags & kTraceTimedOut) != 0) text += " [timed out]";
    return text;
  }

  void line(const TraceEvent& event) {
    std::string line =
        fmt::format("{:>6}  {}", event.point,
                    padded(keep_start(name(event.thread), kThreadWidth - 1), kThreadWidth));
    line += padded(operation(event) + marks(event), kOperationWidth - 1) + " ";
    if (event.site != 0) line += symbols_.site(event.site);
    while (line.ends_with(' ')) line.pop_back();
    text_ += line + "\n";
  }

  const ExecutionRecord& record_;
  const std::vector<std::string>& names_;
  Symbols& symbols_;
  ObjectNames objects_;
  std::string text_;
};

}  // namespace

std::string schedule_text(const ExecutionRecord& record, const std::vector<std::string>& names,
                          Symbols& symbols) {
  return ScheduleWriter(record, names, symbols).run();
}

}  // namespace esox
