// SPDX-License-Identifier: Apache-2.0
#include "harness/hunt/setup_check.h"
#include "tests/integration/hunt_fixture.h"

namespace esox {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::ThrowsMessage;

class SetupCheck : public HuntTest {
 protected:
  void check(const std::string& yaml) {
    check_setups(server_, folder_.path(), inputs(yaml), stop_);
  }
};

TEST_F(SetupCheck, GoodSetupsEachStartFromAnEmptyDatabase) {
  EXPECT_NO_THROW(check(R"(
inputs:
  - {id: a, setup: [CREATE TABLE t1 (a INT)], clients: [{name: A, requests: [SELECT 1]}]}
  - {id: b, setup: [CREATE TABLE t1 (b INT)], clients: [{name: A, requests: [SELECT 1]}]}
)"));
}

TEST_F(SetupCheck, TheFirstFailureIsToldAndTheOthersCounted) {
  EXPECT_THAT(
      [&] {
        check(R"(
inputs:
  - {id: a, setup: [SELECT 1], clients: [{name: A, requests: [SELECT 1]}]}
  - {id: b, setup: [DROP TABLE t1], clients: [{name: A, requests: [SELECT 1]}]}
  - {id: c, setup: [DROP TABLE t2], clients: [{name: A, requests: [SELECT 1]}]}
)");
      },
      ThrowsMessage<SetupError>(AllOf(HasSubstr("test.yaml:4: setup of b"),
                                      HasSubstr("DROP TABLE t1"), HasSubstr("1 other setup"))));
}

TEST_F(SetupCheck, ASessionsSetupIsChecked) {
  EXPECT_THAT(
      [&] {
        check(R"(
id: a
clients: [{name: A, setup: [SET nonsense = 1], requests: [SELECT 1]}]
)");
      },
      ThrowsMessage<SetupError>(HasSubstr("nonsense")));
}

TEST_F(SetupCheck, WhatAnotherSetupLeftBehindIsNotBlamedOnTheNext) {
  EXPECT_NO_THROW(check(R"(
inputs:
  - {id: a, setup: [SET GLOBAL max_statement_time = 0.000001], clients: [{name: A, requests: [SELECT 1]}]}
  - {id: b, setup: [SELECT COUNT(*) FROM information_schema.COLUMNS], clients: [{name: A, requests: [SELECT 1]}]}
  - {id: c, setup: [CREATE DATABASE other], clients: [{name: A, requests: [SELECT 1]}]}
  - {id: d, setup: [CREATE DATABASE other, SELECT 1], clients: [{name: A, requests: [SELECT 1]}]}
)"));
}

TEST_F(SetupCheck, OptionsThatTheServerRefusesAreToldWithTheInput) {
  EXPECT_THAT(
      [&] {
        check(R"(
id: a
server_options: [--no-such-option]
clients: [{name: A, requests: [SELECT 1]}]
)");
      },
      ThrowsMessage<ServerError>(AllOf(HasSubstr("test.yaml:"), HasSubstr("server_options of a"))));
}

TEST_F(SetupCheck, AStopEndsItWithoutAWord) {
  stop_ = true;
  EXPECT_NO_THROW(check("id: a\nsetup: [SELEKT]\nclients: [{name: A, requests: [SELECT 1]}]\n"));
}

TEST_F(SetupCheck, VeryManySetupsAreLeftToTheHunt) {
  std::string yaml = "inputs:\n";
  for (size_t i = 0; i <= kMostSetupsToCheck; ++i) {
    yaml += "  - {id: in" + std::to_string(i) + ", setup: [DROP TABLE t" + std::to_string(i) +
            "], clients: [{requests: [SELECT 1]}]}\n";
  }
  EXPECT_FALSE(check_setups(server_, folder_.path(), inputs(yaml), stop_));
}

}  // namespace
}  // namespace esox
