// SPDX-License-Identifier: Apache-2.0
// The rules of the Trace Event Format, as far as its readers insist on them.
#include "harness/findings/export/trace_events.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <nlohmann/json.hpp>
#include <set>

namespace esox {
namespace {

using Json = nlohmann::json;

Input two_clients() {
  Input input;
  input.id = "pair";
  input.clients = {{"A", {}, {{"SELECT \"1\"", false}}}, {"B", {}, {{"b\xff", false}}}};
  return input;
}

// A locks and is replaced; B waits for the lock; A releases it; B goes on.
ExecutionRecord handed_over() {
  ExecutionRecord record;
  record.stamps = {{{0, 5}}, {{0, kNever}}};
  record.choices = {{0, 0, 0}, {2, 1, 0}, {3, 0, 0}, {5, 1, 0}};
  record.trace = {{0x10, 9, 0, 1, 0, OpKind::kMutexLock, 0},
                  {0x20, 8, 0, 2, 0, OpKind::kFileWrite, kTraceSwitchedAway},
                  {0x30, 9, 0, 3, 1, OpKind::kMutexLock, kTraceBlocked},
                  {0x40, 9, 0, 4, 0, OpKind::kMutexUnlock, 0},
                  {0, 0, 0, 5, 0, OpKind::kRequestEnd, 0},
                  {0x50, 9, 0, 6, 1, OpKind::kMutexUnlock, 0}};
  return record;
}

Json exported(const ExecutionRecord& record, const std::optional<FoundSwitch>& marked = {}) {
  Symbols symbols({});
  return Json::parse(trace_events_json(record, two_clients(), symbols, marked, "Client A ..."));
}

std::pair<int, int> track_of(const Json& event) {
  return {event["pid"].get<int>(), event["tid"].get<int>()};
}

std::vector<Json> of_phase(const Json& all, const std::string& phase) {
  std::vector<Json> some;
  for (const Json& event : all["traceEvents"]) {
    if (event["ph"] == phase) some.push_back(event);
  }
  return some;
}

TEST(TraceEvents, EveryEventHasWhatItsPhaseNeeds) {
  const Json all = exported(handed_over(), FoundSwitch{2, 0, 1, true});
  std::set<std::pair<int, int>> named;
  for (const Json& event : of_phase(all, "M")) {
    EXPECT_TRUE(event["args"]["name"].is_string());
    if (event["name"] == "thread_name") named.insert(track_of(event));
  }
  for (const Json& event : all["traceEvents"]) {
    for (const char* key : {"ph", "name", "pid", "tid"}) EXPECT_TRUE(event.contains(key)) << event;
    const std::string phase = event["ph"];
    EXPECT_THAT(phase, testing::AnyOf("M", "X", "i", "s", "f"));
    if (phase == "M") continue;
    EXPECT_TRUE(event["ts"].is_number_unsigned()) << event;
    EXPECT_TRUE(named.contains(track_of(event))) << event;
    if (phase == "X") {
      EXPECT_GE(event["dur"].get<int64_t>(), 0) << event;
    }
    if (phase == "i") {
      EXPECT_THAT(event["s"], testing::AnyOf("t", "p", "g")) << event;
    }
  }
}

TEST(TraceEvents, SlicesOfOneTrackDoNotOverlap) {
  std::map<std::pair<int, int>, uint64_t> ends;
  for (const Json& slice : of_phase(exported(handed_over()), "X")) {
    uint64_t& end = ends[track_of(slice)];
    EXPECT_GE(slice["ts"].get<uint64_t>(), end) << slice;
    end = slice["ts"].get<uint64_t>() + slice["dur"].get<uint64_t>();
  }
}

TEST(TraceEvents, OneThreadRunsAtATimeAndDoesItsOperationsThen) {
  const Json all = exported(handed_over());
  for (const Json& operation : of_phase(all, "i")) {
    unsigned running = 0;
    for (const Json& slice : of_phase(all, "X")) {
      if (slice["cat"] != "run") continue;
      const uint64_t ts = operation["ts"];
      const uint64_t begin = slice["ts"];
      if (ts < begin || ts >= begin + slice["dur"].get<uint64_t>()) continue;
      ++running;
      EXPECT_EQ(slice["tid"], operation["tid"]) << operation;
    }
    EXPECT_EQ(running, 1u) << operation;
  }
}

TEST(TraceEvents, AReleaseLeadsToWhoWaitedForIt) {
  const Json all = exported(handed_over());
  const auto begins = of_phase(all, "s");
  const auto ends = of_phase(all, "f");
  ASSERT_EQ(begins.size(), 1u);
  ASSERT_EQ(ends.size(), 1u);
  EXPECT_EQ(begins[0]["id"], ends[0]["id"]);
  EXPECT_EQ(begins[0]["ts"], 4);
  EXPECT_EQ(ends[0]["ts"], 6);
  EXPECT_EQ(begins[0]["tid"], 1);
  EXPECT_EQ(ends[0]["tid"], 2);
}

TEST(TraceEvents, TheCriticalSwitchIsMarkedAcrossAllTracks) {
  const Json all = exported(handed_over(), FoundSwitch{2, 0, 1, true});
  unsigned marks = 0;
  for (const Json& event : of_phase(all, "i")) {
    if (event["s"] != "g") continue;
    ++marks;
    EXPECT_EQ(event["ts"], 2);
    EXPECT_EQ(event["name"], "critical switch A -> B");
    EXPECT_EQ(event["args"]["sentence"], "Client A ...");
  }
  EXPECT_EQ(marks, 1u);
}

TEST(TraceEvents, AnExecutionWithNothingInItIsStillATrace) {
  EXPECT_TRUE(exported(ExecutionRecord{})["traceEvents"].is_array());
}

}  // namespace
}  // namespace esox
