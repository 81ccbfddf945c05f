// SPDX-License-Identifier: Apache-2.0
#include "analysis/report/standstill_text.h"

#include <fmt/format.h>

#include <map>
#include <set>
#include <span>
#include <string_view>
#include <tuple>

#include "analysis/operation_text.h"
#include "analysis/standstill.h"
#include "analysis/thread_name.h"

namespace esox {
namespace {

using Operation = std::tuple<ThreadId, OpKind, uint64_t, uint64_t>;  // thread, kind, site, object

Operation operation_of(const TraceEvent& event) {
  return {event.thread, event.kind, event.site, event.object};
}

std::string name_of(ThreadId thread, const std::vector<std::string>& names) {
  return (thread < names.size() ? "client " : "thread ") + thread_name(names, thread);
}

// What stands before the place in the lines about a client.
constexpr std::string_view kStands = " stands since point ";
constexpr std::string_view kTimedOut = " of its waits timed out, the last in ";

// "wait cond"
std::string operation_text(OpKind kind) {
  const std::string object = object_kind(kind);
  return object.empty() ? operation_name(kind) : fmt::format("{} {}", operation_name(kind), object);
}

// What one thread has done since.
struct Circle {
  std::set<Operation> operations;
  uint64_t timed_out = 0;
  uint64_t timed_out_site = 0;
};

std::string circle_line(const std::string& name, const Circle& circle, Symbols& symbols) {
  std::string line =
      fmt::format("  {} has repeated the same {} operations", name, circle.operations.size());
  if (circle.timed_out == 0) return line;
  return line +
         fmt::format("; {}{}{}", circle.timed_out, kTimedOut, symbols.site(circle.timed_out_site));
}

}  // namespace

std::vector<std::string> standstill_lines(const ExecutionRecord& record,
                                          const std::vector<std::string>& names, Symbols& symbols) {
  const std::span<const TraceEvent> trace(record.trace);
  const std::optional<size_t> last_new = standstill_of(record);
  if (!last_new) return {};
  std::map<ThreadId, TraceEvent> last;
  std::map<ThreadId, Circle> circles;
  for (size_t i = 0; i < trace.size(); ++i) {
    last[trace[i].thread] = trace[i];
    if (i <= *last_new) continue;
    Circle& circle = circles[trace[i].thread];
    circle.operations.insert(operation_of(trace[i]));
    if ((trace[i].flags & kTraceTimedOut) == 0) continue;
    ++circle.timed_out;
    circle.timed_out_site = trace[i].site;
  }
  std::vector<std::string> lines{
      fmt::format("nothing new happened after point {}:", trace[*last_new].point)};
  for (const auto& [thread, event] : last) {
    // It has no more to do.
    if (event.kind == OpKind::kRequestEnd || event.kind == OpKind::kThreadExit) continue;
    const std::string name = name_of(thread, names);
    const auto circle = circles.find(thread);
    lines.push_back(circle != circles.end()
                        ? circle_line(name, circle->second, symbols)
                        : fmt::format("  {}{}{}, at '{}' in {}", name, kStands, event.point,
                                      operation_text(event.kind), symbols.site(event.site)));
  }
  return lines;
}

std::set<std::string> standstill_places(std::span<const std::string> lines) {
  constexpr std::string_view kIn = "' in ";
  std::set<std::string> places;
  for (const std::string& line : lines) {
    const size_t timed_out = line.find(kTimedOut);
    const size_t in = line.find(kIn);
    if (timed_out != line.npos) {
      places.insert(line.substr(timed_out + kTimedOut.size()));
    } else if (line.find(kStands) != line.npos && in != line.npos) {
      places.insert(line.substr(in + kIn.size()));
    }
  }
  return places;
}

}  // namespace esox
