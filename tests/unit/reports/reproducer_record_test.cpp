// SPDX-License-Identifier: Apache-2.0
// What is told of a reproducer's rounds, and of the reproducer itself; its place in reports.
#include "harness/records/reproducer_record.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "harness/records/reports/reports.h"
#include "tests/unit/reports/hunts.h"

namespace esox {
namespace {

using testing::AllOf;
using testing::HasSubstr;

PlayedRounds rounds_of(const std::map<std::string, uint64_t>& what, const std::string& why = "") {
  PlayedRounds played;
  for (const auto& [name, count] : what) played.rounds += count;
  played.violated = what.contains("violated") ? what.at("violated") : 0;
  played.what = what;
  played.why = why;
  played.as_made = played.violated > 0;
  played.control_rounds = 20;
  return played;
}

TEST(PlayedRounds, EachOutcomeIsToldApart) {
  EXPECT_EQ(rounds_text(rounds_of({{"violated", 20}})), "violated 20 of 20");
  EXPECT_EQ(rounds_text(rounds_of({{"held", 20}})), "held, violated 0 of 20");
  EXPECT_EQ(rounds_text(rounds_of({{"violated", 7}, {"held", 13}})), "violated 7 of 20");
  EXPECT_EQ(
      rounds_text(rounds_of({{"place unknown", 1}}, "place unknown: mysqld has no function f")),
      "place unknown: mysqld has no function f");
  EXPECT_EQ(rounds_text(rounds_of({{"never reached", 20}}, "client B")),
            "never reached in 20 of 20: client B");
  EXPECT_EQ(rounds_text(rounds_of({{"stood still", 2}, {"violated", 18}})),
            "violated 18 of 20; stood still in 2 of 20");
  EXPECT_EQ(rounds_text(rounds_of({}, "it does not start")), "not played: it does not start");
}

TEST(PlayedRounds, AControlThatViolatesLeavesNothingToSay) {
  PlayedRounds played = rounds_of({{"violated", 20}});
  played.control_violated = 3;
  EXPECT_EQ(rounds_text(played), "cannot say: the control violated, too, 3 of 20");
  EXPECT_FALSE(played.shows_the_finding());
}

ReproducerRecord some_record() {
  ReproducerRecord record;
  record.by_name = true;
  record.version = "10.11.19-MariaDB";
  record.rounds = rounds_of({{"violated", 20}});
  record.rounds.held = "B at <mysql_rename_table> (2nd time)";
  return record;
}

std::string plan_with(const ReproducerRecord& record) {
  nlohmann::json plan = {{"format", 1}};
  plan["measured"] = nlohmann::json::parse(to_json(record, 0));
  return plan.dump();
}

TEST(ReproducerRecord, IsReadFromThePlan) {
  const auto read = reproducer_record(plan_with(some_record()));
  ASSERT_TRUE(read);
  EXPECT_EQ(
      reproducer_text(*read),
      "by name, violated 20 of 20, held: B at <mysql_rename_table> (2nd time); control 0 of 20");
  EXPECT_FALSE(reproducer_record("{\"format\": 1}"));
  EXPECT_FALSE(reproducer_record("no JSON"));
  EXPECT_THROW(reproducer_record("{\"measured\": 7}"), RecordError);
  ReproducerRecord none;
  none.needs_esox = "it needs data choices";
  EXPECT_EQ(short_reproducer_text(none), "needs esox");
  EXPECT_EQ(reproducer_text(none), "needs esox: it needs data choices");
}

std::string page_with(const std::string& reproduce_json) {
  const HuntFolder folder;
  folder.write(std::string("findings/") + kSomeId + "/reproduce.json", reproduce_json);
  return report_html(read_report_data(folder.out()), folder.out());
}

TEST(ReproducerRecord, StandsOnTheFindingsPage) {
  EXPECT_THAT(page_with(plan_with(some_record())),
              AllOf(HasSubstr("by name, violated 20 of 20 on 10.11.19-MariaDB"),
                    HasSubstr("B at &lt;mysql_rename_table&gt; (2nd time)"), HasSubstr("0 of 20"),
                    HasSubstr("/reproduce.py")));
  ReproducerRecord none;
  none.needs_esox = "it needs data choices";
  EXPECT_THAT(page_with(plan_with(none)),
              AllOf(HasSubstr("needs esox"), HasSubstr("it needs data choices"),
                    testing::Not(HasSubstr("/reproduce.py"))));
  EXPECT_THAT(page_with("{\"measured\": 7}"), HasSubstr("Not shown whole: reproduce.json"));
}

}  // namespace
}  // namespace esox
