// SPDX-License-Identifier: Apache-2.0
#include "harness/programs/failure.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <signal.h>

#include <algorithm>

#include "analysis/operation_text.h"
#include "analysis/report/object_names.h"
#include "analysis/rows.h"
#include "base/text/counted.h"
#include "base/text/enum_names.h"
#include "harness/records/lines.h"

namespace esox {
namespace {

constexpr const char* kNames[] = {"crash",    "assertion", "abort",      "exit status",
                                  "deadlock", "hang",      "thread leak"};

constexpr size_t kMostOfLine = 200;

// glibc: "PROGRAM: FILE:LINE: FUNCTION: Assertion `TEXT' failed."
bool tells_assertion(const std::string& line) {
  const size_t at = line.find("Assertion ");
  return at != std::string::npos && line.find(" failed", at) != std::string::npos;
}

// From the file's name on.
std::string without_program(const std::string& line) {
  const size_t colon = line.find(": ");
  const size_t assertion = line.find("Assertion ");
  return colon < assertion && colon != std::string::npos ? line.substr(colon + 2) : line;
}

std::string assertion_in(const std::string& output) {
  for (const std::string& line : lines_of(output)) {
    if (tells_assertion(line)) return printable_cut(without_program(line), kMostOfLine);
  }
  return "";
}

std::string last_line(const std::string& output) {
  std::string last;
  for (const std::string& line : lines_of(output)) {
    if (!line.empty()) last = line;
  }
  return printable_cut(last, kMostOfLine);
}

std::string short_name(ThreadId thread) {
  return thread == 0 ? "main" : fmt::format("T{}", thread);
}

std::string signal_name(int signal) {
  const char* name = sigabbrev_np(signal);
  return name == nullptr ? fmt::format("signal {}", signal) : fmt::format("SIG{}", name);
}

// "withdraw" of "bank::(anonymous)::withdraw".
std::string last_part(const std::string& function) {
  const size_t colons = function.rfind("::");
  return colons == std::string::npos ? function : function.substr(colons + 2);
}

// Of an instruction; Symbols looks before what it is given, as for a return address.
uint64_t as_return_address(uint64_t pc) {
  return pc == 0 ? 0 : pc + 1;
}

Failure crash(const ProgramEnd& end, Symbols& symbols) {
  const std::string signal = signal_name(end.status.signal);
  if (end.crash_pc == 0) return {FailureClass::kCrash, signal, signal};
  const uint64_t site = as_return_address(end.crash_pc);
  return {FailureClass::kCrash,
          fmt::format("{} in {}, thread {}", signal, symbols.site(site),
                      end.crash_thread == kNoThread ? "?" : short_name(end.crash_thread)),
          fmt::format("{} {}", signal, symbols.function(site))};
}

Failure aborted(const std::string& output) {
  const std::string line = last_line(output);
  return {FailureClass::kAbort, line.empty() ? "SIGABRT" : "SIGABRT after: " + line, line};
}

// A lock's owner that does not stand there itself is no more.
bool has_ended(ThreadId owner, const std::vector<CycleEntry>& waiting) {
  if (owner == kNoThread || waiting.size() == kMaxCycle) return false;  // not all are told
  return std::ranges::none_of(waiting,
                              [&](const CycleEntry& entry) { return entry.thread == owner; });
}

const char* why_nobody_goes_on(const std::vector<CycleEntry>& waiting) {
  const auto all = [&](auto&& holds) { return std::ranges::all_of(waiting, holds); };
  if (!all([&](const CycleEntry& entry) { return !has_ended(entry.owner, waiting); })) {
    return "a lock's holder has ended";
  }
  return all([](const CycleEntry& entry) { return entry.owner != kNoThread; })
             ? "threads wait for each other"
             : "nobody is left to wake";
}

Failure deadlock(const std::vector<CycleEntry>& waiting, Symbols& symbols) {
  std::vector<std::string> places;
  std::vector<std::string> words;
  for (const CycleEntry& entry : waiting) {
    places.push_back(fmt::format("{} {}", operation_name(entry.kind), symbols.site(entry.site)));
    words.push_back(
        fmt::format("{} in {}", short_name(entry.thread), symbols.function(entry.site)));
  }
  std::ranges::sort(places);
  return {FailureClass::kDeadlock,
          fmt::format("{}: {}", why_nobody_goes_on(waiting), fmt::join(words, ", ")),
          fmt::format("{}", fmt::join(places, "; "))};
}

std::string hang_text(const ProgramEnd& end) {
  if (end.too_much_output) return fmt::format("wrote more than {} MiB", OutputFile::kMost >> 20);
  if (end.out_of_virtual_time) return "let more time pass than --virtual-limit";
  if (end.out_of_time) return "did not end within --timeout";
  return "went on for more scheduling points than the limit of them";
}

std::string object_of(const CycleEntry& entry, const ObjectNames& objects) {
  if (entry.kind == OpKind::kThreadJoin) return short_name(static_cast<ThreadId>(entry.object));
  return objects.name(entry.kind, entry.object);
}

// At which the thread came to what it is about to do.
uint32_t last_point(const ExecutionRecord& record, ThreadId thread) {
  const auto found = std::find_if(record.trace.rbegin(), record.trace.rend(),
                                  [&](const TraceEvent& event) { return event.thread == thread; });
  return found == record.trace.rend() ? 0 : found->point;
}

}  // namespace

const char* failure_name(FailureClass c) {
  return name_in(kNames, c);
}

std::optional<FailureClass> failure_from_name(const std::string& name) {
  return value_in<FailureClass>(kNames, name);
}

std::vector<std::string> doubts_about(const ProgramEnd& end) {
  std::vector<std::string> doubts = degraded_texts(end.degraded);
  if (end.replaced) doubts.emplace_back("the program became another one (exec)");
  return doubts;
}

std::optional<FailureClass> failure_class(const ProgramEnd& end, bool thread_leaks) {
  if (end.ending == ControlEnding::kDeadlock) return FailureClass::kDeadlock;
  if (end.ending == ControlEnding::kHang || end.out_of_time || end.too_much_output) {
    return FailureClass::kHang;
  }
  if (end.status.signal == SIGABRT) return FailureClass::kAbort;
  if (end.status.signal != 0) return FailureClass::kCrash;
  if (end.status.code != 0) return FailureClass::kExitStatus;
  if (thread_leaks && end.live_threads != 0) return FailureClass::kThreadLeak;
  return std::nullopt;
}

Failure describe_failure(FailureClass kind, const ProgramEnd& end, const ProgramServer& server,
                         Symbols& symbols) {
  switch (kind) {
    case FailureClass::kDeadlock:
      return deadlock(server.waiting(), symbols);
    case FailureClass::kHang:
      return {kind, hang_text(end), hang_text(end)};
    case FailureClass::kExitStatus: {
      const std::string status = std::to_string(end.status.code);
      const std::string line = last_line(server.output());
      return {kind, line.empty() ? status : fmt::format("{} after: {}", status, line), status};
    }
    case FailureClass::kThreadLeak:
      return {kind,
              "ended with " + counted(end.live_threads, "thread") + " neither joined nor detached",
              std::to_string(end.live_threads)};
    case FailureClass::kAssertion:
    case FailureClass::kAbort: {
      const std::string output = server.output();
      const std::string text = assertion_in(output);
      if (text.empty()) return aborted(output);
      return {FailureClass::kAssertion, text, text};
    }
    default:
      return crash(end, symbols);
  }
}

// C++'s std::thread starts them all by one function of the library.
std::vector<std::string> thread_names(const std::vector<uint64_t>& routines, Symbols& symbols) {
  std::vector<std::string> names;
  for (size_t i = 0; i < routines.size(); ++i) {
    std::string name = short_name(static_cast<ThreadId>(i));
    const std::string& function = symbols.function(as_return_address(routines[i]));
    if (routines[i] != 0 && function.find("execute_native_thread_routine") == std::string::npos &&
        function.find("libstdc++") == std::string::npos) {
      name += fmt::format(" ({})", last_part(function));
    }
    names.push_back(name);
  }
  return names;
}

std::vector<std::string> waiting_lines(const std::vector<CycleEntry>& waiting,
                                       const ExecutionRecord& record,
                                       const std::vector<std::string>& names, Symbols& symbols) {
  const ObjectNames objects(record, symbols);
  std::vector<std::string> lines;
  for (const CycleEntry& entry : waiting) {
    const std::string name =
        entry.thread < names.size() ? names[entry.thread] : short_name(entry.thread);
    std::string operation = operation_name(entry.kind);
    if (const std::string object = object_of(entry, objects); !object.empty()) {
      operation += " " + object;
    }
    std::string line = fmt::format("{} stands at '{}'", name, operation);
    if (entry.site != 0) line += fmt::format(" in {}", symbols.site(entry.site));
    if (entry.owner == entry.thread) {
      line += fmt::format(", could have gone on, and came there at point {} of {}",
                          last_point(record, entry.thread), record.trace.back().point);
    } else if (entry.owner != kNoThread && entry.kind != OpKind::kThreadJoin) {
      line += fmt::format(", held by {}", short_name(entry.owner));
      if (has_ended(entry.owner, waiting)) line += ", which has ended,";
      if (entry.owner_site != 0) line += fmt::format(" since {}", symbols.site(entry.owner_site));
    }
    lines.push_back(line);
  }
  return lines;
}

}  // namespace esox
