// SPDX-License-Identifier: Apache-2.0
// Tests with sync points of schedules made by hand, tried on a MariaDB built for debugging by its
// own test programs.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "base/process/private_directory.h"
#include "base/process/server_error.h"
#include "targets/mariadb/sync/test_programs.h"
#include "targets/registry.h"

namespace esox {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using Until = SyncSegment::Until;

const std::atomic<bool> kNoStop{false};
const std::vector<std::vector<uint16_t>> kBothOrders = {{0, 1}, {1, 0}};

// B is held, A runs, B goes on.
const std::vector<SyncSegment> kHeldOnce = {
    {1, 0, Until::kHeld, {}}, {0, 0, Until::kEnd, {}}, {1, 0, Until::kEnd, {}}};

class DebugMariadb : public testing::Test {
 protected:
  void SetUp() override {
    if (!std::filesystem::exists(program())) {
      GTEST_SKIP() << program() << " is not there; scripts/build-mariadb builds it";
    }
  }

  static std::filesystem::path program() {
    return std::filesystem::path(ESOX_MARIADB) / "debug/sql/mariadbd";
  }

  static Input input_of(const std::vector<std::string>& setup, const std::string& a,
                        const std::string& b) {
    Input input;
    input.language = &target_named("mariadb").language();
    input.setup = setup;
    input.clients = {{"A", {}, {{a}}}, {"B", {}, {{b}}}};
    return input;
  }

  static SyncTest made_of(const Input& input, const std::vector<SyncSegment>& segments,
                          const std::vector<std::string>& compared,
                          std::optional<unsigned> passed = {}) {
    return target_named("mariadb").sync_test(
        {.input = input,
         .title = "made by hand",
         .program = program(),
         .options = {},
         .segments = segments,
         .passed = [&](const auto&) { return std::vector(segments.size(), passed); },
         .orders = kBothOrders,
         .violation = SyncViolation::kOutcome,
         .compared = compared,
         .errors = {},
         .stop = kNoStop});
  }

  static void expect_proved(const SyncTest& test) {
    EXPECT_EQ(test.why_not, "");
    EXPECT_EQ(test.failed.count, 100u);
    EXPECT_EQ(test.failed.rounds, 100u);
    EXPECT_EQ(test.passed.count, test.passed.rounds);
    EXPECT_EQ(test.runner, "");
    EXPECT_GT(test.failed_by_runner.rounds, 0u);
    EXPECT_EQ(test.failed_by_runner.count, test.failed_by_runner.rounds);
    EXPECT_GT(test.passed_by_runner.rounds, 0u);
    EXPECT_EQ(test.passed_by_runner.count, test.passed_by_runner.rounds);
  }

  // As its receiver runs it, with more options for the server: how often of three it passes.
  static void expect_verdict(const SyncTest& test, const std::string& options, unsigned passes) {
    const PrivateDirectory folder(temporary_base());
    const auto suite = folder.path() / "t";
    std::filesystem::create_directory(suite);
    for (const auto& [name, text] : test.files) {
      std::ofstream(suite / name) << text << (name == "finding.opt" ? options : "");
    }
    const RunnerVerdict verdict =
        run_suite(test_programs_of(program()), suite, {"finding"}, 3, folder.path());
    const SyncTally& passed = verdict.passed.at("finding");
    EXPECT_EQ(passed.rounds, 3u) << verdict.text;
    EXPECT_EQ(passed.count, passes) << verdict.text;
  }
};

TEST_F(DebugMariadb, AListingOfHalfARenameIsATest) {
  const Input input =
      input_of({"CREATE TABLE t1 (a INT) ENGINE=InnoDB", "CREATE TABLE t2 (a INT) ENGINE=InnoDB"},
               "SHOW TABLES", "RENAME TABLE t1 TO t3, t2 TO t1");
  const SyncTest test =
      made_of(input, kHeldOnce, {"A1"}, 130);  // of about 160, as was counted by hand
  expect_proved(test);
  EXPECT_THAT(test.files.at("finding.test"),
              AllOf(HasSubstr("send RENAME TABLE"), HasSubstr("query_get_value(\"SHOW TABLES\"")));
}

TEST_F(DebugMariadb, AnOldAnswerOfTheQueryCacheIsATestWithTwoHolds) {
  const Input input = input_of({"CREATE TABLE t1 (a INT) ENGINE=Aria", "INSERT INTO t1 VALUES (1)"},
                               "SELECT COUNT(*) FROM t1", "INSERT INTO t1 VALUES (10),(11),(12)");
  const std::vector<SyncSegment> segments = {{1, 0, Until::kHeld, {}},
                                             {0, 0, Until::kHeld, {}},
                                             {1, 0, Until::kEnd, {}},
                                             {0, 0, Until::kEnd, {}}};
  const SyncTest test = made_of(input, segments, {"query-cache"}, 10);
  expect_proved(test);
  EXPECT_THAT(test.condition, HasSubstr("query-cache:A1"));
  // The same files, and the cause taken away.
  expect_verdict(test, "", 0);
  expect_verdict(test, "--query-cache-size=0 --query-cache-type=0\n", 3);
}

TEST_F(DebugMariadb, AnAssertionOfTheServersOwnIsATest) {
  const Input input =
      input_of({"CREATE TABLE t1 (a TEXT, FULLTEXT(a)) ENGINE=Aria"},
               "INSERT INTO t1 SELECT 'test' FROM seq_1_to_120", "DELETE FROM t1 LIMIT 1");
  const std::vector<SyncSegment> segments = {{0, 0, Until::kHeld, {}},
                                             {1, 0, Until::kBlocked, {}},
                                             {0, 0, Until::kEnd, {}},
                                             {1, 0, Until::kEnd, {}}};
  const SyncTest test =
      made_of(input, segments, {"check"}, 33);  // of about 410, as was counted by hand
  expect_proved(test);
  EXPECT_THAT(test.condition, AllOf(HasSubstr("the server's end by ma_"),
                                    HasSubstr(": Assertion `trn->trid != 0' failed.")));
  EXPECT_FALSE(test.files.contains("finding.patch"));
}

TEST_F(DebugMariadb, WhereNoPointLiesInTheWindowALineIsAdded) {
  const Input input =
      input_of({"CREATE TABLE t1 (a INT) ENGINE=Aria"}, "SHOW FULL TABLES", "DROP TABLE t1");
  const std::vector<SyncSegment> segments = {
      {0, 0, Until::kHeld, {"get_all_tables"}}, {1, 0, Until::kEnd, {}}, {0, 0, Until::kEnd, {}}};
  const SyncTest test = made_of(input, segments, {"A1"});
  expect_proved(test);
  EXPECT_THAT(test.files.at("finding.patch"), AllOf(HasSubstr("+++ b/sql/sql_show.cc"),
                                                    HasSubstr("DEBUG_SYNC_C(\"get_all_tables_")));
}

TEST_F(DebugMariadb, WhereNoPointLiesInTheWindowThatIsSaid) {
  const Input input =
      input_of({"CREATE TABLE t1 (a INT) ENGINE=InnoDB", "INSERT INTO t1 VALUES (1)"},
               "SELECT a FROM t1", "UPDATE t1 SET a = 2");
  const SyncTest test = made_of(input, kHeldOnce, {"A1", "B1", "rows"});
  EXPECT_THAT(test.why_not, HasSubstr("no sync point that it passes ("));
  EXPECT_TRUE(test.files.empty());
}

}  // namespace
}  // namespace esox
