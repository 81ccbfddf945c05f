// SPDX-License-Identifier: Apache-2.0
// Segments that can be played without control, of executions made by hand.
#include "harness/findings/reproduce/holds.h"

#include <gtest/gtest.h>

namespace esox {
namespace {

using Until = HeldSegment::Until;
using At = HoldPlace::At;

constexpr uint64_t kBase = 0x5000'0000;

TraceEvent event(uint32_t point, ThreadId thread, OpKind kind, uint64_t site, uint8_t flags = 0) {
  return {kBase + site, 0xa0, 0, point, thread, kind, flags};
}

Symbols symbols_of_server() {
  return Symbols({{kBase, kBase + 0x10000, kBase, "/usr/sbin/mariadbd"}});
}

// B comes to its call at 0x20 twice, is switched out there, A runs to its end, then B.
ExecutionRecord held_at_second_hit() {
  ExecutionRecord record;
  record.choices = {{0, 1, 0}, {4, 0, 0}, {7, 1, 0}};
  record.stamps = {{{0, 9}}, {{0, 9}}};
  record.trace = {event(1, 1, OpKind::kRequestBegin, 0),
                  event(2, 1, OpKind::kMutexLock, 0x20),
                  event(3, 1, OpKind::kMutexLock, 0x30),
                  event(4, 1, OpKind::kMutexLock, 0x20, kTraceSwitchedAway),
                  event(5, 0, OpKind::kRequestBegin, 0),
                  event(6, 0, OpKind::kMutexLock, 0x40),
                  event(7, 0, OpKind::kRequestEnd, 0),
                  event(8, 1, OpKind::kRequestEnd, 0)};
  return record;
}

void expect_second_call(const HeldSegment& held, ThreadId client, uint64_t offset) {
  EXPECT_EQ(held.client, client);
  EXPECT_EQ(held.until, Until::kPlace);
  EXPECT_EQ(held.hit, 2u);
  EXPECT_EQ(held.place, (HoldPlace{"", At::kCall, "mariadbd", offset}));
}

TEST(Holds, OfASwitchAreTheCallItsHitSinceTheRequestBeganAndTheEndOfTheOther) {
  const Holds holds = holds_of(held_at_second_hit(), 9, symbols_of_server());
  ASSERT_EQ(holds.size(), 3u);
  expect_second_call(holds[0], 1, 0x20);
  EXPECT_EQ(holds[1].client, 0);
  EXPECT_EQ(holds[1].until, Until::kEnd);
  EXPECT_EQ(holds[2].until, Until::kEnd);
}

// T5 is switched out at its second call of 0x50 since the beginning, before B has begun; later it
// goes on to its end.
TEST(Holds, OfAThreadOfTheServersOwnAreAPlaceAndItsSleepAfterwards) {
  ExecutionRecord record = held_at_second_hit();
  record.choices = {{0, 5, 0}, {2, 1, 0}, {6, 0, 0}, {9, 5, 0}, {10, 1, 0}};
  for (TraceEvent& event : record.trace) event.point += 2;
  record.trace.insert(record.trace.begin(),
                      {event(1, 5, OpKind::kMutexLock, 0x50),
                       event(2, 5, OpKind::kMutexLock, 0x50, kTraceSwitchedAway)});
  record.trace.push_back(event(10, 5, OpKind::kMutexUnlock, 0x60));
  std::stable_sort(record.trace.begin(), record.trace.end(),
                   [](const TraceEvent& a, const TraceEvent& b) { return a.point < b.point; });
  const Holds holds = holds_of(record, 11, symbols_of_server());
  ASSERT_EQ(holds.size(), 5u);
  expect_second_call(holds[0], 5, 0x50);
  EXPECT_EQ(holds[3].client, 5);
  EXPECT_EQ(holds[3].until, Until::kBlocked);
  EXPECT_FALSE(holds[3].place);
}

TEST(Holds, OfAReleaseAreBehindIt) {
  ExecutionRecord record = held_at_second_hit();
  record.trace[3].kind = OpKind::kMutexUnlock;
  const Holds holds = holds_of(record, 9, symbols_of_server());
  ASSERT_FALSE(holds.empty());
  ASSERT_TRUE(holds[0].place);
  EXPECT_EQ(holds[0].place->at, At::kReturn);
}

TEST(Holds, OfAThreadThatHadToWaitHaveNoPlaceButOneWhereItsWaitEnds) {
  ExecutionRecord record = held_at_second_hit();
  record.trace[3].flags = kTraceBlocked;
  const Symbols symbols = symbols_of_server();
  const Holds holds = holds_of(record, 9, symbols);
  ASSERT_FALSE(holds.empty());
  EXPECT_EQ(holds[0].until, Until::kBlocked);
  EXPECT_FALSE(holds[0].place);
  EXPECT_EQ(held_after_waits(holds, symbols)[0].place,
            (HoldPlace{"", At::kReturn, "mariadbd", 0x20}));
}

TEST(Holds, LeaveOutWhatHasNotBegun) {
  ExecutionRecord record = held_at_second_hit();
  record.choices = {{0, 1, 0}, {1, 0, 0}, {7, 1, 0}};
  const Holds holds = holds_of(record, 9, symbols_of_server());
  ASSERT_EQ(holds.size(), 2u) << "B stood before its request";
  EXPECT_EQ(holds[0].client, 0);
}

TEST(Holds, OfADeadlockEndWhereTheThreadsWait) {
  ExecutionRecord record = held_at_second_hit();
  record.ending.kind = EndingKind::kDeadlock;
  record.stamps = {{{0, kNever}}, {{0, kNever}}};
  record.trace.resize(6);
  record.trace[5].flags = kTraceBlocked;
  record.choices = {{0, 1, 0}, {4, 0, 0}};
  const Holds holds = holds_of(record, 7, symbols_of_server());
  ASSERT_EQ(holds.size(), 2u);
  EXPECT_EQ(holds[0].until, Until::kPlace) << "B could have gone on, and never was to";
  EXPECT_EQ(holds[0].hit, 2u);
  EXPECT_EQ(holds[1].until, Until::kBlocked);
}

TEST(Holds, OfACrashHoldWhoeverCouldHaveGoneOnAndLetTheOtherDie) {
  ExecutionRecord record = held_at_second_hit();
  record.ending.kind = EndingKind::kCrash;
  record.stamps = {{{0, kNever}}, {{0, kNever}}};
  record.trace.resize(6);
  record.choices = {{0, 1, 0}, {4, 0, 0}};
  const Holds holds = holds_of(record, 7, symbols_of_server());
  ASSERT_EQ(holds.size(), 2u);
  EXPECT_EQ(holds[0].until, Until::kPlace);
  EXPECT_EQ(holds[1].until, Until::kEnd);
}

TEST(Holds, PlacesAreReadFromTheirTextOrNot) {
  EXPECT_EQ(place_in_module("mariadbd+0x1c", At::kCall),
            (HoldPlace{"", At::kCall, "mariadbd", 0x1c}));
  for (const char* text : {"", "0x7f00", "+0x1c", "mariadbd+0x", "mariadbd+0x1cg"}) {
    EXPECT_FALSE(place_in_module(text, At::kCall)) << text;
  }
}

}  // namespace
}  // namespace esox
