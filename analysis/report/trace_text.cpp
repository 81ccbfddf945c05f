// SPDX-License-Identifier: Apache-2.0
#include "analysis/report/trace_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "analysis/context_role.h"
#include "analysis/finding.h"
#include "analysis/linearization.h"
#include "analysis/operation_text.h"
#include "analysis/report/layout.h"
#include "analysis/report/object_names.h"
#include "analysis/rows.h"
#include "analysis/thread_name.h"

namespace esox {
namespace {

constexpr size_t kPointWidth = 8;
constexpr size_t kMinColumn = 22;
constexpr size_t kMaxColumn = 36;
constexpr size_t kMinSite = 24;
// A gap shorter than this is shown: the line that says what was left out is a line as well.
constexpr size_t kMinGap = 4;

constexpr uint8_t kNotable =
    kTraceSwitchedAway | kTraceBlocked | kTraceTimedOut | kTraceExternal | kTraceDemoted;

class TraceWriter {
 public:
  TraceWriter(const ExecutionRecord& record, const Input& input, Symbols& symbols,
              const TraceTextOptions& options)
      : record_(record),
        input_(input),
        symbols_(symbols),
        options_(options),
        objects_(record, symbols) {
    for (size_t i = 0; i < std::max<size_t>(1, input.clients.size()); ++i) {
      titles_.push_back(static_cast<ThreadId>(i));
    }
    for (const TraceEvent& event : record.trace) {
      if (place_of(event.thread) == titles_.size()) titles_.push_back(event.thread);
    }
    const size_t share = options.width * 55 / 100 / titles_.size();
    column_ = std::clamp(share, kMinColumn, kMaxColumn);
    const size_t used = columns_width();
    site_ = options.width > used + kMinSite ? options.width - used : kMinSite;
  }

  std::string run() {
    head();
    column_titles();
    events();
    legend();
    return std::move(text_);
  }

 private:
  std::string thread_name(ThreadId thread) const {
    return esox::thread_name(client_names(input_), thread);
  }

  void paragraph(const std::string& text) { text_ += wrapped(text, options_.width) + "\n"; }

  void head() {
    paragraph(fmt::format(
        "Trace of execution {} (strategy {}, seed {}): operations {}, switches {}.", record_.number,
        record_.strategy, record_.seed, record_.trace.size(), switches()));
    text_ += "Requests\n";
    for (size_t client = 0; client < input_.clients.size(); ++client) {
      const auto& requests = input_.clients[client].requests;
      for (size_t request = 0; request < requests.size(); ++request) {
        text_ += labelled(request_name(client, request, client_names(input_)) + "  ",
                          printable(requests[request].text), options_.width, 2);
      }
    }
    for (const ThreadId thread : titles_) {
      const std::string role = context_role(record_, thread, symbols_);
      if (!role.empty()) {
        text_ +=
            labelled(thread_name(thread) + "  ", "the server's own: " + role, options_.width, 2);
      }
    }
    text_ += "\n";
    paragraph(
        "How to read this. The server's threads run one at a time, and each line is one operation "
        "of the thread that serves the client named above the column (T and a number: a thread of "
        "the server's own), earlier ones first. A thread can be replaced by another only at a "
        "numbered point, which lies just before the operation (for 'unlocked' just after it); so "
        "the operation on the last line before a switch is carried out only when its thread goes "
        "on. At the right stands the place in the server that called the operation.");
    paragraph(
        "Marks: [!] replaced here though it could have gone on (these switches make the "
        "interleaving); [waits] could not go on; [timed out] a timed wait ended by the virtual "
        "clock; [outside] woken by, or waited for, a thread that is not controlled; [demoted] "
        "moved away because it repeated itself.");
  }

  size_t switches() const {
    size_t count = 0;
    for (size_t i = 1; i < record_.trace.size(); ++i) count += is_switch(i);
    return count;
  }

  bool is_switch(size_t i) const {
    return i > 0 && record_.trace[i].thread != record_.trace[i - 1].thread;
  }

  void column_titles() {
    std::string line = padded(" point", kPointWidth);
    for (const ThreadId thread : titles_) line += padded(thread_name(thread), column_);
    line += "called by";
    text_ += line + "\n" + std::string(width(), '-') + "\n";
  }

  std::vector<bool> kept() const {
    const size_t size = record_.trace.size();
    std::vector<bool> keep(size, false);
    const auto around = [&](size_t from, size_t to) {
      const size_t begin = from > options_.context ? from - options_.context : 0;
      const size_t end = std::min(size, to + options_.context);
      for (size_t i = begin; i < end; ++i) keep[i] = true;
    };
    for (size_t i = 0; i < size; ++i) {
      const TraceEvent& event = record_.trace[i];
      const bool request = event.kind == OpKind::kRequestBegin || event.kind == OpKind::kRequestEnd;
      if (is_switch(i)) around(i, i);
      if (request) around(i, i + 1);
      if (event.flags & kNotable) keep[i] = true;
    }
    if (size > 0) {
      around(0, 0);
      around(size, size);
    }
    fill_short_gaps(keep);
    return keep;
  }

  static void fill_short_gaps(std::vector<bool>& keep) {
    for (size_t i = 0; i < keep.size();) {
      size_t end = i;
      while (end < keep.size() && !keep[end]) ++end;
      if (end - i < kMinGap) {
        for (size_t shown = i; shown < end; ++shown) keep[shown] = true;
      }
      i = end + 1;
    }
  }

  void events() {
    if (record_.trace.empty()) text_ += "(no operations were recorded)\n";
    const std::vector<bool> keep = kept();
    for (size_t i = 0; i < record_.trace.size();) {
      if (is_switch(i)) switch_line(i);
      if (keep[i]) {
        event_line(i++);
        continue;
      }
      size_t end = i;
      while (end < keep.size() && !keep[end] && !(end > i && is_switch(end))) ++end;
      gap_line(i, end);
      for (; i < end; ++i) remember(record_.trace[i]);
    }
  }

  void gap_line(size_t begin, size_t end) {
    const TraceEvent& first = record_.trace[begin];
    const std::string left = std::string(kPointWidth + place_of(first.thread) * column_, ' ');
    text_ += fmt::format("{}... {} operations (points {}-{})\n", left, end - begin, first.point,
                         record_.trace[end - 1].point);
  }

  // Why the thread of this event did not run on.
  std::string reason(const TraceEvent& event) const {
    const std::string who = thread_name(event.thread);
    if (event.flags & kTraceDemoted) return who + " repeated itself";
    if (event.flags & kTraceBlocked) return who + " has to wait";
    if (event.flags & kTraceSwitchedAway) return who + " could have gone on";
    if (event.kind == OpKind::kRequestEnd) return who + " has answered";
    if (event.kind == OpKind::kThreadExit) return who + " has ended";
    return "";
  }

  void switch_line(size_t i) {
    const TraceEvent& from = record_.trace[i - 1];
    const TraceEvent& to = record_.trace[i];
    std::string line = fmt::format("---- switch {} -> {} at point {}", thread_name(from.thread),
                                   thread_name(to.thread), from.point);
    const std::string why = reason(from);
    if (!why.empty()) line += ": " + why;
    const auto held = interrupted_.find(to.thread);
    if (held != interrupted_.end()) {
      line += fmt::format("; {} goes on with: {}", thread_name(to.thread), held->second);
    }
    line = keep_start(line, width() - 5) + " ";
    text_ += line + std::string(width() - text_width(line), '-') + "\n";
  }

  // The thread's column; their number if it has none. Threads beyond the clients' have one only if
  // they did anything.
  size_t place_of(ThreadId thread) const {
    return static_cast<size_t>(std::ranges::find(titles_, thread) - titles_.begin());
  }

  size_t columns_width() const { return kPointWidth + titles_.size() * column_; }
  size_t width() const { return columns_width() + site_; }

  std::string request_text(const TraceEvent& event) const {
    const auto count = begun_.find(event.thread);
    const size_t request = count == begun_.end() ? 0 : count->second;
    const bool begins = event.kind == OpKind::kRequestBegin;
    // The name of the request that begins now, or of the one that began last.
    const size_t index = begins ? request : (request == 0 ? 0 : request - 1);
    return thread_name(event.thread) + std::to_string(index + 1) + (begins ? " begins" : " ends");
  }

  std::string operation(const TraceEvent& event) const {
    if (event.kind == OpKind::kRequestBegin || event.kind == OpKind::kRequestEnd) {
      return request_text(event);
    }
    std::string text = operation_name(event.kind);
    const std::string& object = objects_.name(event.kind, event.object);
    if (!object.empty()) text += " " + object;
    return text;
  }

  static std::string marks(const TraceEvent& event) {
    std::string text;
    if (event.flags & kTraceSwitchedAway) text += " [!]";
    if (event.flags & kTraceBlocked) text += " [waits]";
    if (event.flags & kTraceTimedOut) text += " [timed out]";
    if (event.flags & kTraceExternal) text += " [outside]";
    if (event.flags & kTraceDemoted) text += " [demoted]";
    return text;
  }

  // Keeps what later lines refer to: requests begun, operations not yet carried out.
  void remember(const TraceEvent& event) {
    if (event.kind == OpKind::kRequestBegin) ++begun_[event.thread];
    const bool open = (event.flags & (kTraceSwitchedAway | kTraceBlocked)) != 0;
    if (open) {
      interrupted_[event.thread] = operation(event);
    } else {
      interrupted_.erase(event.thread);
    }
  }

  void event_line(size_t i) {
    const TraceEvent& event = record_.trace[i];
    const std::string mark = marks(event);
    const size_t room = column_ - 1;
    const size_t name_room = room > text_width(mark) ? room - text_width(mark) : 1;
    const std::string cell = keep_start(operation(event), name_room) + mark;
    std::string line = fmt::format("{:>6}  ", event.point);
    line += std::string(place_of(event.thread) * column_, ' ') + cell;
    line = padded(line, columns_width() - 1) + " ";
    if (event.site != 0) line += keep_end(symbols_.site(event.site), site_);
    while (!line.empty() && line.back() == ' ') line.pop_back();
    text_ += line + "\n";
    const std::string& object = objects_.name(event.kind, event.object);
    if (!object.empty()) shown_.insert(object);
    remember(event);
  }

  void legend() {
    if (shown_.empty()) return;
    text_ += "\nObjects named above, in the order of their first use\n";
    std::set<std::string> listed;
    for (const ObjectNames::Entry& entry : objects_.entries()) {
      if (!shown_.contains(entry.name) || !listed.insert(entry.name + entry.meaning).second) {
        continue;
      }
      text_ += keep_start("  " + padded(entry.name, 16) + "  " + entry.meaning, width()) + "\n";
    }
  }

  const ExecutionRecord& record_;
  const Input& input_;
  Symbols& symbols_;
  const TraceTextOptions& options_;
  ObjectNames objects_;
  std::vector<ThreadId> titles_;
  size_t column_ = 0;
  size_t site_ = 0;
  std::map<ThreadId, size_t> begun_;             // requests begun so far
  std::map<ThreadId, std::string> interrupted_;  // the operation a thread stands before
  std::set<std::string> shown_;
  std::string text_;
};

}  // namespace

std::string trace_text(const ExecutionRecord& record, const Input& input, Symbols& symbols,
                       const TraceTextOptions& options) {
  return TraceWriter(record, input, symbols, options).run();
}

}  // namespace esox
