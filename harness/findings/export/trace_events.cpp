// SPDX-License-Identifier: Apache-2.0
#include "harness/findings/export/trace_events.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "analysis/linearization.h"
#include "analysis/operation_text.h"
#include "analysis/report/object_names.h"
#include "analysis/thread_name.h"
#include "harness/records/json_text.h"

namespace esox {
namespace {

constexpr int kClients = 1;  // process ids
constexpr int kServer = 2;

bool wakes(OpKind kind) {
  return is_release(kind) || kind == OpKind::kCondSignal || kind == OpKind::kCondBroadcast ||
         kind == OpKind::kSemPost || kind == OpKind::kFutexWake;
}

class Exporter {
 public:
  Exporter(const ExecutionRecord& record, const Input& input, Symbols& symbols)
      : record_(record), input_(input), symbols_(symbols), objects_(record, symbols) {
    for (const TraceEvent& event : record.trace) last_ = std::max<uint64_t>(last_, event.point);
    for (const Choice& choice : record.choices) last_ = std::max<uint64_t>(last_, choice.point);
  }

  std::string run(const std::optional<FoundSwitch>& marked, const std::string& sentence) {
    name_tracks();
    requests();
    runs();
    operations();
    if (marked) mark(*marked, sentence);
    const OrderedJson all = {{"displayTimeUnit", "ns"},
                             {"otherData",
                              {{"input", input_.id},
                               {"execution", record_.number},
                               {"seed", record_.seed},
                               {"strategy", record_.strategy},
                               {"unit", "1 us is one scheduling point"}}},
                             {"traceEvents", events_}};
    return json_text(all, 1);
  }

 private:
  std::string client(ThreadId thread) const { return thread_name(client_names(input_), thread); }

  void name_tracks() {
    name("process_name", kClients, 0, "clients");
    name("process_name", kServer, 0, "server");
    std::map<ThreadId, bool> threads;
    for (size_t i = 0; i < input_.clients.size(); ++i) {
      name("thread_name", kClients, static_cast<ThreadId>(i), "client " + input_.clients[i].name);
      threads[static_cast<ThreadId>(i)] = true;
    }
    for (const TraceEvent& event : record_.trace) threads[event.thread] = true;
    for (const auto& [thread, used] : threads) {
      name("thread_name", kServer, thread, "thread of client " + client(thread));
    }
  }

  void name(const char* what, int process, ThreadId thread, const std::string& text) {
    events_.push_back({{"ph", "M"},
                       {"name", what},
                       {"pid", process},
                       {"tid", thread + 1},
                       {"args", {{"name", text}}}});
  }

  void slice(int process, ThreadId thread, const std::string& text, uint64_t begin, uint64_t end,
             const OrderedJson& arguments) {
    events_.push_back({{"ph", "X"},
                       {"name", text},
                       {"cat", process == kClients ? "request" : "run"},
                       {"pid", process},
                       {"tid", thread + 1},
                       {"ts", begin},
                       {"dur", end - begin},
                       {"args", arguments}});
  }

  void requests() {
    std::vector<std::string> names;
    for (const InputClient& one : input_.clients) names.push_back(one.name);
    for (size_t c = 0; c < record_.stamps.size() && c < input_.clients.size(); ++c) {
      const auto& texts = input_.clients[c].requests;
      for (size_t r = 0; r < record_.stamps[c].size() && r < texts.size(); ++r) {
        const Stamp& stamp = record_.stamps[c][r];
        const bool answered = stamp.response != kNever;
        const uint64_t begin = std::min(stamp.invocation, last_ + 1);
        const uint64_t end = answered ? std::max(stamp.response, begin) : last_ + 1;
        slice(kClients, static_cast<ThreadId>(c), request_name(c, r, names), begin, end,
              {{"request", texts[r].text}, {"answered", answered}});
      }
    }
  }

  // Choice i gives the baton to its thread, until the next choice.
  void runs() {
    for (size_t i = 0; i < record_.choices.size(); ++i) {
      const Choice& choice = record_.choices[i];
      const uint64_t end =
          i + 1 < record_.choices.size() ? record_.choices[i + 1].point : last_ + 1;
      if (end <= choice.point) continue;
      // The point at which it was chosen is still the other's.
      slice(kServer, choice.thread, fmt::format("{} runs", client(choice.thread)),
            uint64_t{choice.point} + 1, end + 1, {{"switch", i}});
    }
  }

  static OrderedJson marks(const TraceEvent& event) {
    OrderedJson list = OrderedJson::array();
    if (event.flags & kTraceSwitchedAway) list.push_back("replaced though it could have gone on");
    if (event.flags & kTraceBlocked) list.push_back("waits");
    if (event.flags & kTraceTimedOut) list.push_back("timed out");
    if (event.flags & kTraceExternal) list.push_back("outside");
    if (event.flags & kTraceDemoted) list.push_back("repeated itself");
    return list;
  }

  void operations() {
    for (size_t i = 0; i < record_.trace.size(); ++i) {
      const TraceEvent& event = record_.trace[i];
      const std::string& object = objects_.name(event.kind, event.object);
      std::string text = operation_name(event.kind);
      if (!object.empty()) text += " " + object;
      OrderedJson arguments = {{"point", event.point}};
      if (event.site != 0) arguments["site"] = symbols_.site(event.site);
      const OrderedJson list = marks(event);
      if (!list.empty()) arguments["marks"] = list;
      events_.push_back({{"ph", "i"},
                         {"name", text},
                         {"cat", "operation"},
                         {"s", "t"},
                         {"pid", kServer},
                         {"tid", event.thread + 1},
                         {"ts", event.point},
                         {"args", arguments}});
      went_on(i);
      if (event.flags & kTraceBlocked) waits_since_[event.thread] = i;
    }
  }

  // If the thread of this event had to wait: who let it go on?
  void went_on(size_t at) {
    const TraceEvent& event = record_.trace[at];
    const auto waited = waits_since_.find(event.thread);
    if (waited == waits_since_.end()) return;
    const size_t since = waited->second;
    waits_since_.erase(waited);
    const uint64_t object = record_.trace[since].object;
    for (size_t i = at; i-- > since + 1;) {
      const TraceEvent& other = record_.trace[i];
      if (other.thread == event.thread || other.object != object || !wakes(other.kind)) continue;
      ++flows_;
      flow("s", other);
      flow("f", event);
      return;
    }
  }

  void flow(const char* phase, const TraceEvent& event) {
    OrderedJson one = {{"ph", phase},      {"name", "lets go on"}, {"cat", "wake"},
                       {"id", flows_},     {"pid", kServer},       {"tid", event.thread + 1},
                       {"ts", event.point}};
    if (*phase == 'f') one["bp"] = "e";  // binds to the slice around it
    events_.push_back(std::move(one));
  }

  void mark(const FoundSwitch& found, const std::string& sentence) {
    OrderedJson arguments = {{"point", found.point}};
    if (found.critical && !sentence.empty()) arguments["sentence"] = sentence;
    events_.push_back(
        {{"ph", "i"},
         {"name", fmt::format("{} switch {} -> {}", found.critical ? "critical" : "last",
                              client(found.from), client(found.to))},
         {"cat", "critical"},
         {"s", "g"},
         {"pid", kServer},
         {"tid", found.from + 1},
         {"ts", found.point},
         {"args", arguments}});
  }

  const ExecutionRecord& record_;
  const Input& input_;
  Symbols& symbols_;
  ObjectNames objects_;
  uint64_t last_ = 0;
  uint64_t flows_ = 0;
  std::map<ThreadId, size_t> waits_since_;
  OrderedJson events_ = OrderedJson::array();
};

}  // namespace

std::string trace_events_json(const ExecutionRecord& record, const Input& input, Symbols& symbols,
                              const std::optional<FoundSwitch>& marked,
                              const std::string& sentence) {
  return Exporter(record, input, symbols).run(marked, sentence);
}

}  // namespace esox
