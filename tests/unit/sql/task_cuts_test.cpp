// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "targets/mariadb/language.h"

namespace esox {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

// What is left of what the event e1 of the database test does.
std::vector<std::string> left(const std::string& text) {
  std::vector<std::string> all;
  for (const TaskCut& cut : mariadb_language().task_cuts(text, "test.e1")) {
    EXPECT_TRUE(text.ends_with(cut.body));
    EXPECT_EQ(cut.request, text.substr(0, text.size() - cut.body.size()) + cut.left);
    all.push_back(cut.left);
  }
  return all;
}

TEST(TaskCuts, OfOneStatementLeaveNothing) {
  const auto nothing = ElementsAre("BEGIN ROLLBACK; END");
  EXPECT_THAT(left("CREATE EVENT e1 ON SCHEDULE EVERY 1 DAY DO UPDATE t1 SET a = 1"), nothing);
  EXPECT_THAT(left("create or replace definer=root@localhost event if not exists `E1` on schedule "
                   "at now() comment 'do it' do delete from t1"),
              nothing);
  EXPECT_THAT(left("ALTER EVENT test.e1 DO CALL p()"), nothing);
}

TEST(TaskCuts, OfABlockLeaveEachOfItsBeginnings) {
  EXPECT_THAT(left("CREATE EVENT e1 ON SCHEDULE AT NOW() DO BEGIN START TRANSACTION; INSERT INTO "
                   "t1 VALUES (';'); UPDATE t2 SET a = 1; COMMIT; END"),
              ElementsAre("BEGIN ROLLBACK; END", "BEGIN START TRANSACTION; ROLLBACK; END",
                          "BEGIN START TRANSACTION; INSERT INTO t1 VALUES (';'); ROLLBACK; END",
                          "BEGIN START TRANSACTION; INSERT INTO t1 VALUES (';'); UPDATE t2 SET a "
                          "= 1; ROLLBACK; END"));
}

TEST(TaskCuts, AreNotMadeWithinWhatHoldsOtherStatements) {
  EXPECT_THAT(left("CREATE EVENT e1 ON SCHEDULE AT NOW() DO BEGIN A; IF a THEN B; C; END IF; END"),
              ElementsAre("BEGIN ROLLBACK; END", "BEGIN A; ROLLBACK; END"));
  EXPECT_THAT(left("CREATE EVENT e1 ON SCHEDULE AT NOW() DO BEGIN DECLARE CONTINUE HANDLER FOR "
                   "1213 BEGIN END; A; END"),
              ElementsAre("BEGIN ROLLBACK; END"));
  EXPECT_THAT(left("CREATE EVENT e1 ON SCHEDULE AT NOW() DO IF a THEN B; END IF"),
              ElementsAre("BEGIN ROLLBACK; END"));
}

TEST(TaskCuts, AreNoneOfOtherEventsAndStatements) {
  EXPECT_THAT(left("CREATE EVENT e2 ON SCHEDULE AT NOW() DO DELETE FROM t1"), IsEmpty());
  EXPECT_THAT(left("CREATE EVENT other.e1 ON SCHEDULE AT NOW() DO DELETE FROM t1"), IsEmpty());
  EXPECT_THAT(left("ALTER EVENT e1 ENABLE"), IsEmpty());
  EXPECT_THAT(left("DROP EVENT e1"), IsEmpty());
  EXPECT_THAT(left("CREATE EVENT e1 ON SCHEDULE AT NOW() DO"), IsEmpty());
  EXPECT_THAT(left("CREATE EVENT"), IsEmpty());
  EXPECT_THAT(left("DO SLEEP(1)"), IsEmpty());
}

}  // namespace
}  // namespace esox
