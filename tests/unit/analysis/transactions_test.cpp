// SPDX-License-Identifier: Apache-2.0
#include "analysis/transactions.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "analysis/verdict.h"
#include "tests/unit/analysis/builders.h"

namespace esox {
namespace {

using test::bag;
using test::error_reply;
using test::ok;
using test::rows_reply;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr uint32_t kDeadlock = 1213;

// A request, what came of it, and whether its session was in a transaction then.
struct Said {
  const char* text;
  Output reply;
};

Said in(const char* text) {
  Said said{text, ok()};
  said.reply.in_transaction = true;
  return said;
}

Said out(const char* text) {
  Said said{text, ok()};
  said.reply.in_transaction = false;
  return said;
}

Said fails(const char* text, uint32_t error) {
  return {text, error_reply(error)};
}

struct Session {
  Input input;
  ExecutionRecord record;
};

// Clients one after the other in each request: A1 beside B1, A2 beside B2, ...
Session session(const std::vector<std::vector<Said>>& clients,
                const std::string& isolation = "serializable") {
  Session made;
  made.input.language = &mariadb_language();
  made.input.isolation_level = isolation;
  for (const auto& requests : clients) {
    InputClient& client = made.input.clients.emplace_back();
    auto& outputs = made.record.outcome.outputs.emplace_back();
    auto& stamps = made.record.stamps.emplace_back();
    for (const Said& one : requests) {
      client.requests.push_back({one.text, false});
      outputs.push_back(one.reply);
      stamps.push_back({10 * stamps.size(), 10 * stamps.size() + 9});
    }
  }
  made.record.units = units_of(made.input, made.record);
  return made;
}

std::vector<Unit> units(const std::vector<Said>& requests) {
  return session({requests, {in("BEGIN"), in("UPDATE t1 SET a = 1"), out("COMMIT")}})
      .record.units.of.front();
}

TEST(Units, FollowFromWhatTheServerSays) {
  EXPECT_THAT(units({out("INSERT INTO t1 VALUES (1)"), in("BEGIN"), in("SELECT a FROM t1"),
                     out("COMMIT"), out("SELECT a FROM t1")}),
              ElementsAre(Unit{0, 0}, Unit{1, 3}, Unit{4, 4}));
  EXPECT_THAT(units({in("SELECT a FROM t1"), in("SELECT a FROM t1"), out("ROLLBACK")}),
              ElementsAre(Unit{0, 2}))
      << "autocommit is off";
  EXPECT_THAT(units({in("BEGIN"), in("SELECT a FROM t1")}), ElementsAre(Unit{0, 1}));
}

TEST(Units, EndBeforeADefinitionAndAtAChainedCommit) {
  EXPECT_THAT(units({in("BEGIN"), in("UPDATE t1 SET a = 1"), out("CREATE TABLE t2 (a INT)"),
                     out("SELECT a FROM t1")}),
              ElementsAre(Unit{0, 1}, Unit{2, 2}, Unit{3, 3}));
  EXPECT_THAT(units({in("BEGIN"), fails("DROP TABLE t9", 1051), out("SELECT a FROM t1")}),
              ElementsAre(Unit{0, 0}, Unit{1, 1}, Unit{2, 2}));
  EXPECT_THAT(units({in("BEGIN"), in("UPDATE t1 SET a = 1"), in("COMMIT AND CHAIN"),
                     in("UPDATE t1 SET a = 2"), out("COMMIT")}),
              ElementsAre(Unit{0, 2}, Unit{3, 4}));
  EXPECT_THAT(units({in("BEGIN"), in("BEGIN"), out("COMMIT")}),
              ElementsAre(Unit{0, 0}, Unit{1, 2}));
}

TEST(Units, EndWithTheErrorThatUndoesThem) {
  EXPECT_THAT(units({in("BEGIN"), in("UPDATE t1 SET a = 1"), fails("DELETE FROM t1", kDeadlock),
                     out("UPDATE t1 SET a = 2"), out("COMMIT")}),
              ElementsAre(Unit{0, 2, true}, Unit{3, 3}, Unit{4, 4}));
  EXPECT_THAT(units({in("BEGIN"), fails("INSERT INTO t1 VALUES (1)", 1062), out("COMMIT")}),
              ElementsAre(Unit{0, 2}))
      << "the statement alone is undone";
}

TEST(Units, ADeadlockWithNobodyIsNoneThatUndoes) {
  const std::vector<Said> victim = {in("BEGIN"), fails("DELETE FROM t1", kDeadlock), out("COMMIT")};
  Session made = session({victim, {out("SELECT a FROM t1")}});
  EXPECT_TRUE(made.record.units.of[0][0].undone);
  made.record.stamps[1][0] = {20, 25};
  EXPECT_FALSE(units_of(made.input, made.record).of[0][0].undone);
  EXPECT_FALSE(session({victim}).record.units.of[0][0].undone);
}

TEST(Units, AreOfRequestsWhereTheLevelPromisesNoOrderOfTransactions) {
  const Session made = session({{in("BEGIN"), out("COMMIT")}}, "repeatable-read");
  EXPECT_FALSE(made.record.units.serial);
  EXPECT_THAT(made.record.units.of[0], ElementsAre(Unit{0, 1})) << "known all the same";
}

TEST(TransactionOrders, KeepEachTransactionWhole) {
  const Session made = session({{in("BEGIN"), in("SELECT a FROM t1"), out("COMMIT")},
                                {in("BEGIN"), out("COMMIT"), out("SELECT a FROM t1")}});
  EXPECT_THAT(
      possible_orders(made.record, {}).orders,
      ElementsAre(Order{0, 0, 0, 1, 1, 1}, Order{1, 1, 0, 0, 0, 1}, Order{1, 1, 1, 0, 0, 0}));
  EXPECT_TRUE(is_possible(made.record, {1, 1, 0, 0, 0, 1}, {}));
  EXPECT_FALSE(is_possible(made.record, {1, 0, 0, 0, 1, 1}, {}));
  EXPECT_FALSE(is_possible(made.record, {0, 0, 0, 1, 1}, {}));
  EXPECT_FALSE(is_possible(made.record, {0, 0, 0, 1, 1, 1, 1}, {}));
  EXPECT_FALSE(is_possible(made.record, {0, 0, 0, 2, 2, 2}, {}));
}

TEST(TransactionOrders, KeepRealTimeBetweenTransactions) {
  Session made =
      session({{out("SELECT a FROM t1")}, {in("BEGIN"), in("SELECT a FROM t1"), out("COMMIT")}});
  made.record.stamps[0][0] = {30, 39};
  EXPECT_THAT(possible_orders(made.record, {}).orders, ElementsAre(Order{1, 1, 1, 0}));
  EXPECT_FALSE(is_possible(made.record, {0, 1, 1, 1}, {}));
}

TEST(TransactionOrders, LeaveOutWhatWasUndone) {
  const Session made =
      session({{in("BEGIN"), fails("DELETE FROM t1", kDeadlock), out("SELECT a FROM t1")},
               {in("BEGIN"), in("UPDATE t1 SET a = 1"), out("COMMIT")}});
  const RequestSet undone = undone_requests(made.record.units);
  EXPECT_THAT(undone, ElementsAre(RequestId{0, 0}, RequestId{0, 1}));
  EXPECT_EQ(undone_with(made.record.units, {0, 1}), undone);
  EXPECT_THAT(undone_with(made.record.units, {1, 1}), ElementsAre(RequestId{1, 1}));
  EXPECT_THAT(possible_orders(made.record, undone).orders,
              ElementsAre(Order{0, 1, 1, 1}, Order{1, 1, 1, 0}));
}

// --- Verdicts

// Two transactions that read both rows and write one each, and the two orders of them.
struct Skew {
  Skew() : made(session({side("A"), side("B")})) {
    made.record.outcome.outputs[0][1] = rows_reply({{"1"}});
    made.record.outcome.outputs[1][1] = rows_reply({{"1"}});
    for (auto& client : made.record.outcome.outputs) client[1].in_transaction = true;
    made.record.outcome.state = make_summary({bag("rows", {"A", "B"})});
  }
  static std::vector<Said> side(const char* /*name*/) {
    return {in("BEGIN"), in("SELECT a FROM t1"), in("UPDATE t1 SET a = 2"), out("COMMIT")};
  }
  // After `first`, the other one reads another number.
  SerialRun run(uint16_t first, RequestSet without = {}) const {
    const auto second = static_cast<uint16_t>(1 - first);
    SerialRun one;
    one.without = std::move(without);
    if (!one.without.contains({first, 0})) one.order.insert(one.order.end(), 4, first);
    if (!one.without.contains({second, 0})) one.order.insert(one.order.end(), 4, second);
    one.first = made.record.outcome;
    const bool alone = one.order.size() == 4;
    if (!alone) one.first.outputs[second][1] = rows_reply({{"2"}});
    if (alone) one.first.state = make_summary({bag("rows", {"B"})});
    one.second = one.first;
    return one;
  }
  Session made;
};

TEST(TransactionVerdict, SkewFitsNoOrderOfTransactions) {
  const Skew skew;
  const std::vector<SerialRun> runs = {skew.run(0), skew.run(1)};
  EXPECT_EQ(judge(skew.made.record, runs, {}).verdict, VerdictClass::kSemantic);
  Session serial = skew.made;
  serial.record.outcome = runs[1].first;
  EXPECT_THAT(judge(serial.record, runs, {}).matched, ElementsAre(1));
}

TEST(TransactionVerdict, AnOrderOfRequestsIsNoneOfTransactions) {
  const Skew skew;
  SerialRun mixed = skew.run(0);
  mixed.order = {0, 1, 0, 1, 0, 1, 0, 1};
  mixed.first = mixed.second = skew.made.record.outcome;
  const std::vector<SerialRun> runs = {skew.run(0), skew.run(1), mixed};
  EXPECT_THAT(judge(skew.made.record, runs, {}).matched, IsEmpty());
  Session weaker = skew.made;
  weaker.record.units.serial = false;
  EXPECT_THAT(judge(weaker.record, runs, {}).matched, ElementsAre(2));
}

TEST(TransactionVerdict, AVictimIsLeftOutWhole) {
  Skew skew;
  ExecutionRecord& record = skew.made.record;
  record.outcome.outputs[0][2] = error_reply(kDeadlock);
  record.outcome.outputs[0].resize(3);
  record.stamps[0].resize(3);
  skew.made.input.clients[0].requests.resize(3);
  record.outcome.state = make_summary({bag("rows", {"B"})});
  record.units = units_of(skew.made.input, record);
  const RequestSet victim = {{0, 0}, {0, 1}, {0, 2}};
  SerialRun alone = skew.run(0, victim);
  const std::vector<SerialRun> both = {skew.run(0), skew.run(1)};
  EXPECT_EQ(judge(record, both, {}).verdict, VerdictClass::kDegraded) << "none without the victim";
  std::vector<SerialRun> all = both;
  all.push_back(alone);
  EXPECT_THAT(judge(record, all, {}).matched, ElementsAre(2));
  EXPECT_THAT(judge(record, all, {}).forgiven, IsEmpty()) << "no rule is needed";
  record.outcome.state = make_summary({bag("rows", {"A", "B"})});  // its row stayed
  const Verdict verdict = judge(record, all, {});
  EXPECT_EQ(verdict.verdict, VerdictClass::kLatent);
  EXPECT_EQ(verdict.nearest(), 2);
}

TEST(TransactionVerdict, ADeadlockWithNobodyIsAnError) {
  Session made = session({{in("BEGIN"), fails("DELETE FROM t1", kDeadlock)}, {out("SELECT 1")}});
  made.record.stamps[1][0] = {30, 39};
  made.record.units = units_of(made.input, made.record);
  Outcome good = made.record.outcome;
  good.outputs[0][1] = ok();
  const std::vector<SerialRun> runs = {test::serial({0, 0, 1}, good),
                                       test::serial({1, 0, 0}, good)};
  EXPECT_EQ(judge(made.record, runs, {}).verdict, VerdictClass::kError);
}

}  // namespace
}  // namespace esox
