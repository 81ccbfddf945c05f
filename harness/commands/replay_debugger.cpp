// SPDX-License-Identifier: Apache-2.0
// See replay_debugger.h.
#include "harness/commands/replay_debugger.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cstdio>

#include "base/process/private_directory.h"
#include "base/process/server_error.h"
#include "harness/engine/debug_symbols.h"
#include "harness/findings/replay/debugger.h"
#include "harness/records/out_folder.h"

namespace esox {
namespace {

std::string operation_at(const ExecutionRecord& record, ThreadId thread, uint64_t point,
                         Symbols& symbols) {
  const TraceEvent* at = nullptr;
  for (const TraceEvent& event : record.trace) {
    if (event.thread == thread && event.point <= point) at = &event;
  }
  if (at == nullptr) return "the beginning of its request";
  const std::string where = at->site == 0 ? "" : ", called at " + symbols.site(at->site);
  return fmt::format("'{}'{}", kind_text(at->kind), where);
}

std::vector<std::string> description_of(const FindingBench& opened, const ExecutionRecord& record,
                                        const FoundSwitch& place, const std::string& sentence) {
  Symbols symbols = debug_symbols(record.modules);
  const auto names = client_names(opened.finding.input.input);
  const auto name = [&](ThreadId thread) {
    return thread < names.size() ? names[thread] : fmt::format("T{}", thread);
  };
  std::vector<std::string> description = {
      fmt::format("esox: stopped at point {}, the {} switch, {} -> {}", place.point,
                  place.critical ? "critical" : "last", name(place.from), name(place.to))};
  for (const ThreadId thread : {place.from, place.to}) {
    description.push_back(fmt::format("esox: client {} stands at {}", name(thread),
                                      operation_at(record, thread, place.point, symbols)));
  }
  if (!sentence.empty()) description.push_back("esox: " + sentence);
  description.emplace_back(
      "esox: try 'bt', 'info threads', 'thread apply all bt 12'; the server ends with gdb");
  return description;
}

void wait_for_a_line() {
  for (int c = std::getchar(); c != EOF && c != '\n'; c = std::getchar()) {
  }
}

void run_or_print(const std::vector<std::string>& line, const DebuggerOptions& options) {
  if (!options.print) {
    run_debugger(line);
    return;
  }
  std::fputs(fmt::format("{}\nThe server stands there until a line is entered here.\n",
                         fmt::join(line, " "))
                 .c_str(),
             stdout);
  std::fflush(stdout);
  wait_for_a_line();
}

}  // namespace

void debug_replay(const FindingBench& opened, const Exploration& exploration,
                  const ExecutionRecord& record, const FoundSwitch& place,
                  const std::string& sentence, const DebuggerOptions& options) {
  const PrivateDirectory folder(opened.bench.executor.base);
  const std::vector<std::string> description = description_of(opened, record, place, sentence);
  bool stood = false;
  ExecutorOptions to_the_place = opened.bench.executor;
  to_the_place.isolation = Isolation::kRestart;  // no namespaces: the debugger sees what it expects
  to_the_place.control.step_limit = place.point;
  to_the_place.on_parked = [&](const ParkedServer& server) {
    stood = true;
    DebuggerView view{client_names(opened.finding.input.input), place.from, description};
    const std::filesystem::path script = folder.path() / "start.gdb";
    write_whole_file(script, debugger_script(server, view));
    run_or_print(debugger_line(server.pid, script.string(), options.commands), options);
  };
  ServerExecutor executor(*opened.bench.server, std::move(to_the_place));
  executor.run(exploration.plan_replay(record.choices, record.values, record.seed));
  if (!stood) {
    throw ServerError(
        fmt::format("the schedule did not come to point {} on a server of its own", place.point));
  }
}

}  // namespace esox
