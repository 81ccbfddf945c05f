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

Event writes(char client, const std::string& value, bool open = true) {
  return said(client, "UPDATE r SET v='" + value + "' WHERE id=1", test::ok(1), open);
}
Event looks(char client, const std::vector<Row>& rows, bool open = true) {
  Output reply = test::rows_reply(rows);
  if (rows.empty()) reply.results[0].columns.emplace_back();
  return said(client, "SELECT id, s FROM sets WHERE s='p'", reply, open);
}
Event puts(char client, const std::string& row, bool open = true) {
  return said(client, "INSERT INTO sets VALUES (" + row + ",'p')", test::ok(1), open);
}
Event takes(char client, const std::string& row, bool open = true) {
  return said(client, "DELETE FROM sets WHERE id=" + row, test::ok(1), open);
}
Event moves(char client, const std::string& row, bool open = true) {
  return said(client, "UPDATE sets SET s='q' WHERE id=" + row, test::ok(1), open);
}

// Of the lists a and b, the registers x and y and the sets p and q, which were left as told.
Anomaly anomaly(const std::string& level, const std::vector<Event>& events,
                const std::vector<std::string>& left) {
  Input input;
  input.language = &mariadb_language();
  input.isolation_level = level;
  input.setup = {"INSERT INTO t VALUES (1,'a'),(2,'b')", "INSERT INTO r VALUES (1,'x=0'),(2,'y=0')",
                 "INSERT INTO sets VALUES (8,'p'),(9,'q')"};
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
  // A log tells of the lists, too, but not of what they are at last.
  record.outcome.state =
      make_summary({test::sequence("a-log", input.setup), test::bag("rows:test.t", left),
                    test::bag("rows:test.sets", {})});
  record.units = units_of(input, record);
  return anomaly_of(input, record).value_or(Anomaly{});
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

INSTANTIATE_TEST_SUITE_P(
    Registers, NamedAnomaly,
    testing::Values(
        Case{"lost", "", {begins('A'), writes('A', "x=1"), commits('A')}, {"1, 'x=0'"}},
        Case{"garbage", "", {begins('A'), writes('A', "x=1"), rolls_back('A')}, {"1, 'x=1'"}},
        Case{"G0",  // x says that A was last, y that B was
             "",
             {begins('A'), begins('B'), writes('A', "x=1"), writes('B', "x=2"), writes('B', "y=4"),
              writes('A', "y=3"), commits('A'), commits('B')},
             {"1, 'x=1'", "2, 'y=4'"}},
        Case{"G1a",
             "read-committed",
             {begins('A'), writes('A', "x=1"), reads('B', "x=1", false), rolls_back('A')},
             {"1, 'x=0'"}},
        Case{"G1b",
             "read-committed",
             {begins('A'), writes('A', "x=1"), reads('B', "x=1", false), writes('A', "x=2"),
              commits('A')},
             {"1, 'x=2'"}},
        Case{"G1c",
             "read-committed",
             {begins('A'), begins('B'), writes('A', "x=1"), writes('B', "y=2"), reads('A', "y=2"),
              reads('B', "x=1"), commits('A'), commits('B')},
             {"1, 'x=1'", "2, 'y=2'"}},
        Case{"internal",
             "read-committed",
             {begins('A'), writes('A', "x=1"), reads('A', "x=0"), commits('A')},
             {"1, 'x=1'"}},
        Case{"G-single",  // a view that moves
             "repeatable-read",
             {begins('A'), reads('A', "x=0"), writes('B', "x=1", false), reads('A', "x=1"),
              commits('A')},
             {"1, 'x=1'"}},
        Case{"G-single",  // P4, a lost update
             "snapshot",
             {begins('A'), begins('B'), reads('A', "x=0"), reads('B', "x=0"), writes('A', "x=1"),
              commits('A'), writes('B', "x=2"), commits('B')},
             {"1, 'x=2'"}},
        Case{"G2-item",
             "serializable",
             {begins('A'), begins('B'), reads('A', "x=0"), reads('B', "y=0"), writes('A', "y=1"),
              writes('B', "x=2"), commits('A'), commits('B')},
             {"1, 'x=2'", "2, 'y=1'"}}));

INSTANTIATE_TEST_SUITE_P(
    Rows, NamedAnomaly,
    testing::Values(
        Case{"lost", "", {begins('A'), puts('A', "7"), commits('A')}, {"('8', 'p')"}},
        Case{"garbage", "", {begins('A'), puts('A', "7"), rolls_back('A')}, {"7, 'p'", "8, 'p'"}},
        Case{"G1a",
             "read-committed",
             {begins('A'), takes('A', "8"), looks('B', {}, false), rolls_back('A')},
             {"8, 'p'"}},
        Case{"internal",
             "read-committed",
             {begins('A'), puts('A', "7"), looks('A', {{"8", "p"}}), commits('A')},
             {"7, 'p'", "8, 'p'"}},
        Case{"G-single",  // a phantom
             "repeatable-read",
             {begins('A'), looks('A', {{"8", "p"}}), puts('B', "7", false),
              looks('A', {{"7", "p"}, {"8", "p"}}), commits('A')},
             {"7, 'p'", "8, 'p'"}},
        Case{"G2-item",  // each of two takes out what the other has seen
             "serializable",
             {begins('A'), begins('B'), looks('A', {{"8", "p"}}),
              said('B', "SELECT id, s FROM sets", test::rows_reply({{"8", "p"}, {"9", "q"}}), true),
              takes('A', "9"), moves('B', "8"), commits('A'), commits('B')},
             {"8, 'q'"}},
        Case{"G2",  // each of two puts in what the other has not found
             "serializable",
             {begins('A'), begins('B'), looks('A', {{"8", "p"}}), looks('B', {{"8", "p"}}),
              puts('A', "6"), puts('B', "7"), commits('A'), commits('B')},
             {"6, 'p'", "7, 'p'", "8, 'p'"}}));

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

// Both orders of two blind writes that nobody read are possible, as long as one of them is.
TEST(DependencyGraph, TakesTheOrderOfVersionsThatExplainsMost) {
  const auto left = std::vector<std::string>{"1, 'x=3'"};
  const std::vector<Event> blind = {
      begins('A'),  begins('B'),  writes('A', "x=1"),       writes('B', "x=2"),
      commits('B'), commits('A'), writes('C', "x=3", false)};
  EXPECT_TRUE(anomaly("serializable", blind, left).empty());
  const std::vector<Event> read = {begins('A'),        begins('B'),
                                   writes('A', "x=1"), writes('B', "x=2"),
                                   begins('D'),        commits('B'),
                                   reads('D', "x=2"),  commits('A'),
                                   reads('D', "x=1"),  writes('C', "x=3", false),
                                   commits('D')};
  EXPECT_EQ(anomaly("serializable", read, left).name, "G-single");
  EXPECT_FALSE(anomaly("read-committed", read, left).forbidden);
}

// What cannot be told apart is not judged.
TEST(DependencyGraph, IsSilentOfWhatTellsNoVersions) {
  const std::vector<std::string> left = {"1, 'x=1'", "7, 'p'", "8, 'p'"};
  const auto of = [&](const std::vector<Event>& events) {
    return anomaly("serializable", events, left).name;
  };
  const Event stale = reads('B', "x=0", false);
  EXPECT_EQ(of({writes('A', "x=1", false), stale}), "G-single-realtime");
  EXPECT_EQ(of({writes('A', "x=1", false), writes('C', "x=0", false), stale}), "")
      << "0 is there from the beginning";
  Event two = writes('A', "x=1", false);
  two.reply.affected_rows = 2;
  EXPECT_EQ(of({two, stale}), "") << "of two rows, nobody knows which";
  EXPECT_EQ(of({begins('A'), writes('A', "x=1"), stale}), "") << "nobody knows whether it ends";
  const Event missed = looks('B', {{"8", "p"}}, false);
  EXPECT_EQ(of({puts('A', "7", false), missed}), "G-single-realtime");
  Event elsewhere = missed;
  elsewhere.text = "SELECT id, s FROM other WHERE s='p'";
  EXPECT_EQ(of({puts('A', "7", false), elsewhere}), "");
  Event other = missed;
  other.text = "SELECT id, s FROM sets WHERE s='q'";
  other.reply = test::rows_reply({{"9", "q"}});
  EXPECT_EQ(of({puts('A', "7", false), other}), "") << "it is not of that set";
  Event limited = missed;
  limited.text = "SELECT id, s FROM sets WHERE s='p' LIMIT 1";
  EXPECT_EQ(of({puts('A', "7", false), limited}), "");
  EXPECT_EQ(of({puts('A', "7", false), takes('C', "7", false), missed}), "") << "it changes twice";
  EXPECT_EQ(of({puts('A', "8", false), missed}), "") << "it was there";
}

// A locking read that waits for a row may have passed the place where another one comes.
TEST(DependencyGraph, KnowsThatGapsAreLockedFromRepeatableReadOn) {
  Event locked = looks('A', {});
  locked.text += " FOR UPDATE";
  const std::vector<Event> events = {begins('A'),  begins('B'), takes('B', "8"), puts('B', "7"),
                                     commits('B'), locked,      commits('A')};
  EXPECT_TRUE(anomaly("read-committed", events, {"7, 'p'"}).empty() ||
              !anomaly("read-committed", events, {"7, 'p'"}).forbidden);
  EXPECT_TRUE(anomaly("repeatable-read", events, {"7, 'p'"}).forbidden);
}

// After XA PREPARE others may change what was read.
TEST(DependencyGraph, KnowsThatAPreparedTransactionKeepsWhatItWroteAlone) {
  const std::vector<Event> prepared = {said('A', "XA START 'x'", test::ok(), true),
                                       locks('A', "a"),
                                       said('A', "XA END 'x'", test::ok(), true),
                                       said('A', "XA PREPARE 'x'", test::ok(), true),
                                       appends('B', 1, false),
                                       said('A', "XA COMMIT 'x'", test::ok(), false)};
  EXPECT_TRUE(anomaly("serializable", prepared, {"1, 'a,1'"}).empty());
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
