// SPDX-License-Identifier: Apache-2.0
// Reads on a server that writes a log of rows: what InnoDB gives at each level is judged and
// never flagged; a session that is at a weaker level than its input says is found out.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "analysis/transactions.h"
#include "targets/registry.h"
#include "tests/integration/execution/execution_fixture.h"

namespace esox {
namespace {

using testing::AnyOf;
using testing::IsEmpty;

const std::vector<std::string> kTables = {
    "CREATE TABLE t1 (id INT PRIMARY KEY, u INT NOT NULL, v DECIMAL(9,2), KEY uv (u,v)) "
    "ENGINE=InnoDB",
    "CREATE TABLE t2 (id INT PRIMARY KEY, t INT NOT NULL, w VARCHAR(300), d DATETIME(3), UNIQUE "
    "KEY t (t)) ENGINE=InnoDB",
    "INSERT INTO t1 VALUES (1,1,10),(2,1,20),(3,2,NULL)",
    "INSERT INTO t2 VALUES (1,1,'a','2001-02-03'),(2,2,NULL,NULL),(3,3,REPEAT('c',99),NULL)"};

// Joins, aggregates, secondary indexes, own writes, savepoints, updates that change nothing, reads
// that lock.
const std::vector<std::vector<std::string>> kShapes = {
    {"BEGIN", "SELECT t1.id, v, w FROM t1 JOIN t2 ON t2.t = t1.id WHERE u = 1",
     "SELECT SUM(v), COUNT(*) FROM t1 FORCE INDEX (uv) WHERE u IN (1, 2)", "COMMIT"},
    {"BEGIN", "SELECT id, v FROM t1", "UPDATE t1 FORCE INDEX (PRIMARY) SET v = v + 1 WHERE u = 1",
     "SELECT id, v FROM t1 WHERE u = 1", "SELECT u, COUNT(*) FROM t1 GROUP BY u", "COMMIT"},
    {"BEGIN", "UPDATE t1 SET u = 2 WHERE id = 1", "DELETE FROM t2 WHERE t = 2",
     "INSERT INTO t2 VALUES (7, 2, 'x', NULL)", "COMMIT"},
    {"BEGIN", "SAVEPOINT a", "UPDATE t1 SET v = v * 2 WHERE id = 2", "ROLLBACK TO a",
     "SELECT id, v FROM t1", "UPDATE t1 SET v = v + 5 WHERE id = 2",
     "SELECT v FROM t1 WHERE id = 2", "COMMIT"},
    {"BEGIN", "UPDATE t1 SET v = v WHERE id = 1", "SELECT v, u FROM t1 WHERE id = 1",
     "INSERT INTO t1 VALUES (9, 1, 99)", "SELECT id FROM t1 WHERE v > 15", "COMMIT"},
    {"BEGIN", "SELECT id, v, u FROM t1 WHERE id < 3 FOR UPDATE",
     "INSERT INTO t2 SELECT id + 20, id + 20, 'y', NULL FROM t1 FORCE INDEX (PRIMARY)",
     "SELECT t1.id, w FROM t1 FORCE INDEX (PRIMARY) JOIN t2 ON t2.id = t1.id LOCK IN SHARE MODE",
     "COMMIT"}};

class StatementViewsTest : public ExecutionFixture {
 protected:
  static ConcreteInput at(const std::string& level,
                          const std::vector<std::vector<std::string>>& sessions) {
    ConcreteInput concrete = input(kTables, sessions);
    concrete.input.isolation_level = level;
    // By which later releases of MariaDB make a snapshot of each repeatable read.
    concrete.input.server_options = {"--log-bin=binlog", "--server-id=1", "--binlog-format=ROW",
                                     "--innodb-snapshot-isolation=OFF"};
    return concrete;
  }

  // By the log alone: no serial order is executed.
  // `said`: the level by which it is judged, if that is another one.
  static ViewVerdict views_of(Executor& executor, const ConcreteInput& concrete, uint64_t seed,
                              StateAnswers& answers, const std::string& said = "") {
    ExecutionPlan plan;
    plan.input = &concrete;
    plan.strategy = settings("random:p=0.3").strategy;
    plan.seed = seed;
    plan.clock_base_ns = 1'750'000'000'000'000'000;
    ExecutionReport report = executor.run(plan);
    EXPECT_EQ(report.record.ending.kind, EndingKind::kFinished);
    if (!report.written_log) return {};
    report.record.units = units_of(concrete.input, report.record);
    const RowLog log = target_named("mariadb").row_log(*report.written_log);
    Input judged = concrete.input;
    if (!said.empty()) judged.isolation_level = said;
    return judge_views(judged, report.record, log, [&](const auto& questions) {
      return answers.to(questions,
                        [&](const auto& unknown) { return executor.answer(plan, log, unknown); });
    });
  }
};

TEST_F(StatementViewsTest, AreRightAsInnodbGivesThem) {
  constexpr uint64_t kExecutions = 40;
  ServerExecutor executor(*server_, options());
  for (const char* level : {"read-committed", "repeatable-read", "snapshot"}) {
    uint64_t judged = 0;
    std::map<std::string, uint64_t> unjudged;
    for (size_t a = 0; a < kShapes.size(); ++a) {
      const size_t b = (a + 1) % kShapes.size();
      const ConcreteInput concrete = at(level, {kShapes[a], kShapes[b]});
      StateAnswers answers;
      for (uint64_t n = 1; n <= kExecutions; ++n) {
        const ViewVerdict one = views_of(executor, concrete, n, answers);
        EXPECT_EQ(one.anomaly.name, "") << level << ", " << a << " beside " << b << ", execution "
                                        << n << ": " << testing::PrintToString(one.anomaly.lines);
        judged += one.judged;
        for (const auto& [reason, reads] : one.unjudged) unjudged[reason] += reads;
      }
    }
    EXPECT_GT(judged, 100u) << level;
    uint64_t all = 0;
    for (const auto& [reason, reads] : unjudged) all += reads;
    EXPECT_LT(all, judged / 3) << level << ": " << testing::PrintToString(unjudged);
  }
}

// The level that its input says, and the one that the server gives it.
TEST_F(StatementViewsTest, OfAWeakerLevelThanIsSaidAreFound) {
  const std::vector<std::string> reader = {"BEGIN", "SELECT id, v FROM t1",
                                           "SELECT COUNT(*), SUM(v) FROM t1", "COMMIT"};
  const std::vector<std::string> writer = {"BEGIN", "UPDATE t1 SET v = v + 1",
                                           "INSERT INTO t1 VALUES (4, 4, 4)", "COMMIT"};
  const std::pair<const char*, const char*> faults[] = {{"repeatable-read", "read-committed"},
                                                        {"snapshot", "read-committed"},
                                                        {"read-committed", "read-uncommitted"}};
  ServerExecutor executor(*server_, options());
  for (const auto& [said, given] : faults) {
    ConcreteInput executed = at(given, {reader, writer});
    StateAnswers answers;
    Anomaly found;
    for (uint64_t n = 1; n <= 200 && found.empty(); ++n) {
      found = views_of(executor, executed, n, answers, said).anomaly;
    }
    EXPECT_THAT(found.name, AnyOf("moving-view", "early-read", "fractured-read")) << said;
    ASSERT_THAT(found.lines, testing::Not(IsEmpty()));
    EXPECT_THAT(found.lines[0], testing::HasSubstr("view: A"));
  }
}

TEST_F(StatementViewsTest, OfWhatAWeakerLevelDoesNotLockAreFound) {
  const std::vector<std::string> locker = {"BEGIN", "SELECT id, v FROM t1",
                                           "SELECT id FROM t1 WHERE id > 1 FOR UPDATE",
                                           "UPDATE t1 SET v = 1 WHERE id > 1", "COMMIT"};
  const std::vector<std::string> writer = {"INSERT INTO t1 VALUES (4, 4, 4)"};
  const std::pair<const char*, const char*> faults[] = {{"repeatable-read", "read-committed"},
                                                        {"snapshot", "repeatable-read"}};
  const char* names[] = {"changed-under-lock", "moving-view"};
  ServerExecutor executor(*server_, options());
  for (size_t i = 0; i < std::size(faults); ++i) {
    ConcreteInput executed = at(faults[i].second, {locker, writer});
    StateAnswers answers;
    std::set<std::string> found;
    for (uint64_t n = 1; n <= 200 && !found.contains(names[i]); ++n) {
      found.insert(views_of(executor, executed, n, answers, faults[i].first).anomaly.name);
    }
    EXPECT_THAT(found, testing::Contains(names[i])) << faults[i].first;
  }
}

// By the definitions, by the statement's text, by what else its session does: counted, not guessed.
TEST_F(StatementViewsTest, ThatCannotBeJudgedAreCountedByReason) {
  ServerExecutor executor(*server_, options());
  const auto reasons = [&](ConcreteInput concrete) {
    Exploration exploration(std::move(concrete), settings("random:p=0.3"));
    const Judged one = exploration.explore(executor, 1);
    std::vector<std::string> all;
    for (const auto& [reason, reads] : one.views.unjudged) all.push_back(reason);
    return all;
  };
  const std::vector<std::string> writer = {"UPDATE t1 SET v = v + 1 WHERE id = 1"};
  EXPECT_THAT(reasons(at("read-committed", {{"SELECT v FROM t1 LIMIT 1"}, writer})),
              testing::ElementsAre("LIMIT"));
  EXPECT_THAT(reasons(at("read-committed", {{"SELECT MAX(w) FROM t2"}, writer})),
              testing::ElementsAre("one of several texts that are equal by their collation"));
  EXPECT_THAT(reasons(at("repeatable-read", {{"SELECT v FROM t1"}, {"ALTER TABLE t2 FORCE"}})),
              testing::Each("a definition beside or before it"));
  ConcreteInput mixed = at("repeatable-read", {{"SELECT v FROM t1"}, writer});
  mixed.input.setup.push_back("CREATE TABLE m (a INT) ENGINE=Aria");
  EXPECT_THAT(reasons(mixed), testing::ElementsAre("a table that is not InnoDB's"));
  ConcreteInput unkeyed =
      at("read-committed", {{"SELECT a FROM n"}, {"INSERT INTO n VALUES (1),(1)"}});
  unkeyed.input.setup.push_back("CREATE TABLE n (a INT) ENGINE=InnoDB");
  EXPECT_THAT(reasons(unkeyed), testing::Each("rows of a table without a primary key"));
  ConcreteInput set_up = at("read-committed", {{"SELECT v FROM t1"}, writer});
  set_up.input.clients[1].setup = {"SET SESSION TRANSACTION ISOLATION LEVEL READ UNCOMMITTED"};
  EXPECT_THAT(reasons(set_up), testing::ElementsAre("a session with a setup"));
  ConcreteInput unlogged = at("repeatable-read", {{"SELECT v FROM t1"}, writer});
  unlogged.input.server_options.clear();
  EXPECT_THAT(reasons(unlogged), IsEmpty()) << "no log, nothing judged";
}

}  // namespace
}  // namespace esox
