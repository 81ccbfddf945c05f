// SPDX-License-Identifier: Apache-2.0
// Which places are told to conflict, and that they are found again in another process.
#include "analysis/conflicts.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "preload/protocol/conflict_filter.h"
#include "tests/unit/analysis/traces.h"

namespace esox {
namespace {

using test::kLoadBase;
using test::kMutex;
using test::kVariable;
using test::TraceBuilder;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::UnorderedElementsAre;

constexpr uint64_t kOwn = 0x78;

ConflictTable learnt(const TraceBuilder& trace, uint64_t load_base = kLoadBase) {
  ConflictTable table;
  learn_conflicts(trace.finish(load_base), 2, table);
  return table;
}

// Client and offset of each.
std::vector<std::pair<ThreadId, uint64_t>> places(const ConflictTable& table) {
  std::vector<std::pair<ThreadId, uint64_t>> all;
  for (const ConflictSignature& one : table) all.emplace_back(one.client, one.site.offset);
  return all;
}

TEST(Conflicts, AreTheSitesAtWhichTwoClientsTakeOneLock) {
  EXPECT_THAT(places(learnt(TraceBuilder().locks(0, kMutex, 0x10).locks(1, kMutex, 0x20))),
              UnorderedElementsAre(std::pair(0, 0x10), std::pair(1, 0x20)));
}

TEST(Conflicts, AreNoneOnObjectsThatOneClientAloneUses) {
  EXPECT_THAT(learnt(TraceBuilder().locks(0, kMutex, 0x10).locks(1, kOwn, 0x20)), IsEmpty());
}

TEST(Conflicts, OfTwoReadersAreNone) {
  EXPECT_THAT(learnt(TraceBuilder().reads(0, 0x71).reads(1, 0x71)), IsEmpty());
  EXPECT_EQ(learnt(TraceBuilder().reads(0, 0x71).writes(1, 0x71)).size(), 2u);
}

TEST(Conflicts, AreThoseOfPlainMemoryWhereItIsSeen) {
  EXPECT_THAT(
      learnt(TraceBuilder().does(0, OpKind::kMemoryRead, 0x70).does(1, OpKind::kAtomicLoad, 0x70)),
      IsEmpty());
  EXPECT_EQ(
      learnt(TraceBuilder().does(0, OpKind::kMemoryRead, 0x70).does(1, OpKind::kMemoryWrite, 0x70))
          .size(),
      2u);
}

TEST(Conflicts, AreToldOfEveryOrderInWhichALockWasTaken) {
  const auto one = learnt(TraceBuilder().locks(0, kMutex, 0x10).locks(1, kMutex, 0x20));
  const auto other = learnt(TraceBuilder().locks(1, kMutex, 0x20).locks(0, kMutex, 0x10));
  EXPECT_EQ(one, other);
}

// What a signal orders cannot come the other way round.
TEST(Conflicts, AreNoneOfWhatASignalOrders) {
  const auto trace = TraceBuilder()
                         .locks(1, kOwn, 0x20)
                         .waits_for_signal(0, 1, kVariable, kMutex)
                         .locks(0, kOwn, 0x10);
  for (const ConflictSignature& one : learnt(trace)) {
    EXPECT_NE(one.site.offset, 0x20u) << "the lock before the signal, taken again after it";
  }
}

TEST(Conflicts, AreTheSameInAnyProcess) {
  const auto trace = TraceBuilder().locks(0, kMutex, 0x10).locks(1, kMutex, 0x20);
  EXPECT_EQ(learnt(trace), learnt(trace, 0x7f0000000000));
}

TEST(Conflicts, TellFilesApartThatOneSiteServes) {
  const ConflictTable table =
      learnt(TraceBuilder().writes(0, 0x71).writes(0, 0x73).writes(1, 0x71).writes(1, 0x75));
  EXPECT_EQ(table.size(), 2u);
  for (const ConflictSignature& one : table) EXPECT_EQ(one.object, 0x71u);
}

TEST(Conflicts, WhoListsAFolderConflictsWithWhoRemovesAFileOfIt) {
  ExecutionRecord record = TraceBuilder()
                               .does(0, OpKind::kDirectoryRead, 0x101, 0x10)
                               .does(1, OpKind::kFileRemove, 0x103, 0x20)
                               .finish();
  ConflictTable table;
  learn_conflicts(record, 2, table);
  EXPECT_THAT(table, IsEmpty()) << "their paths are not known";
  record.names = {{0x101, "/data/test"}, {0x103, "/data/test/t1.MYD"}};
  learn_conflicts(record, 2, table);
  EXPECT_EQ(table.size(), 2u);
}

TEST(Conflicts, OfThreadsThatAreNoClientsAreNotLearnt) {
  EXPECT_THAT(learnt(TraceBuilder().locks(0, kMutex).locks(2, kMutex)), IsEmpty());
}

TEST(Conflicts, OfASiteInNoModuleAreNotLearnt) {
  ExecutionRecord record = TraceBuilder().locks(0, kMutex).locks(1, kMutex).finish();
  record.modules.clear();
  ConflictTable table;
  learn_conflicts(record, 2, table);
  EXPECT_THAT(table, IsEmpty());
}

TEST(Conflicts, BecomeKeysOfTheProcessAtHand) {
  const ConflictTable table = learnt(TraceBuilder().locks(0, kMutex, 0x10).locks(1, kMutex, 0x20));
  const std::vector<Module> elsewhere = {{0x500000, 0x600000, 0x500000, "/opt/server"}};
  EXPECT_THAT(filter_keys(table, elsewhere),
              UnorderedElementsAre(filter_key(0, 0x500010, 0), filter_key(1, 0x500020, 0)));
  EXPECT_THAT(filter_keys(table, {{0, 0x1000, 0, "/opt/another"}}), IsEmpty());
}

TEST(Conflicts, TellHowManyPointsAFilterLeaves) {
  const auto trace = TraceBuilder()
                         .does(0, OpKind::kRequestBegin)
                         .locks(0, kMutex, 0x10)
                         .locks(0, kOwn, 0x14)
                         .locks(0, kOwn, 0x18)
                         .locks(1, kMutex, 0x20);
  const ExecutionRecord record = trace.finish();
  EXPECT_THAT(share_offered(learnt(trace), record, 2), ElementsAre(0.5, 1));
  EXPECT_THAT(share_offered({}, record, 2), ElementsAre(0.25, 0));
}

TEST(ConflictFilter, FindsEachKeyAndNoOther) {
  std::vector<uint64_t> places(64, 0);
  for (uint64_t site = 1; site <= 32; ++site) {
    const uint64_t key = filter_key(0, site, 0);
    places[filter_place(places.data(), 63, key)] = key;
  }
  for (uint64_t site = 1; site <= 32; ++site) {
    const uint64_t key = filter_key(0, site, 0);
    EXPECT_EQ(places[filter_place(places.data(), 63, key)], key);
    const uint64_t other = filter_key(1, site, 0);
    EXPECT_NE(places[filter_place(places.data(), 63, other)], other);
  }
}

TEST(ConflictFilter, NeverHoldsBackRequestsThreadsAndYields) {
  for (const OpKind kind : {OpKind::kRequestBegin, OpKind::kRequestEnd, OpKind::kThreadStart,
                            OpKind::kThreadExit, OpKind::kYield, OpKind::kSleep}) {
    EXPECT_TRUE(is_always_offered(kind));
  }
  EXPECT_FALSE(is_always_offered(OpKind::kMutexLock));
  EXPECT_FALSE(is_always_offered(OpKind::kMutexUnlock));
}

}  // namespace
}  // namespace esox
