// SPDX-License-Identifier: Apache-2.0
// esox exec as its user sees it: what it says, writes and leaves, and that everything that cannot
// be done ends in one clear line.
#include <signal.h>

#include <algorithm>

#include "tests/integration/command_fixture.h"

namespace esox {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using Json = nlohmann::json;

std::string program(const std::string& name) {
  return std::string(ESOX_PROGRAMS) + "/program_" + name;
}

class CommandExec : public CommandTest {
 protected:
  Said exec(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), {"exec", "--timeout", "1m", "--seed", "1"});
    return esox(arguments);
  }

  void expect_refused(const std::vector<std::string>& arguments, const std::string& why) {
    const Said said = exec(arguments);
    EXPECT_EQ(said.status, 2) << said.err;
    EXPECT_THAT(said.err, HasSubstr(why));
    EXPECT_EQ(std::count(said.err.begin(), said.err.end(), '\n'), 1) << said.err;
  }

  pid_t start_without_end() {
    return start({"exec", "--strategy", "random:p=1", "--executions", "1000000000", "--out",
                  "found", "--", program("check_then_act")},
                 [] {});
  }

  std::string progress() const { return read(folder().parent_path() / "err"); }

  // esox itself, and what it runs: all live in our folder.
  size_t processes_here() const {
    const std::filesystem::path here = std::filesystem::canonical(folder());
    size_t count = 0;
    std::error_code error;
    for (const auto& process : std::filesystem::directory_iterator("/proc", error)) {
      count += std::filesystem::read_symlink(process.path() / "cwd", error) == here;
    }
    return count;
  }
};

TEST_F(CommandExec, TellsAFailureAndReplaysIt) {
  const Said said = exec({"--strategy", "random:p=1", "--out", "found", "--json", "report.json",
                          "--", program("check_then_act")});
  EXPECT_EQ(said.status, 1) << said.err;
  EXPECT_THAT(said.out, AllOf(HasSubstr("exit status: 42 after: check_then_act"),
                              HasSubstr("of 1000 executions"), HasSubstr("withdraw"),
                              HasSubstr("esox exec --replay found/1-exit-status.json")));
  EXPECT_THAT(read(folder() / "found/1-exit-status.txt"), HasSubstr("its schedule"));
  const Json report = Json::parse(read(folder() / "report.json"));
  EXPECT_EQ(report.at("executions"), 1000);
  EXPECT_EQ(report.at("failures").size(), 1u);

  const Said again = esox({"exec", "--replay", "found/1-exit-status.json", "--times", "20"});
  EXPECT_EQ(again.status, 1) << again.err;
  EXPECT_THAT(again.out,
              HasSubstr("20 of 20 replays showed it again, 20 of them by the same operations"));
  EXPECT_THAT(again.err, IsEmpty());

  const Said told = esox({"exec", "--replay", "found/1-exit-status.json", "--json"});
  EXPECT_EQ(Json::parse(told.out).at("same"), 10) << told.out;
}

TEST_F(CommandExec, TakesDashesForNoFileOfTheReport) {
  const Said said =
      exec({"--executions", "10", "--out", "found", "--json", "--", program("check_then_act")});
  EXPECT_EQ(Json::parse(said.out).at("executions"), 10) << said.err;
  EXPECT_FALSE(std::filesystem::exists(folder() / "--"));
}

TEST_F(CommandExec, SaysThatNothingFailed) {
  const Said said = exec({"--executions", "200", "--", program("rwlock_correct")});
  EXPECT_EQ(said.status, 0) << said.err;
  EXPECT_THAT(said.out, HasSubstr("0 distinct failures in 0 failing of 200 executions"));
  EXPECT_FALSE(std::filesystem::exists(folder() / "esox-out"));
}

TEST_F(CommandExec, PassesArgumentsAndVariablesOn) {
  const Said said = exec({"--executions", "5", "--out", "found", "--env", "GREETING=hello", "--",
                          program("other_programs"), "says", "GREETING"});
  EXPECT_EQ(said.status, 1) << said.err;
  EXPECT_THAT(said.out, HasSubstr("| hello"));
}

TEST_F(CommandExec, RefusesWhatItCannotRunInOneLine) {
  expect_refused({"--", "./no_such_program"}, "./no_such_program is not a program that can be run");
  expect_refused({"--", "no-such-program-anywhere"}, "no-such-program-anywhere");
  expect_refused({"--", program("linked_statically")}, "linked statically");
  expect_refused({"--", program("other_programs"), "none"}, "without making a thread");
  expect_refused({"--", program("other_programs"), "forks"}, "without making a thread");
  expect_refused({"--", program("other_programs"), "becomes"}, "became another program");
  expect_refused({"--", ESOX_PROGRAM, "exec"}, "cannot run under its own control");
}

TEST_F(CommandExec, SaysSoWhenNoExecutionCouldBeJudged) {
  const Said said = exec({"--executions", "5", "--", program("other_programs"), "later"});
  EXPECT_EQ(said.status, 2) << said.err;
  EXPECT_THAT(said.out, HasSubstr("5 executions not judged: the program became another one"));
  EXPECT_THAT(said.err, HasSubstr("no execution could be judged"));
}

TEST_F(CommandExec, RefusesWrongUseInOneLine) {
  expect_refused({}, "give either -- PROGRAM ARGS or --replay FILE");
  expect_refused({"--strategy", "nonsense", "--", program("check_then_act")}, "--strategy");
  expect_refused({"--strategy", "replay", "--", program("check_then_act")}, "--strategy");
  expect_refused({"--strategy", "exhaustive:depth=2", "--", program("check_then_act")},
                 "write preemptions=N or delays=N");
  expect_refused({"--strategy", "exhaustive", "--jobs", "2", "--", program("check_then_act")},
                 "one execution after the other");
  expect_refused({"--executions", "0", "--", program("check_then_act")}, "--executions");
  expect_refused({"--env", "NO_SUCH_VARIABLE", "--", program("check_then_act")},
                 "there is no such variable");
  expect_refused({"--env", "LD_PRELOAD=x", "--", program("check_then_act")}, "LD_PRELOAD");
  expect_refused({"--replay", "nothing.json"}, "nothing.json: no such file");
  expect_refused({"--replay", write("broken.json", "{")}, "is not JSON");
  write("taken", "");
  expect_refused({"--out", "taken", "--", program("check_then_act")}, "taken is not a folder");
}

// The line of progress comes after ten seconds, where there is no terminal.
TEST_F(CommandExec, EndsSoonOnCtrlCWithWhatWasFound) {
  const pid_t child = start_without_end();
  ASSERT_TRUE(wait_until([this] { return progress().find("per second") != std::string::npos; },
                         std::chrono::seconds(100)));
  kill(child, SIGINT);
  const Said said = finish(std::chrono::seconds(60));
  EXPECT_EQ(said.status, 1) << said.err;
  EXPECT_THAT(said.out, HasSubstr("stopped before all executions were made"));
  EXPECT_EQ(processes_here(), 0u);
}

// The program waits by reading a variable, for ever: nothing of it ends by itself, for minutes.
TEST_F(CommandExec, EndsSoonOnCtrlCWhileAnExecutionHangs) {
  const pid_t child =
      start({"exec", "--timeout", "30m", "--", program("waits_without_calls")}, [] {});
  // esox, the program at its fork point, one of its executions.
  ASSERT_TRUE(wait_until([this] { return processes_here() > 2; }, std::chrono::seconds(100)));
  kill(child, SIGINT);
  const Said said = finish(std::chrono::seconds(60));
  EXPECT_EQ(said.status, 0) << said.err;
  EXPECT_THAT(said.out, HasSubstr("stopped before all executions were made"));
  EXPECT_EQ(processes_here(), 0u);
}

TEST_F(CommandExec, SearchesAllSchedulesAndSaysSo) {
  const Said said = exec({"--strategy", "exhaustive", "--out", "found", "--json", "report.json",
                          "--", program("figure_3_1")});
  EXPECT_EQ(said.status, 1) << said.err;
  EXPECT_THAT(said.out, AllOf(HasSubstr("exhausted: 1 violation (12 partial orders in "),
                              HasSubstr("each partial order was executed once to its end"),
                              Not(HasSubstr("95 %"))));
  const Json search = Json::parse(read(folder() / "report.json")).at("search");
  EXPECT_EQ(search.at("exhausted"), true);
  EXPECT_EQ(search.at("partial_orders"), 12);

  const Said again = esox({"exec", "--replay", "found/1-exit-status.json", "--times", "20"});
  EXPECT_EQ(again.status, 1) << again.err;
  EXPECT_THAT(again.out,
              HasSubstr("20 of 20 replays showed it again, 20 of them by the same operations"));
}

TEST_F(CommandExec, SaysOfASearchThatFoundNothingHowFarItCame) {
  const Said bounded =
      exec({"--strategy", "exhaustive:preemptions=1", "--", program("lost_wakeup")});
  EXPECT_THAT(bounded.out, HasSubstr("exhausted: "));
  const Said correct = exec({"--strategy", "exhaustive:preemptions=1", "--",
                             program("counted_orders"), "shared", "2", "3"});
  EXPECT_EQ(correct.status, 0) << correct.err;
  EXPECT_THAT(correct.out, HasSubstr("exhausted: no violation within 1 preemption ("));
  EXPECT_THAT(correct.out, Not(HasSubstr("portfolio"))) << "which the search goes without";
  const Said short_one = exec({"--strategy", "exhaustive", "--executions", "7", "--",
                               program("counted_orders"), "shared", "2", "3"});
  EXPECT_EQ(short_one.status, 0) << short_one.err;
  EXPECT_THAT(short_one.out,
              AllOf(HasSubstr("not exhausted: no violation so far, "), HasSubstr("7 executions")));
}

TEST_F(CommandExec, TellsTheJobsOfAnIterativeSearch) {
  const Said said = exec({"--strategy", "iterative", "--out", "found", "--json", "report.json",
                          "--", program("figure_3_1")});
  EXPECT_EQ(said.status, 1) << said.err;
  EXPECT_THAT(said.out, AllOf(HasSubstr("  none: exhausted: "), HasSubstr("  locks: exhausted: "),
                              HasSubstr("exhausted: a job with all points that occur was")));
  const Json report = Json::parse(read(folder() / "report.json"));
  EXPECT_EQ(report.at("search_jobs_exhausted"), true);
  EXPECT_GE(report.at("search_jobs").size(), 4u);
}

TEST_F(CommandExec, LeavesNothingWhenItIsKilled) {
  const pid_t child = start_without_end();
  ASSERT_TRUE(wait_until([this] { return processes_here() > 1; }, std::chrono::seconds(60)));
  kill(child, SIGKILL);
  finish(std::chrono::seconds(60));
  EXPECT_TRUE(wait_until([this] { return processes_here() == 0; }, std::chrono::seconds(60)));
}

}  // namespace
}  // namespace esox
