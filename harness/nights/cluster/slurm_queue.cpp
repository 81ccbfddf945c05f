// SPDX-License-Identifier: Apache-2.0
// See slurm_queue.h.
#include "harness/nights/cluster/slurm_queue.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <sstream>

#include "harness/nights/cluster/cluster_run.h"
#include "harness/nights/cluster/command_output.h"
#include "harness/records/lines.h"

namespace esox {
namespace {

constexpr std::array kLive = {"PENDING",       "RUNNING",      "CONFIGURING", "COMPLETING",
                              "REQUEUED",      "REQUEUE_HOLD", "REQUEUE_FED", "RESIZING",
                              "SIGNALING",     "STAGE_OUT",    "STOPPED",     "SUSPENDED",
                              "RESV_DEL_HOLD", "SPECIAL_EXIT"};

std::vector<std::string> fields_of(const std::string& line) {
  std::vector<std::string> fields;
  std::istringstream stream(line);
  for (std::string field; std::getline(stream, field, '|');) fields.push_back(field);
  return fields;
}

std::optional<unsigned> number_of(const std::string& text) {
  unsigned number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size() || text.empty()) return std::nullopt;
  return number;
}

// "CANCELLED by 1000" -> "CANCELLED"
std::string first_word(const std::string& text) {
  return text.substr(0, text.find(' '));
}

void refuse_without_slurm(const CommandOutput& output, const std::string& program) {
  if (!output.found) {
    throw ClusterError(fmt::format(
        "there is no Slurm here: {} is not in PATH; on Debian its package is slurm-client",
        program));
  }
}

}  // namespace

SlurmStates states_of_squeue(const std::string& lines) {
  SlurmStates states;
  for (const std::string& line : lines_of(lines)) {
    const auto fields = fields_of(line);
    if (fields.size() < 3) continue;
    const auto task = number_of(fields[1]);
    if (task) states[{fields[0], *task}] = fields[2];
  }
  return states;
}

SlurmStates states_of_sacct(const std::string& lines) {
  SlurmStates states;
  for (const std::string& line : lines_of(lines)) {
    const auto fields = fields_of(line);
    if (fields.size() < 2) continue;
    const size_t bar = fields[0].find('_');
    if (bar == std::string::npos) continue;
    const auto task = number_of(fields[0].substr(bar + 1));
    if (task) states[{fields[0].substr(0, bar), *task}] = first_word(fields[1]);
  }
  return states;
}

bool is_live(const std::string& state) {
  return std::find(kLive.begin(), kLive.end(), state) != kLive.end();
}

SlurmStates ask_slurm(const std::vector<std::string>& jobs) {
  if (jobs.empty()) return {};
  const std::string list = fmt::format("{}", fmt::join(jobs, ","));
  const CommandOutput sacct =
      command_output({"sacct", "-X", "-n", "-P", "-o", "JobID,State", "-j", list});
  SlurmStates states = sacct.ok() ? states_of_sacct(sacct.out) : SlurmStates{};
  // One by one: of several, one that it knows no more makes it refuse all.
  for (const std::string& job : jobs) {
    const CommandOutput squeue = command_output(
        {"squeue", "--states=all", "--array", "--noheader", "--format=%F|%K|%T", "--jobs=" + job});
    refuse_without_slurm(squeue, "squeue");
    const bool unknown = squeue.err.find("Invalid job id") != std::string::npos;
    if (!squeue.ok() && !unknown) {
      throw ClusterError(fmt::format("Slurm does not answer: {}",
                                     squeue.in_time ? squeue.err.substr(0, squeue.err.find('\n'))
                                                    : "squeue did not end in time"));
    }
    for (const auto& [task, state] : states_of_squeue(squeue.out)) states[task] = state;
  }
  return states;
}

}  // namespace esox
