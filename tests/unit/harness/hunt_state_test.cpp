// SPDX-License-Identifier: Apache-2.0
#include "harness/records/hunt_state.h"

#include <gmock/gmock.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "base/process/private_directory.h"
#include "harness/records/out_folder.h"
#include "harness/search/plan.h"
#include "tests/unit/harness/records.h"

namespace esox {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

const std::string kBytes("no \xff text \0 at all", 18);

ExplorationMemory a_memory() {
  ExplorationMemory memory;
  memory.executed = {{{}, {0, 1}}, {{{1, 0}}, {0}}};
  memory.without_luck = {{{}, {1, 0}}};
  memory.repeated = {{{}, {0, 1}}};
  memory.steps = {{{}, 1}, {{1}, 0}};
  memory.serial_failures = {{EndingKind::kCrash, kBytes, false}, {EndingKind::kHang, "", true}};
  memory.serial_failure_untold = true;
  memory.patient = true;
  memory.search = {2, {1, 7}, {{0, 50}}};
  memory.masks.outputs[{1, 2, OutputPart::kColumn, 3, 4}] = 5;
  memory.masks.state[{kBytes, std::nullopt}] = 6;
  memory.masks.state[{"status", kBytes}] = 7;
  memory.expected_points = 18446744073709551615u;
  memory.expected_points_of = {8, 9};
  memory.serial_executions = 10;
  memory.replays = 11;
  memory.doubts["cause"] = {kBytes, 2};
  memory.causes = {"one", "two"};
  memory.portfolio.arms[1] = {12, 0.5};
  memory.exemplars = {
      {18446744073709551614u, 13, true, {{0, 14}, {1, kToTheEnd}}, {{0, 15}}, {16}}};
  memory.predictions = {{"trouble", {kBytes}, {{{1, 17}}}, 18, 19}};
  memory.last = 20;
  return memory;
}

Tally a_tally() {
  Tally tally;
  tally.executions = 25;
  tally.degraded = 2;
  tally.serial_executions = 3;
  tally.serial_steps = 4;
  tally.serial_states = 5;
  tally.replays = 6;
  tally.verdicts = {{"none", 20}, {"latent", 3}};
  tally.degraded_reasons = {{"a reason", 2}};
  RuleAccount rule;
  rule.name = "rule";
  rule.executions = 4;
  rule.example = kBytes;
  tally.forgiven = {rule};
  HuntFinding finding;
  finding.id = "0123";
  finding.input = "in";
  finding.verdict = VerdictClass::kLatent;
  finding.latent = true;
  finding.hits = 3;
  finding.first_execution = 9;
  finding.seed = 18446744073709551615u;
  finding.cause = {"class latent"};
  finding.synopsis = {kBytes};
  tally.findings["c"] = finding;
  UnconfirmedViolation doubtful;
  doubtful.input = "in";
  doubtful.hits = 1;
  doubtful.doubt = "why";
  tally.unconfirmed["d"] = doubtful;
  tally.left_out = "given up";
  return tally;
}

TEST(ExplorationMemory, IsReadBackAsItWasWhateverBytesAreInIt) {
  const ExplorationMemory memory = a_memory();
  const ExplorationMemory again = exploration_memory_of(to_bytes(memory));
  EXPECT_EQ(to_bytes(again), to_bytes(memory));
  EXPECT_EQ(again.executed, memory.executed);
  EXPECT_EQ(again.masks, memory.masks);
  EXPECT_EQ(again.steps, memory.steps);
  EXPECT_EQ(again.serial_failures, memory.serial_failures);
  EXPECT_EQ(again.doubts.at("cause").text, kBytes);
  EXPECT_EQ(again.expected_points, memory.expected_points);
  EXPECT_EQ(again.exemplars, memory.exemplars);
  EXPECT_EQ(again.predictions, memory.predictions);
  EXPECT_EQ(again.last, memory.last);
  EXPECT_EQ(again.search.left_out, 2u);
  EXPECT_EQ(again.search.violating, memory.search.violating);
}

TEST(Tally, IsReadBackAsItWasWhateverBytesAreInIt) {
  const Tally tally = a_tally();
  const Tally again = tally_of(to_bytes(tally));
  EXPECT_EQ(to_bytes(again), to_bytes(tally));
  EXPECT_EQ(again.findings.at("c").synopsis.front(), kBytes);
  EXPECT_EQ(again.findings.at("c").verdict, VerdictClass::kLatent);
  EXPECT_EQ(again.unconfirmed.at("d").doubt, "why");
  EXPECT_EQ(again.verdicts, tally.verdicts);
}

// Its lists had no names, and a class was a number.
TEST(Tally, IsReadAsItWasWrittenBeforeRecords) {
  using nlohmann::json;
  const json finding = {
      {"id", "0123"}, {"input", "in"},  {"title", "t"},  {"engine", ""},    {"setting", "log"},
      {"class", 3},   {"latent", true}, {"hits", 3},     {"executions", 4}, {"first_execution", 5},
      {"seed", 6},    {"cause", {"c"}}, {"brief", {"b"}}};
  const json old = {{"executions", 25},
                    {"degraded", 2},
                    {"serial_executions", 3},
                    {"serial_steps", 4},
                    {"serial_states", 5},
                    {"replays", 6},
                    {"verdicts", {{"latent", 3}}},
                    {"degraded_reasons", {{"a reason", 2}}},
                    {"forgiven", {{"rule", 4, "in", "Aria", 7, 8, kBytes}}},
                    {"findings", json::array({json::array({"c", finding})})},
                    {"unconfirmed", json::array()},
                    {"search", {{"exhausted", true}}},
                    {"left_out", "given up"}};
  const Tally tally = tally_of(json::to_cbor(old));
  EXPECT_EQ(tally.executions, 25u);
  EXPECT_EQ(tally.forgiven.at(0).executions, 4u);
  EXPECT_EQ(tally.forgiven.at(0).engine, "Aria");
  EXPECT_EQ(tally.forgiven.at(0).example, kBytes);
  EXPECT_EQ(tally.findings.at("c").verdict, VerdictClass::kLatent);
  EXPECT_EQ(tally.findings.at("c").setting, "log");
  EXPECT_TRUE(tally.search.exhausted);
}

TEST(Tally, AddsUpToTheReport) {
  HuntReport report;
  report.filters.emplace_back().name = "rule";
  add_counts(report, a_tally());
  add_counts(report, a_tally());
  EXPECT_EQ(report.executions, 50u);
  EXPECT_EQ(report.replays, 12u);
  EXPECT_EQ(report.degraded_reasons.at("a reason"), 4u);
  ASSERT_EQ(report.filters.size(), 1u);
  EXPECT_EQ(report.filters[0].executions, 8u);
  EXPECT_EQ(report.filters[0].example, kBytes);
}

TEST(Tally, CountsARuleOnceForEachExecutionItIsNeededFor) {
  Tally tally;
  Verdict verdict;
  verdict.forgiven = {{"rule", RequestId{0, 0}, "", "rows"}, {"rule", RequestId{1, 0}, "", "rows"}};
  const ConcreteInput input{two_clients(), "Aria", ""};
  note_forgiven(tally, input, record_of(outcome_of({"1"}, {"1"}), 4), verdict);
  note_forgiven(tally, input, record_of(outcome_of({"1"}, {"1"}), 5), verdict);
  ASSERT_EQ(tally.forgiven.size(), 1u);
  EXPECT_EQ(tally.forgiven[0].executions, 2u);
  EXPECT_EQ(tally.forgiven[0].execution, 4u);
}

class HuntStateTest : public testing::Test {
 protected:
  fs::path out() const { return folder_.path(); }

  static HuntSpec spec() {
    HuntSpec spec;
    spec.started = "2030-01-01T00:00:00Z";
    spec.server_version = "10.11";
    spec.server_options = {"--a=" + kBytes};
    spec.seed = 18446744073709551615u;
    spec.executions_each = 300;
    spec.background = Background::kAuto;
    spec.budget_s = 1.5;
    spec.corpus = "/some/corpus";
    spec.filters = true;
    spec.filter_texts = {{"f.yaml", "server: mariadb\n"}};
    spec.skipped = {{{"in", "Aria", ""}, "why"}};
    return spec;
  }

  static std::vector<ConcreteInput> inputs() {
    Input input = two_clients();
    input.origin = "somewhere.yaml:3";
    return {{input, "Aria", ""}, {input, "Aria", "row-log"}};
  }

  std::string complaint() const {
    try {
      HuntState::open(out());
      return "";
    } catch (const DatabaseError& error) {
      return error.what();
    }
  }

  PrivateDirectory folder_{temporary_base()};
};

TEST_F(HuntStateTest, KeepsWhatWasAskedForAndHowFarItIs) {
  {
    const auto state = HuntState::begin(out(), spec(), inputs());
    state->begin_launch();
    state->keep_batch(1, 3, true, a_tally(), a_memory());
    state->keep_told({{1, 2}, {3, 4}});
    state->keep_clock({{100, 1}, 12.5});
  }
  const auto state = HuntState::open(out());
  EXPECT_EQ(state->spec().id.size(), 16u);
  EXPECT_EQ(state->spec().seed, spec().seed);
  EXPECT_EQ(state->spec().background, Background::kAuto);
  EXPECT_EQ(state->spec().server_options, spec().server_options);
  EXPECT_EQ(state->spec().budget_s, 1.5);
  EXPECT_EQ(state->spec().filter_texts, spec().filter_texts);
  EXPECT_EQ(state->spec().skipped.at(0).why, "why");
  EXPECT_EQ(state->clock().seconds, 12.5);
  EXPECT_EQ(state->launches(), 1u);
  EXPECT_FALSE(state->ended());
  const auto explorations = state->take_explorations();
  ASSERT_EQ(explorations.size(), 2u);
  EXPECT_EQ(explorations[0].input.input.clients, two_clients().clients);
  EXPECT_EQ(explorations[1].input.setting, "row-log");
  EXPECT_EQ(explorations[0].input.input.origin, "somewhere.yaml:3");
  EXPECT_FALSE(explorations[0].tally);
  EXPECT_EQ(explorations[1].batches, 3u);
  EXPECT_TRUE(explorations[1].given_up);
  EXPECT_EQ(explorations[1].told.findings, 4u);
  EXPECT_EQ(to_bytes(*explorations[1].tally), to_bytes(a_tally()));
  EXPECT_EQ(to_bytes(*explorations[1].memory), to_bytes(a_memory()));
}

// What it was asked had lists without names then, and each count of the workers a column.
TEST_F(HuntStateTest, AHuntOfBeforeRecordsIsRead) {
  static constexpr std::array kOld = {
      R"(CREATE TABLE hunt (asked BLOB NOT NULL, seconds REAL NOT NULL, memory_kib INTEGER NOT NULL,
           server_failures INTEGER NOT NULL, sittings INTEGER NOT NULL, ended INTEGER NOT NULL,
           workers_replaced INTEGER NOT NULL, executing_s REAL NOT NULL, preparing_s REAL NOT NULL,
           other_s REAL NOT NULL);
         CREATE TABLE explorations (number INTEGER PRIMARY KEY, input TEXT NOT NULL,
           origin TEXT NOT NULL, engine TEXT NOT NULL, setting TEXT NOT NULL,
           batches INTEGER NOT NULL DEFAULT 0, given_up INTEGER NOT NULL DEFAULT 0,
           told_executions INTEGER NOT NULL DEFAULT 0, told_findings INTEGER NOT NULL DEFAULT 0,
           tally BLOB, memory BLOB, experience BLOB);)",
      "", "", "CREATE TABLE pool (places BLOB NOT NULL);"};
  static constexpr DatabaseKind kKind = {
      .name = "old", .application_id = 0x65736f01, .migrations = kOld};
  const nlohmann::json asked = {
      {"id", "0123456789abcdef"},
      {"started", "2030"},
      {"esox_version", "0.1"},
      {"server_version", "10.11"},
      {"server", "s"},
      {"server_options", {"--a"}},
      {"preload", ""},
      {"isolation", ""},
      {"strategy", "pct"},
      {"seed", 7},
      {"learn", true},
      {"executions_each", 300},
      {"budget_s", nullptr},
      {"jobs", 2},
      {"gate", true},
      {"settings", false},
      {"skip_failing_setups", true},
      {"corpus", ""},
      {"filters", true},
      {"filter_texts", nlohmann::json::array({nlohmann::json::array({"f.yaml", "text"})})},
      {"skipped", {{"in", "Aria", "log", "why"}}},
      {"shard", {"0123", "3/20", 60, "tonight"}}};
  {
    Database database(out() / "hunt.db", kKind);
    database.run("INSERT INTO hunt VALUES (?, 12.5, 100, 1, 2, 1, 3, 4, 5, 6)",
                 {nlohmann::json::to_cbor(asked)});
    database.run("INSERT INTO pool VALUES (?)",
                 {nlohmann::json::to_cbor(nlohmann::json{{7, 1, 2, 5}})});
  }
  const auto state = HuntState::open(out());
  EXPECT_EQ(state->spec().seed, 7U);
  EXPECT_EQ(state->spec().wave, kWave);
  EXPECT_EQ(state->spec().filter_texts, (std::vector<FilterText>{{"f.yaml", "text"}}));
  EXPECT_EQ(state->spec().skipped, (std::vector<SkippedInput>{{{"in", "Aria", "log"}, "why"}}));
  EXPECT_EQ(state->spec().shard->shard, (Shard{3, 20}));
  EXPECT_EQ(state->spec().shard->explorations, 60U);
  EXPECT_EQ(state->clock().seconds, 12.5);
  EXPECT_EQ(state->clock().workers_replaced, 3U);
  EXPECT_EQ(state->clock().memory_kib, 100U);
  EXPECT_EQ(state->clock().time.preparing_s, 5);
  EXPECT_EQ(state->launches(), 2U);
  EXPECT_TRUE(state->ended());
  EXPECT_EQ(state->pool(), (ConflictPool{{PooledPlace{{7, 1}, 2}, 5}}));
}

TEST_F(HuntStateTest, PassesOnWhatWasLearntOfInputsItCameToAndOfThoseItDidNot) {
  ExplorationMemory earlier = a_memory();
  earlier.exemplars[0].outcome = 1;
  const ConcreteInput untouched = inputs()[0];
  const Experiences begun_with = {{key_of(untouched), experience_of(earlier)}};
  {
    const auto state = HuntState::begin(out(), spec(), inputs(), begun_with);
    const auto explorations = state->take_explorations();
    ASSERT_EQ(explorations.size(), 2u);
    EXPECT_EQ(explorations[0].experience->exemplars, earlier.exemplars);
    EXPECT_FALSE(explorations[1].experience);
    state->keep_batch(1, 3, false, a_tally(), a_memory());
  }
  const Experiences passed_on = HuntState::open(out())->experiences();
  ASSERT_EQ(passed_on.size(), 2u);
  for (const auto& [key, experience] : passed_on) {
    const bool touched = key.setting == "row-log";
    EXPECT_EQ(experience.exemplars, touched ? a_memory().exemplars : earlier.exemplars);
    EXPECT_EQ(experience.portfolio.arms[1].executions, 12u);
  }
}

TEST_F(HuntStateTest, KeepsThePoolItBeganWithAndPassesItOnGrown) {
  const PooledPlace known{{7, 1}, 0};
  const PooledPlace shown{{7, 2}, 0};
  ExplorationMemory memory = a_memory();
  memory.lessons.conflicts = {{{7, 1}, 0, 0}, {{7, 2}, 0, 1}};
  {
    const auto state = HuntState::begin(out(), spec(), inputs(), {}, {{known, 5}});
    state->keep_batch(0, 1, false, a_tally(), memory);
  }
  const auto state = HuntState::open(out());
  EXPECT_EQ(state->pool(), (ConflictPool{{known, 5}}));
  EXPECT_EQ(state->grown_pool(), (ConflictPool{{known, 5}, {shown, 1}}));
}

TEST(Experience, PassesOnHowWellAStrategyDidButNotHowLongAgo) {
  ExplorationMemory memory = a_memory();
  memory.portfolio.arms[2] = {4 * kRememberedExecutions, 20};
  memory.lessons.up_to = 512;
  const Experience experience = experience_of(to_bytes(experience_of(memory)));
  EXPECT_EQ(experience.portfolio.arms[1].executions, 12u);
  EXPECT_EQ(experience.portfolio.arms[2].executions, kRememberedExecutions);
  EXPECT_DOUBLE_EQ(experience.portfolio.arms[2].earned, 5);
  EXPECT_EQ(experience.lessons.up_to, 0u) << "the numbers of executions begin anew";
}

TEST_F(HuntStateTest, IsHeldByOneOnly) {
  const auto state = HuntState::begin(out(), spec(), inputs());
  EXPECT_THAT(complaint(), HasSubstr("another esox is at work"));
  EXPECT_EQ(hunt_in(out()), HuntInFolder::kAtWork);
}

TEST_F(HuntStateTest, SaysWhetherAHuntHasEnded) {
  EXPECT_EQ(hunt_in(out()), HuntInFolder::kNone);
  HuntState::begin(out(), spec(), inputs());
  EXPECT_EQ(hunt_in(out()), HuntInFolder::kUnfinished);
  EXPECT_THROW(check_out(out()), OutError);
  HuntState::open(out())->end();
  EXPECT_EQ(hunt_in(out()), HuntInFolder::kEnded);
}

// In a child, for the limit holds for the whole process.
TEST_F(HuntStateTest, OnAFullDiskItSaysSoAndKeepsWhatWasKept) {
  { HuntState::begin(out(), spec(), inputs())->keep_batch(0, 1, false, a_tally(), a_memory()); }
  const pid_t child = fork();
  if (child == 0) {
    signal(SIGXFSZ, SIG_IGN);
    const rlimit limit{64 << 10, 64 << 10};
    setrlimit(RLIMIT_FSIZE, &limit);
    try {
      const auto state = HuntState::open(out());
      for (uint64_t batch = 2; batch < 10'000; ++batch) {
        state->keep_batch(1, batch, false, a_tally(), a_memory());
      }
      _exit(1);
    } catch (const DatabaseError& error) {
      _exit(std::string(error.what()).find("make room") != std::string::npos ? 0 : 2);
    }
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(WEXITSTATUS(status), 0);
  const auto state = HuntState::open(out());
  const auto explorations = state->take_explorations();
  ASSERT_EQ(explorations.size(), 2u);
  EXPECT_EQ(explorations[0].batches, 1u);
  EXPECT_EQ(to_bytes(*explorations[0].tally), to_bytes(a_tally()));
}

TEST_F(HuntStateTest, WhatIsNoHuntIsSaidInOneLine) {
  EXPECT_THAT(complaint(), HasSubstr("holds no hunt (there is no hunt.db in it)"));
  std::ofstream(out() / "hunt.db") << "";
  EXPECT_THAT(complaint(), HasSubstr("before it began"));
  std::ofstream(out() / "hunt.db") << std::string(5000, 'x');
  EXPECT_THAT(complaint(), HasSubstr("cannot go on"));
}

}  // namespace
}  // namespace esox
