// SPDX-License-Identifier: Apache-2.0
#include "harness/findings/diagnosis/description.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "analysis/context_role.h"
#include "analysis/finding.h"
#include "analysis/held_locks.h"
#include "analysis/linearization.h"
#include "analysis/operation_text.h"
#include "analysis/thread_name.h"

namespace esox {

Teller::Teller(const ExecutionRecord& record, uint64_t points, const Input& input, Symbols& symbols)
    : record_(record),
      input_(input),
      symbols_(symbols),
      objects_(record, symbols),
      schedule_(schedule_of(record.choices, record.ending.kind == EndingKind::kFinished)),
      own_(record.choices, points) {}

std::string Teller::client(ThreadId thread) const {
  return thread_name(client_names(input_), thread);
}

// With what the object is, where it has a name of its own.
std::string Teller::object(OpKind kind, uint64_t object) const {
  const std::string& name = objects_.name(kind, object);
  const std::string symbol = record_.names.contains(object) ? "" : symbols_.object(object);
  return symbol.empty() ? name : fmt::format("{} ({})", name, symbol);
}

const TraceEvent* Teller::event_of(ThreadId thread, uint32_t own) const {
  const uint64_t point = own_.point_of(thread, own);
  const TraceEvent* found = nullptr;
  for (const TraceEvent& event : record_.trace) {
    // The last one: a wait that ends is told under the number of the next point.
    if (event.point == point && event.thread == thread) found = &event;
  }
  return found;
}

uint64_t Teller::site_of(ThreadId thread, uint32_t own) const {
  const TraceEvent* event = event_of(thread, own);
  return event == nullptr ? 0 : event->site;
}

OperationDescription Teller::operation(ThreadId thread, uint32_t own) const {
  OperationDescription description;
  description.client = client(thread);
  description.role = context_role(record_, thread, symbols_);
  const TraceEvent* event = event_of(thread, own);
  if (event == nullptr) {
    description.operation = "the beginning of its request";
    return description;
  }
  description.point = event->point;
  const bool boundary = event->kind == OpKind::kRequestBegin || event->kind == OpKind::kRequestEnd;
  description.operation =
      boundary ? (event->kind == OpKind::kRequestBegin ? "the beginning of its request"
                                                       : "the end of its request")
               : operation_name(event->kind);
  const std::string name = boundary ? "" : object(event->kind, event->object);
  if (!name.empty()) description.operation += " " + name;
  if (event->site == 0) return description;
  description.function = symbols_.function(event->site);
  description.site = symbols_.site(event->site);
  return description;
}

// Those that ran between two points, told as a list.
std::string Teller::requests_within(ThreadId thread, uint64_t begin, uint64_t end) const {
  std::vector<std::string> names;
  if (thread >= record_.stamps.size()) return "";
  const auto& stamps = record_.stamps[thread];
  for (size_t i = 0; i < stamps.size(); ++i) {
    if (stamps[i].invocation > end || stamps[i].response < begin) continue;
    names.push_back(request_name(thread, i, client_names(input_)));
  }
  return fmt::format("{}", fmt::join(names, ", "));
}

// All its requests were answered.
bool Teller::has_ended(ThreadId thread) const {
  if (record_.ending.kind == EndingKind::kFinished) return true;
  if (thread >= record_.stamps.size()) return false;
  const auto& stamps = record_.stamps[thread];
  return std::ranges::none_of(stamps, [](const Stamp& stamp) { return stamp.response == kNever; });
}

std::string Teller::what_ran(size_t segment) const {
  const ThreadId thread = schedule_[segment].thread;
  const uint32_t total = own_.total(thread);
  const uint32_t begin = begin_of(schedule_, segment);
  const uint32_t end = std::min(schedule_[segment].until, total);
  const std::string requests =
      requests_within(thread, own_.point_of(thread, begin + 1), own_.point_of(thread, end));
  const std::string what = requests.empty() ? "on" : requests;
  if (end == total && has_ended(thread)) return fmt::format("ran {} to its end", what);
  const OperationDescription until = operation(thread, end);
  return fmt::format("ran {} up to '{}' {}{}", what, until.operation, place(until),
                     end == total ? ", and no further" : "");
}

SwitchDescription Teller::at_switch(size_t index) const {
  const Segment& segment = schedule_[index];
  SwitchDescription description;
  description.from = client(segment.thread);
  description.to = client(schedule_[index + 1].thread);
  description.from_role = context_role(record_, segment.thread, symbols_);
  description.to_role = context_role(record_, schedule_[index + 1].thread, symbols_);
  const uint32_t total = own_.total(segment.thread);
  const uint32_t until = std::min(segment.until, total);
  description.at = operation(segment.thread, until);
  description.ended = until == total && has_ended(segment.thread);
  description.then = what_ran(index + 1);
  const TraceEvent* event = event_of(segment.thread, until);
  if (event == nullptr) return description;
  description.repeated = (event->flags & kTraceDemoted) != 0;
  description.could_go_on = !description.repeated && (event->flags & kTraceSwitchedAway) != 0;
  const LocksAround around = locks_around(record_.trace, segment.thread, event->point);
  for (const HeldLock& lock : around.held) {
    description.held.push_back({object(lock.kind, lock.object), symbols_.site(lock.site)});
  }
  if (around.last_release) {
    description.after = object(around.last_release->kind, around.last_release->object);
  }
  if (around.next_acquire) {
    description.before = object(around.next_acquire->kind, around.next_acquire->object);
  }
  return description;
}

std::vector<SwitchDescription> Teller::all_switches() const {
  std::vector<SwitchDescription> descriptions;
  for (size_t i = 0; i + 1 < schedule_.size(); ++i) descriptions.push_back(at_switch(i));
  return descriptions;
}

std::string place(const OperationDescription& description) {
  if (description.site.empty()) return "";
  const std::string below = description.below.empty() ? "" : ", below " + description.below;
  if (description.function == description.site) return "at " + description.site + below;
  return fmt::format("in {} (at {}){}", description.function, description.site, below);
}

std::string who(const std::string& name, const std::string& role) {
  if (role.empty()) return "client " + name;
  return fmt::format("the server's thread {} ({})", name, role);
}

std::string sentence(const SwitchDescription& description) {
  std::string text = who(description.from, description.from_role) + " ";
  text.front() = text.front() == 'c' ? 'C' : 'T';
  if (description.ended) {
    text += "had ended";
  } else {
    text += description.could_go_on ? "was switched out"
                                    : (description.repeated ? "repeated itself" : "had to wait");
    const std::string where = place(description.at);
    if (!where.empty()) text += " " + where;
    text += fmt::format(", at '{}'", description.at.operation);
    if (!description.after.empty()) text += fmt::format(", after releasing {}", description.after);
    if (!description.before.empty())
      text += fmt::format(", before acquiring {}", description.before);
  }
  return text +
         fmt::format("; {} then {}.", who(description.to, description.to_role), description.then);
}

}  // namespace esox
