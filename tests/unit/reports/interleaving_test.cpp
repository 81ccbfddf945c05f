// SPDX-License-Identifier: Apache-2.0
// trace.txt read back as rows and columns.
#include "harness/records/reports/interleaving.h"

#include <gmock/gmock.h>

#include <algorithm>

#include "analysis/report/trace_text.h"
#include "tests/unit/reports/hunts.h"

namespace esox {
namespace {

using Kind = InterleavingRow::Kind;
using testing::ElementsAre;

TEST(Interleaving, HasEachOperationInTheColumnOfItsClient) {
  const Interleaving read = interleaving_from_text(HuntFolder::kTrace);
  EXPECT_THAT(read.clients, ElementsAre("A", "B"));
  ASSERT_EQ(read.rows.size(), 10u);
  EXPECT_EQ(read.rows[0].text, "A1 begins");
  EXPECT_EQ(read.rows[0].client, 0u);
  EXPECT_EQ(read.rows[3].text, "lock mutex#1 [!]");
  EXPECT_EQ(read.rows[3].client, 1u);
  EXPECT_EQ(read.rows[3].point, "1");
  EXPECT_EQ(read.rows[3].site, "tdc_acquire+0x4");
  EXPECT_EQ(read.rows[5].site, "m\xc3\xbcll+0x1");
  EXPECT_EQ(read.rows[6].kind, Kind::kGap);
  EXPECT_EQ(read.rows[6].text, "95 operations (points 3-97)");
  EXPECT_THAT(read.objects, ElementsAre("mutex#1           LOCK_open"));
}

TEST(Interleaving, TellsWhoWasReplacedByWhomAndWhetherItCouldHaveGoneOn) {
  const Interleaving read = interleaving_from_text(HuntFolder::kTrace);
  ASSERT_EQ(read.rows[4].kind, Kind::kSwitch);
  EXPECT_EQ(read.rows[4].from, "B");
  EXPECT_EQ(read.rows[4].to, "A");
  EXPECT_TRUE(read.rows[4].could_go_on);
  EXPECT_EQ(read.rows[4].text, "B -> A at point 1: B could have gone on");
  EXPECT_FALSE(read.rows[1].could_go_on);
}

TEST(Interleaving, ReadsWhatTraceTextWrites) {
  ExecutionRecord record;
  const auto event = [&](ThreadId thread, OpKind kind, uint32_t point, uint8_t flags) {
    TraceEvent one{};
    one.thread = thread;
    one.kind = kind;
    one.point = point;
    one.flags = flags;
    record.trace.push_back(one);
  };
  event(0, OpKind::kRequestBegin, 0, 0);
  event(1, OpKind::kRequestBegin, 0, kTraceSwitchedAway);
  event(0, OpKind::kRequestEnd, 1, 0);
  event(1, OpKind::kRequestEnd, 2, 0);
  Symbols symbols({});
  const Interleaving read = interleaving_from_text(trace_text(record, two_clients(), symbols));
  ASSERT_EQ(read.rows.size(), 7u);
  EXPECT_EQ(read.rows[2].text, "B1 begins [!]");
  EXPECT_EQ(read.rows[2].client, 1u);
  EXPECT_TRUE(read.rows[3].could_go_on);
}

TEST(Interleaving, KeepsAPageOfAnotherFormAsText) {
  const Interleaving read = interleaving_from_text("no columns\nhere\n");
  EXPECT_TRUE(read.rows.empty());
  EXPECT_EQ(read.text, "no columns\nhere\n");
}

TEST(Interleaving, NeverFailsWhateverTheBytes) {
  const std::string whole = HuntFolder::kTrace;
  for (size_t at = 0; at < whole.size(); ++at) {
    std::string text = whole;
    text[at] = static_cast<char>(at * 37);
    interleaving_from_text(text);
    interleaving_from_text(whole.substr(0, at));
  }
}

TEST(SwitchPlace, IsMarkedIfExactlyOneFits) {
  Interleaving read = interleaving_from_text(HuntFolder::kTrace);
  EXPECT_TRUE(mark_critical(read, {"B", "A", "lock mutex#17", "tdc_acquire+0x4"}));
  EXPECT_TRUE(read.rows[4].critical);
}

TEST(SwitchPlace, IsNotGuessed) {
  Interleaving read = interleaving_from_text(HuntFolder::kTrace);
  EXPECT_FALSE(mark_critical(read, {"B", "A", "lock mutex#17", "elsewhere+0x4"}));
  EXPECT_FALSE(mark_critical(read, {"A", "B", "lock mutex#17", "tdc_acquire+0x4"}));
  EXPECT_FALSE(mark_critical(read, {"B", "A", "write file", "tdc_acquire+0x4"}));
  const std::vector<InterleavingRow> again = read.rows;
  read.rows.insert(read.rows.end(), again.begin(), again.end());
  EXPECT_FALSE(mark_critical(read, {"B", "A", "lock mutex#17", "tdc_acquire+0x4"})) << "two fit";
}

TEST(Shorten, KeepsWhatIsAroundSwitchesAndTellsTheRest) {
  Interleaving all = interleaving_from_text(HuntFolder::kTrace);
  std::vector<InterleavingRow> many(500, all.rows[0]);
  many.insert(many.end(), all.rows.begin(), all.rows.end());
  many.insert(many.end(), 500, all.rows[0]);
  all.rows = many;
  shorten(all, 40);
  EXPECT_LE(all.rows.size(), 45u);
  EXPECT_EQ(all.rows.front().kind, Kind::kGap);
  EXPECT_EQ(all.rows.back().kind, Kind::kGap);
  const auto switches = std::count_if(all.rows.begin(), all.rows.end(),
                                      [](const auto& row) { return row.kind == Kind::kSwitch; });
  EXPECT_EQ(switches, 3);
}

}  // namespace
}  // namespace esox
