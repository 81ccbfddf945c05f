// SPDX-License-Identifier: Apache-2.0
// hunt.json read back, whole and damaged.
#include "harness/records/reports/hunt_reader.h"

#include <gmock/gmock.h>

#include "harness/records/reports/report_error.h"
#include "tests/unit/base/random_record.h"
#include "tests/unit/reports/hunts.h"

namespace esox {

static void fill(Random& random, VerdictClass& verdict) {
  verdict = static_cast<VerdictClass>(random() % 8);
}
static void fill(Random& random, Meetings& meetings) {
  for (uint64_t left = random() % 4; left > 0; --left) {
    meetings.sites.insert(static_cast<OrderedContact>(random()));
  }
}
static void fill(Random& random, Shard& shard) {
  shard.of = 1 + random() % kMostShards;
  shard.number = 1 + random() % shard.of;
}

namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

std::string error_of(const std::string& text) {
  try {
    hunt_from_json(text, "out/hunt.json");
  } catch (const ReportError& error) {
    return error.what();
  }
  return "";
}

TEST(HuntReader, ReadsBackAllThatAHuntWrote) {
  HuntReport hunt = some_hunt();
  hunt.budget_s = 60;
  hunt.findings.at(0).critical = "A was switched out";
  hunt.findings.at(0).smaller = "2 of 5 requests";
  hunt.lives.restarted = 4;
  hunt.lives.why_restarted = "a socket";
  const std::string written = report_json(hunt);
  EXPECT_EQ(report_json(hunt_from_json(written, "hunt.json")), written);
}

TEST(HuntReader, WhateverAHuntCountsIsReadBack) {
  Random random(1);
  for (int i = 0; i < 30; ++i) {
    const std::string written = report_json(random_record<HuntReport>(random));
    EXPECT_EQ(report_json(hunt_from_json(written, "hunt.json")), written);
  }
}

TEST(HuntReader, AFileOfBeforeTheFiguresIsRead) {
  const HuntReport hunt =
      hunt_from_json(R"({"version":"0.1","seed":1,"executions":7,"findings":[]})", "hunt.json");
  EXPECT_EQ(hunt.executions, 7u);
  EXPECT_TRUE(hunt.figures.empty());
}

TEST(HuntReader, ACutOffFileIsRefusedWithThePlace) {
  const std::string whole = report_json(some_hunt());
  for (size_t part = 1; part < 10; ++part) {
    const std::string why = error_of(whole.substr(0, whole.size() * part / 10));
    EXPECT_THAT(why, AllOf(HasSubstr("out/hunt.json: damaged at byte"), HasSubstr("cut off")));
    EXPECT_THAT(why, Not(HasSubstr("\n")));
  }
}

TEST(HuntReader, OtherJsonIsNoHunt) {
  for (const char* text : {"[]", "3", "{}", R"({"version":1,"seed":1,"executions":1})",
                           R"({"version":"1","seed":"x","executions":1,"findings":[]})"}) {
    EXPECT_THAT(error_of(text), HasSubstr("not the report of a hunt")) << text;
  }
  EXPECT_THAT(error_of(R"({"version":"1","seed":1,"executions":1,"findings":{}})"),
              HasSubstr("'findings' is object, not a list"));
  EXPECT_THAT(error_of(R"({"version":"1","seed":1,"executions":1,
                           "findings":[{"id":"a","input":"b","class":"odd"}]})"),
              HasSubstr("'findings[0].class' is 'odd', a class that this esox does not know"));
}

TEST(HuntReader, AFolderWithoutHuntJsonIsNoHuntsFolder) {
  const HuntFolder folder;
  EXPECT_THROW(read_hunt(folder.out() / "findings"), ReportError);
  EXPECT_THROW(read_hunt("/nowhere"), ReportError);
  EXPECT_NO_THROW(read_hunt(folder.out()));
}

}  // namespace
}  // namespace esox
