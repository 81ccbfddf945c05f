// SPDX-License-Identifier: Apache-2.0
// What the commands make of what the user wrote.
#include "harness/commands/options.h"

#include <gmock/gmock.h>

#include "base/text/duration.h"
#include "base/text/input_error.h"
#include "harness/commands/command.h"
#include "harness/commands/workbench.h"
#include "harness/engine/executor.h"
#include "harness/engine/known_servers.h"
#include "harness/records/out_folder.h"
#include "inputs/reader.h"

namespace esox {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using namespace std::chrono_literals;

std::vector<Input> two_inputs() {
  return parse_inputs(R"(
inputs:
  - id: any
    setup: ["CREATE TABLE t1 (a INT) ENGINE=${engine}"]
    clients: [{name: A, requests: [SELECT 1]}]
  - id: only
    engines: [InnoDB]
    setup: ["CREATE TABLE t1 (a INT) ENGINE=${engine}"]
    clients: [{name: A, requests: [SELECT 1]}]
)",
                      "two.yaml", languages());
}

TEST(Duration, IsReadAsPeopleWriteIt) {
  EXPECT_EQ(parse_duration("90s"), 90s);
  EXPECT_EQ(parse_duration("90"), 90s);
  EXPECT_EQ(parse_duration("2m"), 2min);
  EXPECT_EQ(parse_duration("1h30m"), 90min);
  EXPECT_EQ(parse_duration("1h1m1s"), 3661s);
}

TEST(Duration, WhatIsNoneIsRefused) {
  for (const char* text : {"", "0", "0s", "x", "2x", "-3s", "m", "1m1h", "1s1s", "1.5m", "2 m",
                           "99999999h", "4294967296s"}) {
    EXPECT_FALSE(parse_duration(text)) << text;
  }
}

TEST(Seed, IsReadInDecimalAndHexadecimal) {
  EXPECT_EQ(seed_of("42"), 42u);
  EXPECT_EQ(seed_of("0x2A"), 42u);
  EXPECT_EQ(seed_of("18446744073709551615"), UINT64_MAX);
}

TEST(Seed, WhatIsNoneIsRefusedWithAWordOnWhatWouldBe) {
  for (const char* text : {"abc", "-1", "18446744073709551616", "0x", "1 ", "0x1g"}) {
    EXPECT_THROW(seed_of(text), UsageError) << text;
  }
}

TEST(Seed, IsDrawnIfNotGiven) {
  EXPECT_NE(seed_of(""), seed_of(""));
}

TEST(Strategy, IsKeptInItsFullForm) {
  SearchOptions options;
  options.strategy = "pct";
  options.seed = "7";
  const ExplorationSettings settings = exploration_settings(options);
  EXPECT_EQ(settings.strategy_text, "pct:d=3");
  EXPECT_EQ(settings.hunt_seed, 7u);
}

TEST(Strategy, ThoseThatExploreNothingAreRefused) {
  for (const char* text : {"serial", "replay", "nonsense", "pct:d=x"}) {
    SearchOptions options;
    options.strategy = text;
    EXPECT_THROW(exploration_settings(options), UsageError) << text;
  }
}

TEST(Learn, IsOnUnderThePortfolioUnlessItIsAskedForOtherwise) {
  const auto learns = [](const char* strategy, const char* learn) {
    SearchOptions options;
    options.strategy = strategy;
    options.learn = learn;
    return exploration_settings(options).learn;
  };
  EXPECT_TRUE(learns("portfolio", "auto"));
  EXPECT_FALSE(learns("portfolio", "off"));
  EXPECT_FALSE(learns("pct:d=3", "auto"));
  EXPECT_TRUE(learns("pct:d=3", "on"));
  EXPECT_FALSE(learns("exhaustive:preemptions=1", "auto"));
}

SearchOptions on_engines(const std::vector<std::string>& engines) {
  SearchOptions options;
  options.engines = engines;
  return options;
}

TEST(InstantiateAll, KeepsTheInputsOrderAndTellsWhatIsLeftOut) {
  std::vector<std::string> left_out;
  const auto all = instantiate_all(two_inputs(), on_engines({"aria", "MyISAM"}), &left_out);
  ASSERT_EQ(all.size(), 2u);
  EXPECT_EQ(all[0].engine, "Aria");
  EXPECT_EQ(all[1].engine, "MyISAM");
  EXPECT_THAT(left_out, ElementsAre("only"));
}

TEST(InstantiateAll, NothingLeftIsWrongUse) {
  std::vector<std::string> left_out;
  EXPECT_THROW(instantiate_all({two_inputs()[1]}, on_engines({"Aria"}), &left_out), UsageError);
}

TEST(InstantiateAll, GivesEachTheSummaryAskedFor) {
  std::vector<std::string> left_out;
  SearchOptions options;
  options.summary = "indexes,files";
  for (const ConcreteInput& one : instantiate_all(two_inputs(), options, &left_out)) {
    EXPECT_EQ(one.input.summary, "indexes,files");
  }
  options.summary = "indexs";
  EXPECT_THROW(instantiate_all(two_inputs(), options, &left_out), UsageError);
}

TEST(InstantiateAll, UnknownEnginesAreRefused) {
  std::vector<std::string> left_out;
  EXPECT_THROW(instantiate_all(two_inputs(), on_engines({"inodb"}), &left_out), InputError);
}

template <class Error>
int status_of(const Error& error, std::string* told) {
  testing::internal::CaptureStderr();
  const int status = tell_error(std::make_exception_ptr(error));
  *told = testing::internal::GetCapturedStderr();
  return status;
}

TEST(ExitStatus, OfWhatTheUserCanMendIsTwo) {
  std::string told;
  EXPECT_EQ(status_of(UsageError("no\nway"), &told), kBadInput);
  EXPECT_EQ(told, "esox: no\\nway\n") << "one line, whatever the text";
  EXPECT_EQ(status_of(InputError("f.yaml", 3, "bad"), &told), kBadInput);
  EXPECT_EQ(told, "esox: f.yaml:3: bad\n");
  EXPECT_EQ(status_of(SetupError("x"), &told), kBadInput);
  EXPECT_EQ(status_of(FindingError("x"), &told), kBadInput);
  EXPECT_EQ(status_of(OutError("x"), &told), kBadInput);
}

TEST(ExitStatus, OfAServerErrorIsTwoAndItsLogIsShown) {
  std::string told;
  EXPECT_EQ(status_of(ServerError("died", "one\ntwo"), &told), kBadInput);
  EXPECT_THAT(told, HasSubstr("esox: died\n"));
  EXPECT_THAT(told, HasSubstr("  | one\n  | two\n"));
}

TEST(ExitStatus, OfAnythingElseIsThree) {
  std::string told;
  EXPECT_EQ(status_of(std::logic_error("oops"), &told), kEsoxFailed);
  EXPECT_THAT(told, HasSubstr("oops"));
  EXPECT_EQ(status_of(7, &told), kEsoxFailed);
}

}  // namespace
}  // namespace esox
