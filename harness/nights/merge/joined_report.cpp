// SPDX-License-Identifier: Apache-2.0
// See joined_report.h.
#include "harness/nights/merge/joined_report.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>
#include <tuple>

namespace esox {
namespace {

constexpr size_t kNamed = 12;  // shards in a sentence

unsigned number_of(const HuntReport& report) {
  return report.shard ? report.shard->shard.number : 1;
}

template <class T>
void append(std::vector<T>& all, const std::vector<T>& more) {
  all.insert(all.end(), more.begin(), more.end());
}

void append_skipped(std::vector<SkippedInput>& all, const std::vector<SkippedInput>& more) {
  const auto key = [](const SkippedInput& one) {
    return std::tie(one.input, one.engine, one.setting, one.why);
  };
  for (const SkippedInput& one : more) {
    const bool known = std::any_of(all.begin(), all.end(),
                                   [&](const SkippedInput& it) { return key(it) == key(one); });
    if (!known) all.push_back(one);
  }
}

void add_filters(FilterAccount& all, const FilterAccount& more) {
  for (const RuleAccount& rule : more) {
    const auto known = std::find_if(all.begin(), all.end(),
                                    [&](const RuleAccount& one) { return one.name == rule.name; });
    if (known == all.end()) {
      all.push_back(rule);
      continue;
    }
    const uint64_t executions = known->executions + rule.executions;
    if (known->executions == 0) *known = rule;
    known->executions = executions;
  }
}

void add_lives(RunLives& all, const RunLives& more) {
  all.forked += more.forked;
  all.rewound += more.rewound;
  all.refused += more.refused;
  all.restarted += more.restarted;
  if (!more.why.empty()) all.why = more.why;
  if (!more.why_restarted.empty()) all.why_restarted = more.why_restarted;
}

void add_gate(std::optional<GateReport>& all, const std::optional<GateReport>& more) {
  if (!more) return;
  if (!all) all.emplace();
  all->runs += more->runs;
  all->same_trace += more->same_trace;
  all->same_outcome += more->same_outcome;
  append(all->differences, more->differences);
}

void add_counts(HuntReport& all, const HuntReport& more) {
  all.seconds += more.seconds;
  all.explorations += more.explorations;
  all.touched += more.touched;
  all.executions += more.executions;
  all.planned += more.planned;
  all.degraded += more.degraded;
  all.serial_executions += more.serial_executions;
  all.serial_steps += more.serial_steps;
  all.serial_states += more.serial_states;
  all.replays += more.replays;
  all.memory_kib = std::max(all.memory_kib, more.memory_kib);
  all.server_failures += more.server_failures;
  all.workers_replaced += more.workers_replaced;
  all.time.add(more.time);
  for (const auto& [reason, executions] : more.degraded_reasons) {
    all.degraded_reasons[reason] += executions;
  }
  add_lives(all.lives, more.lives);
}

void add(HuntReport& all, const HuntReport& more) {
  add_counts(all, more);
  add_gate(all.gate, more.gate);
  all.started = std::min(all.started, more.started);
  all.ended = all.ended && more.ended;
  all.interrupted = all.interrupted || more.interrupted;
  append(all.findings, more.findings);
  append(all.unconfirmed, more.unconfirmed);
  append(all.nondeterminism, more.nondeterminism);
  append(all.figures, more.figures);
  append_skipped(all.skipped, more.skipped);
  add_filters(all.filters, more.filters);
  for (const std::string& engine : more.engines) {
    const bool known =
        std::find(all.engines.begin(), all.engines.end(), engine) != all.engines.end();
    if (!known) all.engines.push_back(engine);
  }
}

size_t distinct_inputs(const HuntReport& report) {
  std::set<std::string> ids;
  for (const InputFigures& one : report.figures) ids.insert(one.input);
  return ids.size();
}

std::string shards_text(const std::vector<unsigned>& numbers, unsigned of, const char* one,
                        const char* many) {
  if (numbers.empty()) return "";
  if (numbers.size() == 1) return fmt::format("shard {} of {} {}", numbers.front(), of, one);
  if (numbers.size() > kNamed) {
    return fmt::format("{} of {} shards {}, the first of them {}", numbers.size(), of, many,
                       numbers.front());
  }
  const std::vector<unsigned> but_last(numbers.begin(), numbers.end() - 1);
  return fmt::format("shards {} and {} of {} {}", fmt::join(but_last, ", "), numbers.back(), of,
                     many);
}

}  // namespace

bool came_further(const HuntReport& one, const HuntReport& other) {
  const auto rank = [](const HuntReport& it) {
    return std::tuple(it.ended && it.executions == it.planned, it.executions, it.ended,
                      it.findings.size(), it.seconds, it.started);
  };
  if (rank(one) != rank(other)) return rank(one) > rank(other);
  return report_json(one) > report_json(other);
}

std::string missing_text(const std::vector<unsigned>& there, unsigned of) {
  const std::set<unsigned> known(there.begin(), there.end());
  std::vector<unsigned> missing;
  for (unsigned number = 1; number <= of; ++number) {
    if (!known.contains(number)) missing.push_back(number);
  }
  return shards_text(missing, of, "is missing", "are missing");
}

HuntReport joined(std::vector<HuntReport> shards) {
  std::sort(shards.begin(), shards.end(),
            [](const HuntReport& a, const HuntReport& b) { return number_of(a) < number_of(b); });
  if (!shards.front().shard) return shards.front();
  const ShardPlace place = *shards.front().shard;
  std::vector<unsigned> there;
  std::vector<unsigned> unfinished;
  std::vector<std::string> failures;
  for (const HuntReport& one : shards) {
    there.push_back(number_of(one));
    if (!one.ended || one.interrupted) unfinished.push_back(number_of(one));
    if (!one.failure.empty()) {
      failures.push_back(fmt::format("shard {}: {}", number_of(one), one.failure));
    }
  }
  HuntReport all = shards.front();
  for (size_t i = 1; i < shards.size(); ++i) add(all, shards[i]);
  all.id = place.campaign;
  all.shard.reset();
  all.inputs = distinct_inputs(all);
  const std::string gone = missing_text(there, place.shard.of);
  const std::string late = shards_text(unfinished, place.shard.of, "did not come to its end",
                                       "did not come to their end");
  if (!late.empty()) failures.insert(failures.begin(), late);
  if (!gone.empty()) failures.insert(failures.begin(), gone);
  all.failure = fmt::format("{}", fmt::join(failures, "; "));
  return all;
}

}  // namespace esox
