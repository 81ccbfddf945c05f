// SPDX-License-Identifier: Apache-2.0
#include "harness/records/isolation_text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <map>

#include "base/text/counted.h"

namespace esox {
namespace {

struct AtLevel {
  TransactionFigures figures;
  uint64_t inputs = 0;
  uint64_t searched = 0;  // of them: all their schedules with one preemption were done
};

std::string names_text(const std::map<std::string, uint64_t>& anomalies) {
  std::vector<std::string> names;
  names.reserve(anomalies.size());
  for (const auto& [name, executions] : anomalies) {
    names.push_back(fmt::format("{} in {}", name, executions));
  }
  return fmt::format("{}", fmt::join(names, ", "));
}

std::string line_of(const AtLevel& one) {
  const TransactionFigures& figures = one.figures;
  const bool quiet = figures.forbidden.empty();
  std::string line = fmt::format(
      "Isolation level {}: {} {} of {} (of {} of these inputs all schedules with one preemption).",
      figures.level,
      quiet ? fmt::format("no {} in", figures.forbids)
            : fmt::format("seen, though it forbids that: {} of", names_text(figures.forbidden)),
      counted(figures.judged, "schedule"), counted(one.inputs, "input"),
      one.searched == one.inputs ? "all" : std::to_string(one.searched));
  if (!figures.allowed.empty()) {
    line += fmt::format(" Allowed, and reached: {}.", names_text(figures.allowed));
  }
  return line;
}

}  // namespace

std::vector<std::string> isolation_lines(const HuntReport& report) {
  std::map<std::string, AtLevel> levels;
  for (const InputFigures& one : report.figures) {
    if (!one.transactions) continue;
    AtLevel& level = levels[one.transactions->level];
    if (level.inputs++ == 0) {
      level.figures.level = one.transactions->level;
      level.figures.forbids = one.transactions->forbids;
    }
    add_fields(level.figures, *one.transactions);
    level.searched += one.systematic && one.systematic->one.done ? 1 : 0;
  }
  std::vector<std::string> lines;
  lines.reserve(levels.size());
  for (const auto& [name, level] : levels) lines.push_back(line_of(level));
  return lines;
}

}  // namespace esox
