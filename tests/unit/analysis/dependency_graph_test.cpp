// SPDX-License-Identifier: Apache-2.0
// Which anomaly is seen in what sessions say, and at which level it is forbidden. That there is one
// exactly where no order explains a history is tested in unit/oracle.
#include "analysis/dependency_graph.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "analysis/transactions.h"
#include "tests/unit/analysis/builders.h"

namespace esox {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;

// A request and its reply. Those of a history come one after the other.
struct Event {
  char client;
  std::string text;
  Output reply;
};

Event said(char client, std::string text, Output reply, bool open) {
  reply.in_transaction = open;
  return {client, std::move(text), std::move(reply)};
}

Event begins(char client) {
  return said(client, "BEGIN", test::ok(), true);
}
Event commits(char client) {
  return said(client, "COMMIT", test::ok(), false);
}
Event rolls_back(char client) {
  return said(client, "ROLLBACK", test::ok(), false);
}
Event appends(char client, int element, bool open = true) {
  return said(client, "UPDATE t SET l=CONCAT(l,'," + std::to_string(element) + "') WHERE id=1",
              test::ok(1), open);
}
Event reads(char client, const std::string& list, bool open = true) {
  return said(client, "SELECT l FROM t WHERE id=1", test::rows_reply({{list}}), open);
}
Event locks(char client, const std::string& list) {
  return said(client, "SELECT l FROM t WHERE id=1 FOR UPDATE", test::rows_reply({{list}}), true);
}

// Of the lists a and b, which were left as told.
Anomaly anomaly(const std::string& level, const std::vector<Event>& events,
                const std::vector<std::string>& left) {
  Input input;
  input.language = &mariadb_language();
  input.isolation_level = level;
  input.setup = {"INSERT INTO t VALUES (1,'a'),(2,'b')"};
  ExecutionRecord record;
  for (const Event& event : events) {
    const auto c = static_cast<size_t>(event.client - 'A');
    while (input.clients.size() <= c) {
      input.clients.push_back(
          {std::string(1, static_cast<char>('A' + input.clients.size())), {}, {}});
    }
    record.outcome.outputs.resize(input.clients.size());
    record.stamps.resize(input.clients.size());
    input.clients[c].requests.push_back({event.text, false});
    record.outcome.outputs[c].push_back(event.reply);
    const auto at = 10 * static_cast<uint64_t>(&event - events.data());
    record.stamps[c].push_back({at, at + 9});
  }
  record.outcome.state = make_summary({test::bag("rows:test.t", left)});
  record.units = units_of(input, record);
  return anomaly_of(input, record);
}

struct Case {
  std::string name;       // of the anomaly
  std::string forbidden;  // the weakest level that forbids it; empty: each
  std::vector<Event> events;
  std::vector<std::string> left;
};

void PrintTo(const Case& one, std::ostream* out) {
  *out << one.name << ", " << one.forbidden;
}

class NamedAnomaly : public testing::TestWithParam<Case> {};

// By each level from that one on, and by none before.
TEST_P(NamedAnomaly, IsForbiddenFromItsLevelOn) {
  const Case& one = GetParam();
  bool forbidden = one.forbidden.empty();
  for (const char* level :
       {"read-uncommitted", "read-committed", "repeatable-read", "snapshot", "serializable"}) {
    forbidden = forbidden || one.forbidden == level;
    const Anomaly seen = anomaly(level, one.events, one.left);
    EXPECT_EQ(seen.forbidden, forbidden) << level << ": " << seen.name;
    if (forbidden) {
      EXPECT_EQ(seen.name, one.name) << level;
    }
    EXPECT_FALSE(seen.lines.empty()) << level;
  }
}

INSTANTIATE_TEST_SUITE_P(
    Lists, NamedAnomaly,
    testing::Values(
        Case{"garbage", "", {appends('A', 1, false)}, {"1, 'a,1,7'", "2, 'b'"}},
        Case{"lost", "", {begins('A'), appends('A', 1), commits('A')}, {"1, 'a'", "2, 'b'"}},
        Case{"duplicate", "", {appends('A', 1, false)}, {"1, 'a,1,1'", "2, 'b'"}},
        Case{"G0",
             "",
             {begins('A'), begins('B'), appends('A', 1), appends('B', 2), appends('B', 4),
              appends('A', 3), commits('A'), commits('B')},
             {"1, 'a,1,2'", "2, 'b,4,3'"}},
        Case{"G1a",
             "read-committed",
             {begins('A'), appends('A', 1), reads('B', "a,1", false), rolls_back('A')},
             {"1, 'a'", "2, 'b'"}},
        Case{
            "G1b",
            "read-committed",
            {begins('A'), appends('A', 1), reads('B', "a,1", false), appends('A', 2), commits('A')},
            {"1, 'a,1,2'", "2, 'b'"}},
        Case{"G1c",
             "read-committed",
             {begins('A'), begins('B'), appends('A', 1), appends('B', 2), reads('A', "b,2"),
              reads('B', "a,1"), commits('A'), commits('B')},
             {"1, 'a,1'", "2, 'b,2'"}},
        Case{"internal",
             "read-committed",
             {begins('A'), appends('A', 1), reads('A', "a"), commits('A')},
             {"1, 'a,1'", "2, 'b'"}},
        Case{"incompatible-order",
             "read-committed",
             {appends('A', 1, false), appends('B', 2, false), reads('A', "a,2", false)},
             {"1, 'a,1,2'", "2, 'b'"}},
        Case{
            "G-single",  // a view that moves
            "repeatable-read",
            {begins('A'), reads('A', "a"), appends('B', 1, false), reads('A', "a,1"), commits('A')},
            {"1, 'a,1'", "2, 'b'"}},
        Case{
            "G-single",  // what is read for update is newer than the view
            "snapshot",
            {begins('A'), reads('A', "a"), appends('B', 1, false), locks('A', "a,1"), commits('A')},
            {"1, 'a,1'", "2, 'b'"}},
        Case{"G-single",  // a lost update, had it not been an append
             "snapshot",
             {begins('A'), reads('A', "a"), appends('B', 1, false), appends('A', 2), commits('A')},
             {"1, 'a,1,2'", "2, 'b'"}},
        Case{"G2-item",  // write skew
             "serializable",
             {begins('A'), begins('B'), reads('A', "a"), reads('B', "b"), appends('A', 1),
              appends('B', 2), commits('A'), commits('B')},
             {"1, 'b,1'", "2, 'a,2'"}}));

// Two readers who disagree on which of two came first.
TEST(DependencyGraph, NamesALongFork) {
  const std::vector<Event> events = {begins('C'),       begins('D'),       appends('A', 1, false),
                                     reads('C', "a,1"), reads('D', "a"),   appends('B', 2, false),
                                     reads('C', "b"),   reads('D', "b,2"), commits('C'),
                                     commits('D')};
  EXPECT_EQ(anomaly("repeatable-read", events, {"1, 'a,1'", "2, 'b,2'"}).name, "G-nonadjacent");
}

TEST(DependencyGraph, NamesStaleReadsByRealTime) {
  const std::vector<Event> stale = {appends('A', 1, false), reads('B', "a", false)};
  for (const char* level : {"read-committed", "repeatable-read", "serializable"}) {
    EXPECT_EQ(anomaly(level, stale, {"1, 'a,1'"}).name, "G-single-realtime") << level;
  }
  const Anomaly late =
      anomaly("repeatable-read",
              {begins('B'), appends('A', 1, false), reads('B', "a"), commits('B')}, {"1, 'a,1'"});
  EXPECT_TRUE(late.forbidden) << "its view is taken by its first read, not by BEGIN";
  const std::vector<Event> early = {
      said('B', "START TRANSACTION WITH CONSISTENT SNAPSHOT", test::ok(), true),
      appends('A', 1, false), reads('B', "a"), commits('B')};
  EXPECT_FALSE(anomaly("repeatable-read", early, {"1, 'a,1'"}).forbidden);
}

TEST(DependencyGraph, SaysWhoReadWhat) {
  const Anomaly seen = anomaly(
      "repeatable-read",
      {begins('A'), reads('A', "a"), appends('B', 1, false), reads('A', "a,1"), commits('A')},
      {"1, 'a,1'"});
  EXPECT_THAT(seen.lines,
              Contains(HasSubstr("A1 to A4 -> B1: rw, A2 read a without 1, and B1 appended 1")));
  EXPECT_THAT(seen.lines, Contains(HasSubstr("B1 -> A1 to A4: wr, B1 appended 1, and A3 read it")));
}

// What says nothing, or is as it should be.
TEST(DependencyGraph, IsSilentWhereAllIsWell) {
  const std::vector<std::string> left = {"1, 'a,1,2'", "2, 'b'"};
  const std::vector<Event> serial = {
      begins('A'), reads('A', "a"),   appends('A', 1), reads('A', "a,1"),   commits('A'),
      begins('B'), locks('B', "a,1"), appends('B', 2), reads('B', "a,1,2"), commits('B')};
  Event failed = appends('B', 3);
  failed.reply = test::error_reply(1213);
  std::vector<Event> undone = serial;
  undone.insert(undone.end(), {begins('A'), begins('B'), appends('B', 4), failed, commits('A')});
  // Its lock is not had in time; nobody says what becomes of what it did before.
  Event late = appends('B', 6);
  late.reply = test::error_reply(1205);
  std::vector<Event> left_open = serial;
  left_open.insert(left_open.end(), {begins('B'), appends('B', 7), late});
  Event nothing = appends('A', 5, false);
  nothing.reply.affected_rows = 0;
  std::vector<Event> of_no_row = serial;
  of_no_row.push_back(nothing);
  for (const char* level : {"read-committed", "repeatable-read", "snapshot", "serializable"}) {
    EXPECT_TRUE(anomaly(level, serial, left).empty()) << level;
    EXPECT_TRUE(anomaly(level, undone, left).empty()) << level;
    EXPECT_TRUE(anomaly(level, left_open, left).empty()) << level;
    EXPECT_TRUE(anomaly(level, of_no_row, left).empty()) << level;
  }
}

TEST(DependencyGraph, IsSilentOfInputsThatDoMore) {
  const std::vector<Event> wrong = {appends('A', 1, false), reads('B', "a", false)};
  const std::vector<std::string> left = {"1, 'a,1'"};
  EXPECT_FALSE(anomaly("serializable", wrong, left).empty());
  EXPECT_TRUE(anomaly("", wrong, left).empty()) << "no level is named";
  std::vector<Event> more = wrong;
  more.push_back(said('A', "DELETE FROM t", test::ok(1), false));
  EXPECT_TRUE(anomaly("serializable", more, left).empty());
  std::vector<Event> twice = wrong;
  twice.push_back(appends('A', 1, false));
  EXPECT_TRUE(anomaly("serializable", twice, left).empty()) << "nobody knows whose 1 it is";
  EXPECT_TRUE(anomaly("serializable", {reads('B', "a", false)}, left).empty());
  EXPECT_TRUE(anomaly("serializable", wrong, {}).empty()) << "nothing is known of what was left";
}

}  // namespace
}  // namespace esox
