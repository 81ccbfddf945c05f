// SPDX-License-Identifier: Apache-2.0
#include "harness/programs/reproduction.h"

#include <fmt/format.h>

#include <algorithm>

#include "analysis/trace_equality.h"

namespace esox {
namespace {

constexpr size_t kMostFrames = 12;

std::vector<std::string> stack_lines(const std::vector<ThreadStack>& stacks, Symbols& symbols) {
  std::vector<std::string> lines;
  for (const ThreadStack& stack : stacks) {
    lines.push_back(fmt::format("thread {}:", stack.tid));
    std::vector<std::string> frames = frames_of(stack, symbols);
    frames.resize(std::min(frames.size(), kMostFrames));
    for (const std::string& frame : frames) lines.push_back("  " + frame);
  }
  return lines;
}

}  // namespace

Reproduction reproduce(ProgramServer& server, const Failure& failure, const ExecutionRecord& record,
                       std::chrono::milliseconds limit, bool look, Symbols& symbols) {
  ProgramSpec spec;
  spec.strategy.kind = StrategyKind::kReplay;
  spec.seed = record.seed;
  spec.choices = record.choices;
  spec.values = record.values;
  spec.limit = limit;
  spec.attended = look;
  const ProgramEnd end = server.run(spec);

  Reproduction again;
  again.stacks = stack_lines(end.stacks, symbols);
  again.record = server.record();
  again.output = server.output();
  again.same_trace =
      compare_traces(again.record.trace, again.record.modules, record.trace, record.modules).equal;
  const auto kind = failure_class(end, /*thread_leaks=*/true);
  if (!kind) {
    again.what =
        fmt::format("it ended well{}", doubts_about(end).empty() ? "" : ", out of control");
    return again;
  }
  const Failure seen = describe_failure(*kind, end, server, symbols);
  again.same = seen.kind == failure.kind && seen.key == failure.key;
  if (!again.same) again.what = fmt::format("{}: {}", failure_name(seen.kind), seen.title);
  return again;
}

}  // namespace esox
