// SPDX-License-Identifier: Apache-2.0
// The table of servers: its text, its file, its place in reports.
#include "harness/records/affected.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "harness/records/reports/reports.h"
#include "tests/unit/reports/hunts.h"

namespace esox {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

AffectedRow row_of(const std::string& version, Affected answer) {
  AffectedRow row;
  row.server = "servers/" + version;
  row.version = version;
  row.answer = answer;
  return row;
}

AffectedSearch search_of(const std::string& strategy, uint64_t hits) {
  AffectedSearch search;
  search.strategy = strategy;
  search.executions = 300;
  search.hits = hits;
  return search;
}

AffectedTable some_table() {
  AffectedTable table;
  table.finding = kSomeId;
  table.input = "some/input on Aria";
  table.violation = "semantic: A wrong answer was given.";
  table.made = "2030-01-01T00:00:00Z";
  table.esox = "0.1.0 (0123456789ab)";
  table.seed = UINT64_MAX;
  table.executions_each = 300;
  table.confidence = 0.95;
  table.rows = {row_of("10.5.23", Affected::kHasIt), row_of("10.11.19", Affected::kHasIt),
                row_of("11.8.9", Affected::kNotSeen), row_of("9.7.4", Affected::kRefused),
                row_of("", Affected::kCannotTell)};
  table.rows[0].searches = {search_of("wrw:share=12", 41)};
  table.rows[0].home = true;
  table.rows[1].replay = "re-aligned";
  table.rows[2].searches = {search_of("wrw:share=12", 0), search_of("portfolio", 0)};
  table.rows[2].searches[1].other = {{"class crash\nframe f", 2, 77}};
  table.rows[2].would_have_been_seen = 0.999996;
  table.rows[2].as_frequent_as = "10.5.23";
  table.rows[3].reason = "A1 (SHOW <b>): error 1064 (42000): no\nsuch";
  table.rows[4].reason = "it does not start";
  return table;
}

TEST(Affected, HasALineForEachServer) {
  const std::string text = affected_text(some_table());
  EXPECT_THAT(
      text,
      AllOf(
          HasSubstr("  10.5.23   servers/10.5.23   has it (41 of 300), where it was found\n"),
          HasSubstr("  10.11.19  servers/10.11.19  has it (its schedule, re-aligned)\n"),
          HasSubstr("not in 600 executions; would have been seen with probability 0.9999 if it "
                    "were as frequent as on 10.5.23\n"),
          HasSubstr("another violation, in 2 of 300 by portfolio (first by seed 77): class crash; "
                    "frame f\n"),
          HasSubstr("refused there: A1 (SHOW <b>): error 1064 (42000): no such\n"),
          HasSubstr("  ?  "), HasSubstr("cannot tell: it does not start\n")));
  EXPECT_THAT(how_text(some_table()),
              AllOf(HasSubstr("2030-01-01T00:00:00Z by esox 0.1.0 (0123456789ab)"),
                    HasSubstr("seed 18446744073709551615"), HasSubstr("by wrw:share=12"),
                    HasSubstr("95 % confidence"), Not(HasSubstr("was stopped"))));
}

// Where the schedule is tried, too, which is for counting alone.
TEST(Affected, WhatItsReproducerShowsIsNotSaidOfItsSchedule) {
  AffectedTable table = some_table();
  AffectedRow& row = table.rows[1];
  row.replay = kReplayFailed;
  row.searches = {search_of("wrw:share=12", 0)};
  row.played = PlayedRounds{};
  row.played->rounds = row.played->violated = 20;
  row.played->as_made = true;
  ASSERT_TRUE(row.played->shows_the_finding());
  EXPECT_THAT(affected_text(table),
              HasSubstr("has it (its reproducer, and not in 300 executions)\n"));
  row.searches.clear();
  row.replay = "";
  EXPECT_THAT(affected_text(table), HasSubstr("has it (its reproducer)\n"));
  row.replay = "re-aligned";
  EXPECT_THAT(affected_text(table), HasSubstr("has it (its schedule, re-aligned)\n"));
}

TEST(Affected, ProbabilitiesAreNeverRoundedUp) {
  AffectedTable table = some_table();
  const auto told = [&](double probability) {
    table.rows[2].would_have_been_seen = probability;
    const std::string text = answer_text(table.rows[2]);
    const size_t at = text.find("probability ") + std::string("probability ").size();
    return text.substr(at, text.find(' ', at) - at);
  };
  EXPECT_EQ(told(1.0), "0.9999");
  EXPECT_EQ(told(0.9999999), "0.9999");
  EXPECT_EQ(told(0.99006), "0.9900");
  EXPECT_EQ(told(0.479), "0.47");
  EXPECT_EQ(told(0.001), "0.00");
}

TEST(Affected, IsReadBackAsWritten) {
  const AffectedTable table = some_table();
  const std::string json = affected_json(table);
  EXPECT_EQ(affected_json(from_json<AffectedTable>(json)), json);
  EXPECT_EQ(nlohmann::json::parse(json)["rows"][2]["answer"], "not seen");
  EXPECT_THROW(from_json<AffectedTable>(R"({"finding": "a", "rows": [{"server": "s",
      "answer": "perhaps"}]})"),
               RecordError);
}

TEST(Affected, LiesBesideTheFindingAndIsInItsReports) {
  const HuntFolder folder;
  write_affected(folder.finding() / "minimised.yaml", some_table());
  EXPECT_TRUE(std::filesystem::exists(folder.finding() / "minimised-affected.txt"));
  ReportData data = read_report_data(folder.out());
  EXPECT_THAT(report_html(data, folder.out()), Not(HasSubstr("Which servers have it?")));
  write_affected(folder.finding() / "finding.yaml", some_table());
  data = read_report_data(folder.out());
  ASSERT_TRUE(data.findings.at(0).affected);
  EXPECT_EQ(data.findings[0].damage, "");
  EXPECT_THAT(report_html(data, folder.out()),
              AllOf(HasSubstr("Which servers have it?"), HasSubstr("has it (41 of 300)"),
                    HasSubstr("A1 (SHOW &lt;b&gt;)"), HasSubstr("where it was found")));
  EXPECT_THAT(report_whole_json(data), HasSubstr("would_have_been_seen"));
}

TEST(Affected, OfADamagedFileTheFindingSaysSo) {
  const HuntFolder folder;
  write_affected(folder.finding() / "finding.yaml", some_table());
  folder.write(std::string("findings/") + kSomeId + "/affected.json", R"({"finding": 7})");
  const ReportData data = read_report_data(folder.out());
  EXPECT_THAT(data.findings.at(0).damage, HasSubstr("affected.json: "));
  EXPECT_FALSE(data.findings[0].affected);
}

}  // namespace
}  // namespace esox
