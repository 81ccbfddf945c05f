// SPDX-License-Identifier: Apache-2.0
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
  std::ranges::sort(
      shards, [](const HuntReport& a, const HuntReport& b) { return number_of(a) < number_of(b); });
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
  for (size_t i = 1; i < shards.size(); ++i) add_fields(all, shards[i]);
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
