// SPDX-License-Identifier: Apache-2.0
// What a finding keeps of its threads' operations, and its short text.
#include "analysis/operations.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "analysis/finding.h"
#include "tests/unit/servers.h"

namespace esox {
namespace {

using testing::ElementsAre;

TraceEvent event(uint32_t point, ThreadId thread, OpKind kind, uint64_t object, uint64_t site) {
  return {site, object, 0, point, thread, kind, 0};
}

// A runs points 1-3, B 4-5, A 6-7; each ends its request.
ExecutionRecord two_threads() {
  ExecutionRecord record;
  record.choices = {{0, 0, 0}, {3, 1, 0}, {5, 0, 0}};
  record.names = {{77, "test/t12.MAD"}};
  record.trace = {
      event(0, 0, OpKind::kRequestBegin, 0, 0),   event(0, 1, OpKind::kRequestBegin, 0, 0),
      event(1, 0, OpKind::kMutexLock, 5, 0x10),   event(2, 0, OpKind::kFileWrite, 77, 0x20),
      event(3, 0, OpKind::kMutexUnlock, 5, 0x30), event(4, 1, OpKind::kMutexLock, 5, 0x10),
      event(5, 1, OpKind::kRequestEnd, 0, 0),     event(6, 0, OpKind::kMutexLock, 5, 0x10),
      event(7, 0, OpKind::kRequestEnd, 0, 0)};
  return record;
}

std::vector<OpKind> kinds(const Operations& operations, size_t thread) {
  std::vector<OpKind> list;
  for (const uint32_t name : operations.of.at(thread)) list.push_back(operations.names[name].kind);
  return list;
}

TEST(Operations, AreKeptByThreadUpToItsLastSwitchAway) {
  const ExecutionRecord record = two_threads();
  Symbols symbols({});
  const Operations kept = operations_of(record, symbols);
  ASSERT_EQ(kept.of.size(), 2u);
  EXPECT_THAT(kinds(kept, 0),
              ElementsAre(OpKind::kMutexLock, OpKind::kFileWrite, OpKind::kMutexUnlock));
  EXPECT_THAT(kinds(kept, 1), ElementsAre(OpKind::kMutexLock, OpKind::kRequestEnd));
  EXPECT_EQ(kept.names[kept.of[0][1]].object, "test/t#.MAD");
  EXPECT_EQ(kept.of[0][0], kept.of[1][0]) << "the same call has one name";
}

TEST(Operations, AreAllThereIfAskedFor) {
  const ExecutionRecord record = two_threads();
  Symbols symbols({});
  EXPECT_THAT(kinds(operations_of(record, symbols, true), 0),
              ElementsAre(OpKind::kMutexLock, OpKind::kFileWrite, OpKind::kMutexUnlock,
                          OpKind::kMutexLock, OpKind::kRequestEnd));
}

TEST(Operations, PointsWithoutAnEventKeepTheirPlace) {
  ExecutionRecord record = two_threads();
  record.trace.erase(record.trace.begin() + 3);
  Symbols symbols({});
  EXPECT_THAT(kinds(operations_of(record, symbols), 0),
              ElementsAre(OpKind::kMutexLock, OpKind::kNone, OpKind::kMutexUnlock));
}

TEST(Operations, EachKindHasATextOfItsOwn) {
  for (int i = 0; i < 256; ++i) {
    const auto kind = static_cast<OpKind>(i);
    if (kind_text(kind) == kind_text(OpKind::kNone)) continue;
    EXPECT_EQ(kind_from_text(kind_text(kind)), kind) << kind_text(kind);
  }
  EXPECT_EQ(kind_from_text("nonsense"), OpKind::kNone);
}

TEST(Operations, ListsArePackedAndUnpacked) {
  const std::vector<uint32_t> list = {0, 1, 2, 3, 3, 3, 9, 4, 5};
  EXPECT_EQ(packed(list), "0-3 3x2 9 4-5");
  std::vector<uint32_t> again;
  for (const auto& numbers :
       {list, std::vector<uint32_t>{}, std::vector<uint32_t>{7}, std::vector<uint32_t>{4, 4},
        std::vector<uint32_t>{UINT32_MAX, 0, 1}}) {
    ASSERT_TRUE(unpack(packed(numbers), 100, again)) << packed(numbers);
    EXPECT_EQ(again, numbers);
  }
}

TEST(Operations, NonsenseAndTooMuchAreRefused) {
  std::vector<uint32_t> list;
  for (const char* text : {"x", "1x", "1-", "5-3", "3-3", "1x0", "1 x", "1  2", "-1", "1;2",
                           "99999999999", "0-4294967295", "1x4294967295", " "}) {
    EXPECT_FALSE(unpack(text, 1000, list)) << text;
  }
  EXPECT_TRUE(unpack("1x10", 10, list));
  EXPECT_FALSE(unpack("1x11", 10, list));
}

TEST(Operations, AFindingKeepsThem) {
  const ExecutionRecord record = two_threads();
  Symbols symbols({});
  Finding finding;
  finding.input.input.clients = {{"A", {}, {{"SELECT 1", false}}},
                                 {"B", {}, {{"SELECT 2", false}}}};
  finding.operations = operations_of(record, symbols);
  const Finding again = finding_from_yaml(finding_to_yaml(finding), "f", known_servers());
  EXPECT_EQ(again.operations, finding.operations);
  std::string bad = finding_to_yaml(finding);
  ASSERT_NE(bad.find("\"1 4\""), std::string::npos) << bad;
  bad.replace(bad.find("\"1 4\""), 5, "\"1 9\"");
  EXPECT_THROW(finding_from_yaml(bad, "f", known_servers()), FindingError);
}

}  // namespace
}  // namespace esox
