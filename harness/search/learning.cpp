// SPDX-License-Identifier: Apache-2.0
#include "harness/search/learning.h"

#include <xxhash.h>

#include <algorithm>
#include <bit>

#include "preload/protocol/conflict_filter.h"
#include "preload/protocol/layout.h"

namespace esox {
namespace {

static_assert(std::has_single_bit(kFirstLearnt));
static_assert(kMostConflicts <= kMaxFilterKeys);

constexpr uint64_t kFilterSalt = 0x66696c7465720a;

// Of a new figure against all the earlier ones, so that one odd execution does not decide.
constexpr double kNewest = 0.25;

bool is_in_share(uint64_t seed) {
  return XXH3_64bits_withSeed(&seed, sizeof seed, kFilterSalt) % 100 < kFilteredPercent;
}

bool teaches(const ExecutionRecord& record) {
  const bool controlled =
      record.degraded_reasons.empty() && record.ending.kind != EndingKind::kDegraded;
  return controlled && record.trace.size() <= kLongestLearnt;
}

void note_shares(std::vector<double>& shares, const std::vector<double>& now) {
  if (shares.empty()) shares = now;
  for (size_t i = 0; i < now.size(); ++i) shares[i] += kNewest * (now[i] - shares[i]);
}

}  // namespace

bool is_learnt_from(uint64_t number) {
  return number > 0 && (number <= kFirstLearnt || std::has_single_bit(number));
}

bool is_filtered(const Lessons& lessons, uint64_t number, uint64_t seed) {
  if (is_learnt_from(number) || lessons.conflicts.empty()) return false;
  if (lessons.conflicts.size() >= kMostConflicts) return false;
  return is_in_share(seed);
}

bool is_filtered_by_pool(const ConflictTable& pooled, uint64_t number, uint64_t seed) {
  return !pooled.empty() && number > 0 && number <= kFirstLearnt && is_in_share(seed);
}

void learn(Lessons& lessons, const ExecutionRecord& record, size_t clients, uint64_t number) {
  lessons.up_to = std::max(lessons.up_to, number);
  if (!teaches(record)) return;
  learn_conflicts(record, kMaxSlots, lessons.conflicts);  // the server's own threads, too
  if (number > 0) note_shares(lessons.shares, share_offered(lessons.conflicts, record, clients));
}

void learn_pool_shares(Lessons& lessons, const ConflictTable& pooled, const ExecutionRecord& record,
                       size_t clients) {
  if (pooled.empty() || !teaches(record)) return;
  note_shares(lessons.pool_shares, share_offered(pooled, record, clients));
}

}  // namespace esox
