// SPDX-License-Identifier: Apache-2.0
// One report, three ways to show it: hunt.json, the progress line, the summary.
#include "harness/records/report.h"

#include <gmock/gmock.h>
#include <pty.h>
#include <unistd.h>

#include <nlohmann/json.hpp>

#include "base/process/unique_fd.h"
#include "harness/records/progress.h"
#include "harness/records/summary_text.h"

namespace esox {
namespace {

using nlohmann::json;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

HuntReport some_report() {
  HuntReport report;
  report.esox_version = "0.1.0";
  report.seed = UINT64_MAX;
  report.strategy = "pct:d=3";
  report.explorations = 33;
  report.inputs = 11;
  report.touched = 12;
  report.executions = 340;
  report.planned = 9900;
  report.degraded = 5;
  report.degraded_reasons["a thread was lost"] = 5;
  report.seconds = 50;
  HuntFinding finding;
  finding.id = "0123456789abcdef";
  finding.input = "table/04";
  finding.engine = "Aria";
  finding.verdict = VerdictClass::kLatent;
  finding.latent = true;
  finding.hits = 3;
  finding.draws = 200;
  finding.drawn_hits = 2;
  finding.executions = 300;
  finding.first_execution = 41;
  finding.headline = "the rows of t1: (7) missing";
  finding.synopsis = {"A1: SELECT 1", "wrong:    it"};
  finding.folder = "out/findings/0123456789abcdef";
  report.findings.push_back(finding);
  return report;
}

TEST(ReportJson, HoldsWhatOthersRelyOn) {
  const json all = json::parse(report_json(some_report()));
  for (const char* key : {"version", "seed", "inputs", "executions", "degraded",
                          "executions_per_second", "findings", "interrupted", "gate"}) {
    EXPECT_TRUE(all.contains(key)) << key;
  }
  EXPECT_EQ(all["seed"], UINT64_MAX);
  EXPECT_DOUBLE_EQ(all["executions_per_second"], 6.8);
  const json& finding = all["findings"][0];
  for (const char* key :
       {"id", "input", "engine", "class", "latent", "hits", "executions", "first_execution"}) {
    EXPECT_TRUE(finding.contains(key)) << key;
  }
  EXPECT_EQ(finding["class"], "latent");
  EXPECT_THAT(finding["folder"].get<std::string>(),
              AllOf(StartsWith("/"), HasSubstr("out/findings/0123456789abcdef")));
}

TEST(ReportJson, IsValidWhateverBytesTheInputHolds) {
  HuntReport report = some_report();
  report.findings[0].title = "\xff\xfe";
  EXPECT_TRUE(json::accept(report_json(report)));
}

TEST(ProgressText, HoldsTheFiguresAndTheTimeLeft) {
  HuntReport report = some_report();
  report.budget_s = 122;
  EXPECT_EQ(progress_text(report),
            "12/33 inputs, 340 executions, 6.8/s, 1 finding, 5 degraded, 1m12s left");
  report.budget_s.reset();
  EXPECT_THAT(progress_text(report), HasSubstr("23m26s left")) << "by the rate so far";
  report.executions = 0;
  EXPECT_THAT(progress_text(report), Not(HasSubstr("left"))) << "nobody knows yet";
}

TEST(DurationText, IsShort) {
  EXPECT_EQ(duration_text(-3), "0s");
  EXPECT_EQ(duration_text(9.4), "9s");
  EXPECT_EQ(duration_text(72), "1m12s");
  EXPECT_EQ(duration_text(7500), "2h05m");
}

TEST(Progress, RedrawsOneLineOnATerminalAndRemovesIt) {
  int master = -1;
  int slave = -1;
  ASSERT_EQ(openpty(&master, &slave, nullptr, nullptr, nullptr), 0);
  const UniqueFd reading(master);
  std::FILE* terminal = fdopen(slave, "w");
  Progress progress(terminal);
  usleep(250'000);
  progress.show(some_report());
  progress.clear();
  char text[512];
  const ssize_t got = read(master, text, sizeof text);
  std::fclose(terminal);
  ASSERT_GT(got, 0);
  const std::string drawn(text, static_cast<size_t>(got));
  EXPECT_THAT(drawn,
              AllOf(StartsWith("\r12/33 inputs"), HasSubstr("\x1b[K"), Not(HasSubstr("\n"))));
}

TEST(Progress, OnAPipeSaysNothingAtFirst) {
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  const UniqueFd reading(ends[0]);
  std::FILE* stream = fdopen(ends[1], "w");
  Progress progress(stream);
  progress.show(some_report());
  progress.clear();
  std::fclose(stream);
  char byte;
  EXPECT_EQ(read(ends[0], &byte, 1), 0);
}

TEST(SummaryText, ToldWhatAndHowOftenAndHowToSeeItAgain) {
  const std::string text = summary_text(some_report());
  EXPECT_THAT(text, HasSubstr("1. latent: the rows of t1: (7) missing\n"
                              "   table/04 on Aria, in 2 of 200 fresh draws: 1 % (95 %: 0.12 to "
                              "3.6 %); first in execution "));
  EXPECT_THAT(text, HasSubstr("     A1: SELECT 1\n"));
  EXPECT_THAT(text, HasSubstr("esox replay out/findings/0123456789abcdef\n"));
  EXPECT_THAT(text, HasSubstr("5 executions were not judged"));
  EXPECT_THAT(text, HasSubstr("a thread was lost"));
}

TEST(SummaryText, NothingFoundIsSaid) {
  HuntReport report = some_report();
  report.findings.clear();
  EXPECT_THAT(summary_text(report), StartsWith("Nothing was found."));
}

TEST(SummaryText, ManyFindingsAreListedShortlyAfterTheFirst) {
  HuntReport report = some_report();
  report.findings.resize(5, report.findings[0]);
  for (size_t i = 0; i < 5; ++i) report.findings[i].id.back() = static_cast<char>('0' + i);
  const std::string text = summary_text(report, 2);
  EXPECT_THAT(text, HasSubstr("5 findings"));
  EXPECT_THAT(text, HasSubstr("\n5. 0123456789abcde4"));
  EXPECT_THAT(text, Not(HasSubstr("3. latent:")));
}

TEST(SummaryText, FindingsOfOneCauseAreOneEntryThatLeadsWithTheOneThatStandsForAll) {
  HuntReport report = some_report();
  report.findings.resize(3, report.findings[0]);
  report.findings[0].family = report.findings[2].family = report.findings[2].id = "2222";
  report.findings[2].headline = "the rows of t2: (8) missing";
  report.findings[1].id = "1111";
  const std::string text = summary_text(report);
  EXPECT_THAT(text,
              StartsWith("3 findings of 2 causes:\n\n1. latent: the rows of t2: (8) missing\n"));
  EXPECT_THAT(text,
              HasSubstr("   and, of the same cause:\n     0123456789abcdef  latent table/04 on "
                        "Aria: the rows of t1: (7) missing\n"));
  EXPECT_THAT(text, HasSubstr("\n2. latent: the rows of t1: (7) missing\n"));
}

TEST(SummaryText, RepliesThatDifferBetweenEqualSerialRunsAreShown) {
  HuntReport report = some_report();
  report.nondeterminism.push_back({{"i", "Aria", ""}, {}, {"A1 (rows) in A1 B1: (3) in one run"}});
  EXPECT_THAT(
      summary_text(report),
      HasSubstr("serial runs differ there (see hunt.json).\n  i on Aria: A1 (rows) in A1 B1: "
                "(3) in one run\n"));
}

TEST(SummaryText, ErrorsSignalsAndWhatIsLostAreSaid) {
  HuntReport report = some_report();
  report.interrupted = true;
  report.failure = "no space";
  report.findings[0].folder.clear();
  report.unconfirmed.push_back(
      {{"i", "Aria", "row-log"}, VerdictClass::kSemantic, {}, "why", 4, 1, 1});
  report.skipped.assign(9, {{"x", "", ""}, "not meant for it"});
  report.nondeterminism.push_back({{"i", "Aria", ""}, {{"A1: rows", 2}}});
  report.server_failures = 1;
  const std::string text = summary_text(report);
  for (const char* part : {"Stopped by a signal", "Ended early by an error", "could not be written",
                           "4 executions broke the rules", "i on Aria, row-log", "left out: 4 more",
                           "1 input with places", "1 start of the server failed"}) {
    EXPECT_THAT(text, HasSubstr(part));
  }
}

}  // namespace
}  // namespace esox
