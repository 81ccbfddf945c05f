// SPDX-License-Identifier: Apache-2.0
#include "harness/generate/meeting_names.h"

#include <gtest/gtest.h>

#include "targets/mariadb/language.h"

namespace esox {
namespace {

Input sql_input(const std::vector<std::string>& setup,
                const std::vector<std::vector<std::string>>& requests) {
  Input input;
  input.language = &mariadb_language();
  input.setup = setup;
  for (const auto& texts : requests) {
    InputClient& client = input.clients.emplace_back();
    for (const std::string& text : texts) client.requests.push_back({text, false});
  }
  return input;
}

const Holdings kTables = {{"table", "t1", "", "InnoDB"},
                          {"table", "t2", "", "InnoDB"},
                          {"column", "a", "t1", "int"},
                          {"column", "a", "t2", "int"},
                          {"view", "v1", "", ""}};

TEST(MeetingNamesTest, WhoNamesOneTableMeets) {
  EXPECT_TRUE(may_meet(sql_input({}, {{"DELETE FROM t1"}, {"SELECT * FROM t1"}}), kTables));
  EXPECT_FALSE(may_meet(sql_input({}, {{"DELETE FROM t1"}, {"SELECT * FROM t2"}}), kTables));
}

TEST(MeetingNamesTest, ColumnsOfOneNameAreNoMeeting) {
  EXPECT_FALSE(may_meet(sql_input({}, {{"SELECT a FROM t1"}, {"UPDATE t2 SET a = 1"}}), kTables));
}

TEST(MeetingNamesTest, ARequestThatNamesNothingMayBeAboutEverything) {
  EXPECT_TRUE(may_meet(sql_input({}, {{"FLUSH TABLES"}, {"SELECT * FROM t2"}}), kTables));
}

TEST(MeetingNamesTest, WhatTheSetupNamesTogetherCountsAsOne) {
  const std::vector<std::vector<std::string>> requests = {{"SELECT * FROM v1"}, {"DELETE FROM t2"}};
  EXPECT_FALSE(may_meet(sql_input({"CREATE VIEW v1 AS SELECT 1"}, requests), kTables));
  EXPECT_TRUE(may_meet(sql_input({"CREATE VIEW v1 AS SELECT * FROM t2"}, requests), kTables));
}

TEST(MeetingNamesTest, WhereNothingIsKnownAllMayMeet) {
  EXPECT_TRUE(may_meet(sql_input({}, {{"DELETE FROM t1"}, {"SELECT * FROM t2"}}), {}));
}

TEST(MeetingNamesTest, AThirdClientCounts) {
  EXPECT_TRUE(may_meet(sql_input({}, {{"DELETE FROM t1"}, {"SELECT * FROM t2"}, {"DROP TABLE T2"}}),
                       kTables));
}

}  // namespace
}  // namespace esox
