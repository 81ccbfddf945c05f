// SPDX-License-Identifier: Apache-2.0
// The positive control replayed where the server does more than when it was found; shown as a
// trace and in a debugger; exported; and verified against a server that has the fix, and one that
// has not.
#include <fstream>

#include "tests/integration/command_fixture.h"

namespace esox {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

// The server logs each statement to a file: the same program with other operations.
const std::vector<std::string> kLogging = {"--server-option=--general-log=1",
                                           "--server-option=--log-output=FILE"};

class Replaying : public CommandTest {
 protected:
  fs::path found() {
    const Said said =
        esox({"hunt", control(), "--engine", "Aria", "--strategy", "pct:d=3", "--executions", "100",
              "--seed", "101", "--no-gate", "--diagnose-budget", "0", "--out", "out"});
    EXPECT_EQ(said.status, 1) << said.err;
    const auto all = findings_in(folder() / "out");
    return all.empty() ? fs::path() : all.front();
  }

  static bool has_gdb() { return std::system("gdb --version >/dev/null 2>&1") == 0; }
};

TEST_F(Replaying, TheSameServerFollowsToTheLetter) {
  const fs::path finding = found();
  ASSERT_FALSE(finding.empty());
  EXPECT_THAT(read(finding / "finding.yaml"), HasSubstr("operations:"));
  const Said said = esox({"replay", finding.string(), "--times", "5", "--json"});
  ASSERT_EQ(said.status, 1) << said.err;
  const json report = json::parse(said.out);
  EXPECT_EQ(report["to_the_letter"], 5);
  EXPECT_EQ(report["realigned"], 0);
}

TEST_F(Replaying, AServerThatLogsIsReAligned) {
  const fs::path finding = found();
  ASSERT_FALSE(finding.empty());
  std::vector<std::string> words = {"replay", finding.string(), "--times", "3", "--json"};
  words.insert(words.end(), kLogging.begin(), kLogging.end());
  const Said said = esox(words);
  ASSERT_EQ(said.status, 1) << said.err << said.out;
  const json report = json::parse(said.out);
  EXPECT_EQ(report["same"], 3);
  ASSERT_TRUE(report.contains("followed")) << "the log's operations are new";
  EXPECT_GT(report["followed"]["operations_added"], 0);
  EXPECT_THAT(report["warnings"].dump(), HasSubstr("--general-log=1"));
}

TEST_F(Replaying, AFixedServerIsNotMadeToBreak) {
  const fs::path finding = found();
  ASSERT_FALSE(finding.empty());
  const Said said = esox(
      {"replay", finding.string(), "--server-option=--query-cache-size=0", "--attempts", "20"});
  EXPECT_EQ(said.status, 0) << said.out;
  EXPECT_THAT(said.out, AllOf(HasSubstr("not reproduced"), HasSubstr("0 of 1 gave")));
}

TEST_F(Replaying, TheTraceIsOneThatPerfettoReads) {
  const fs::path finding = found();
  ASSERT_FALSE(finding.empty());
  const Said said = esox({"replay", finding.string(), "--trace", "trace.json"});
  ASSERT_EQ(said.status, 1) << said.err;
  const json trace = json::parse(read(folder() / "trace.json"));
  EXPECT_GT(trace["traceEvents"].size(), 100u);
  EXPECT_THAT(trace.dump(), AllOf(HasSubstr("A runs"), HasSubstr("client B")));
  EXPECT_EQ(esox({"replay", finding.string(), "--trace", "no/such/folder/t.json"}).status, 2);
}

TEST_F(Replaying, ADebuggerFindsTheThreadsParkedAtTheSwitchAndTheServerEndsWithIt) {
  if (!has_gdb()) GTEST_SKIP() << "no gdb here";
  const fs::path finding = found();
  ASSERT_FALSE(finding.empty());
  const Said said = esox({"replay", finding.string(), "--gdb-ex", "info threads", "--gdb-ex",
                          "thread apply all bt 8"});
  EXPECT_EQ(said.status, 1) << said.err;
  EXPECT_THAT(said.out, AllOf(HasSubstr("esox: stopped at point"), HasSubstr("client A"),
                              HasSubstr("client B"), HasSubstr("stands at")));
  EXPECT_TRUE(all_gone(std::chrono::seconds(30)));
  const Said printed = esox({"replay", finding.string(), "--gdb=print"}, std::chrono::seconds(100),
                            [] { close(0); });
  EXPECT_EQ(printed.status, 1) << "without an input there is nothing to wait for: " << printed.err;
  EXPECT_THAT(printed.out, HasSubstr("gdb --quiet -p "));
  EXPECT_TRUE(all_gone(std::chrono::seconds(30)));
  EXPECT_EQ(esox({"replay", finding.string(), "--gdb=maybe"}).status, 2);
}

TEST_F(Replaying, AnExportIsCompleteAndReplays) {
  const fs::path finding = found();
  ASSERT_FALSE(finding.empty());
  ASSERT_EQ(esox({"diagnose", finding.string(), "--executions", "50"}).status, 1);
  const Said said = esox({"export", finding.string(), "--to", "report"});
  ASSERT_EQ(said.status, 0) << said.err;
  for (const char* name : {"README.md", "client-A.sql", "client-B.sql", "setup.sql",
                           "comparison.txt", "trace.txt", "diagnosis.txt"}) {
    const std::string text = read(folder() / "report" / name);
    EXPECT_THAT(text, Not(testing::IsEmpty())) << name;
    EXPECT_THAT(text, AllOf(Not(HasSubstr("/tmp/")), Not(HasSubstr("/usr/")))) << name;
  }
  EXPECT_EQ(esox({"replay", "report"}).status, 1);
  const Said again = esox({"export", finding.string(), "--to", "report"});
  EXPECT_EQ(again.status, 2);
  EXPECT_THAT(again.err, HasSubstr("is there already"));
}

TEST_F(Replaying, TheQueryCacheOffIsVerifiedAsAFix) {
  const fs::path finding = found();
  ASSERT_FALSE(finding.empty());
  const Said said = esox({"verify", finding.string(), "--server-option=--query-cache-size=0",
                          "--executions", "150", "--attempts", "20", "--json"});
  EXPECT_EQ(said.status, 0) << said.out << said.err;
  const json report = json::parse(said.out);
  EXPECT_EQ(report["conclusion"], "fixed");
  EXPECT_EQ(report["new"]["fresh_draws"]["hits"], 0);
  EXPECT_EQ(report["old"]["fresh_draws"]["hits"], 20);
  EXPECT_LT(report["new"]["fresh_draws"]["rate_upper_bound"], 0.031);
  EXPECT_EQ(report["old"]["replay"], "to the letter");
}

TEST_F(Replaying, AHarmlessChangeIsNoFix) {
  const fs::path finding = found();
  ASSERT_FALSE(finding.empty());
  std::vector<std::string> words = {"verify", finding.string(), "--executions", "20"};
  words.insert(words.end(), kLogging.begin(), kLogging.end());
  const Said said = esox(words);
  EXPECT_EQ(said.status, 1) << said.out << said.err;
  EXPECT_THAT(said.out, HasSubstr("still there: "));
}

TEST_F(Replaying, AServerThatCannotBeTestedIsToldApart) {
  const fs::path finding = found();
  ASSERT_FALSE(finding.empty());
  EXPECT_EQ(esox({"verify", finding.string(), "--server-option=--no-such-option"}).status, 125);
  EXPECT_EQ(esox({"verify", finding.string(), "--server", "/no/such/mariadbd"}).status, 125);
  // Too little time to say anything of a fix.
  const Said few = esox({"verify", finding.string(), "--server-option=--query-cache-size=0",
                         "--budget", "1s", "--attempts", "1"});
  EXPECT_EQ(few.status, 125) << few.out;
  EXPECT_THAT(few.out, HasSubstr("give more --budget"));
  const Said nothing = esox({"verify", finding.string()});
  EXPECT_EQ(nothing.status, 2);
  EXPECT_THAT(nothing.err, HasSubstr("nothing has changed"));
}

// memcached, rebuilt: with logging added, and with its fault taken out.
class ReplayingMemcached : public CommandTest {
 protected:
  static constexpr const char* kFault = "fault-swap-compared-outside-lock";

  void SetUp() override {
    for (const std::string name :
         {"annotated", kFault, "fault-swap-compared-outside-lock-logging"}) {
      if (fs::exists(program(name))) continue;
      GTEST_SKIP() << "no memcached to test with (" << name
                   << "): scripts/get-memcached brings it, which needs apt's network";
    }
  }

  static std::string program(const std::string& name) {
    return std::string(ESOX_MEMCACHED) + "/" + name + "/memcached";
  }

  // Of two swaps both are stored.
  fs::path found() {
    const Said said = esox({"hunt", shipped("../memcached/sessions.yaml"), "--server",
                            program(kFault), "--strategy", "random:p=0.2", "--executions", "150",
                            "--seed", "3", "--no-gate", "--diagnose-budget", "0", "--out", "out"});
    EXPECT_EQ(said.status, 1) << said.err;
    for (const fs::path& one : findings_in(folder() / "out")) {
      if (read(one / "finding.yaml").find("one-of-two-swaps") != std::string::npos) return one;
    }
    ADD_FAILURE() << "the seeded fault was not found";
    return {};
  }
};

TEST_F(ReplayingMemcached, ARebuildWithLoggingIsReAligned) {
  const fs::path finding = found();
  ASSERT_FALSE(finding.empty());
  const Said said = esox({"replay", finding.string(), "--server",
                          program(std::string(kFault) + "-logging"), "--times", "2", "--json"});
  ASSERT_EQ(said.status, 1) << said.err << said.out;
  EXPECT_EQ(json::parse(said.out)["same"], 2);
}

TEST_F(ReplayingMemcached, TheBuildWithoutTheFaultIsVerifiedAsFixed) {
  const fs::path finding = found();
  ASSERT_FALSE(finding.empty());
  const Said fixed =
      esox({"verify", finding.string(), "--server", program("annotated"), "--executions", "300"});
  EXPECT_EQ(fixed.status, 0) << fixed.out << fixed.err;
  EXPECT_THAT(fixed.out, AllOf(HasSubstr("fixed: none in "), HasSubstr("% confidence")));
  const Said still = esox({"verify", finding.string(), "--server",
                           program(std::string(kFault) + "-logging"), "--executions", "30"});
  EXPECT_EQ(still.status, 1) << still.out << still.err;
}

}  // namespace
}  // namespace esox
