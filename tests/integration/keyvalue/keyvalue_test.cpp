// SPDX-License-Identifier: Apache-2.0
// The esox command on the key-value server: each of its bugs is found and nothing else, and what
// was found is replayed, minimised, diagnosed, exported and verified. All seeds are fixed.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "tests/integration/command_fixture.h"
#include "tests/keyvalue/bugs.h"
#include "tests/unit/docs/page.h"

namespace esox {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::HasSubstr;
using testing::IsEmpty;

using Words = std::vector<std::string>;

// Which input shows a bug, as what, and within how many executions.
struct Seeded {
  const char* bug;
  const char* verdict;
  int executions;
  const char* strategy = "portfolio";
};

constexpr Seeded kSeeded[] = {
    {"aba", "latent", 100, "exhaustive:preemptions=1"},
    {"check-then-act", "semantic", 60},
    {"counter-drift", "latent", 60},
    {"crash", "crash", 60},
    {"dirty-read", "semantic", 60},
    {"double-free", "latent", 60},
    {"early-keep", "latent", 60},
    {"early-reply", "semantic", 60},
    {"endless-retry", "hang", 10},
    {"find-then-fetch", "semantic", 60},
    {"index-damage", "latent", 60},
    {"lock-order", "deadlock", 60},
    {"lost-update", "semantic", 60},
    {"lost-wakeup", "deadlock", 60},
    {"split-read", "semantic", 60},
    {"stale-cache", "latent", 60},
    {"torn-read", "semantic", 60},
    {"wrong-error", "error", 60},
};

class KeyvalueTest : public CommandTest {
 protected:
  static std::string option(const std::string& bug) { return "--server-option=--bug=" + bug; }

  // The input of this name alone, of bugs.yaml.
  std::string input_of(const std::string& bug) const {
    const std::string all = read(shipped("bugs.yaml"));
    const std::string begin = "  - id: keyvalue/";
    const size_t from = all.find(begin + bug + "\n");
    EXPECT_NE(from, std::string::npos) << bug;
    return write(bug + ".yaml", "inputs:\n" + all.substr(from, all.find(begin, from + 1) - from));
  }

  Said hunt(const Words& what, const std::string& out = "out") {
    Words words = {"hunt",     "--server",   ESOX_KEYVALUE_SERVER,
                   "--seed",   "1",          "--jobs",
                   "1",        "--out",      out,
                   "--report", "json",       "--diagnose-budget",
                   "0",        "--no-store", "--no-gate"};
    words.insert(words.end(), what.begin(), what.end());
    return esox(words);
  }

  nlohmann::json report(const std::string& out = "out") const {
    return nlohmann::json::parse(read(folder() / out / "hunt.json"));
  }

  // Its folder.
  std::string found(const Seeded& seeded) {
    const Said said = hunt({input_of(seeded.bug), option(seeded.bug), "--executions",
                            std::to_string(seeded.executions), "--strategy", seeded.strategy});
    EXPECT_EQ(said.status, 1) << said.out << said.err;
    const nlohmann::json told = report();
    for (const nlohmann::json& finding : told.at("findings")) {
      if (finding.at("class") == seeded.verdict) return finding.at("folder");
    }
    ADD_FAILURE() << seeded.bug << " was not found as " << seeded.verdict << ":\n" << said.out;
    return "";
  }

  static const Seeded& seeded(std::string_view bug) {
    return *std::ranges::find(kSeeded, bug,
                              [](const Seeded& one) -> std::string_view { return one.bug; });
  }
};

class SeededBug : public KeyvalueTest, public testing::WithParamInterface<Seeded> {};

TEST_P(SeededBug, IsFoundAsWhatItIs) {
  EXPECT_NE(found(GetParam()), "");
}

std::string test_name(const testing::TestParamInfo<Seeded>& seeded) {
  std::string name = seeded.param.bug;
  std::ranges::replace(name, '-', '_');
  return name;
}

INSTANTIATE_TEST_SUITE_P(Keyvalue, SeededBug, testing::ValuesIn(kSeeded), test_name);

TEST_F(KeyvalueTest, EveryBugOfTheServerIsHuntedHere) {
  std::set<std::string_view> here;
  for (const Seeded& seeded : kSeeded) here.insert(seeded.bug);
  std::set<std::string_view> there;
  for (const keyvalue::Bug& bug : keyvalue::all_bugs()) there.insert(bug.name);
  EXPECT_EQ(here, there);
}

// One client, and a thread of the server's own that reads what the client writes: what it puts into
// the cache too late is there only if it is scheduled. Counters are left out: when the state is
// asked for, nobody controls that thread.
TEST_F(KeyvalueTest, ABugOfAThreadOfTheServersOwnIsFoundUnderItsControlAlone) {
  const std::string input = write("one.yaml",
                                  "inputs:\n  - id: one\n    title: a writer beside a reader\n"
                                  "    server: keyvalue\n    setup: [SET a 1]\n    clients:\n"
                                  "      - requests: [SET a 2, SET a 3, GET a]\n");
  const std::string rules = write("rules.yaml",
                                  "server: keyvalue\nrules:\n  - {name: counters, kind: ignore, "
                                  "component: counters, reason: not controlled, owner: a test}\n");
  const Words beside = {input, "--server-option=--onlooker", "--filters", rules, "--executions",
                        "100"};
  const auto hunt_with = [&](const Words& more, const std::string& out) {
    Words words = beside;
    words.insert(words.end(), more.begin(), more.end());
    return hunt(words, out);
  };
  const Said found = hunt_with({option("stale-cache"), "--background", "on"}, "on");
  EXPECT_EQ(found.status, 1) << found.out << found.err;
  EXPECT_NE(found.out.find("VALUE 2 instead of VALUE 3"), std::string::npos) << found.out;
  for (const nlohmann::json& finding : report("on").at("findings")) {
    const Said again = esox({"replay", finding.at("folder").get<std::string>(), "--times", "5"});
    EXPECT_EQ(again.status, 1) << again.out << again.err;
  }
  const Said outside = hunt_with({option("stale-cache")}, "off");
  EXPECT_EQ(outside.status, 0) << outside.out;
  const Said correct = hunt_with({"--background", "on"}, "correct");
  EXPECT_EQ(correct.status, 0) << correct.out;
}

// Two of one kind, and the requests of another client before, between and behind them.
TEST_F(KeyvalueTest, SignalsAreRequestsWhoseThreadIsScheduledAsAnyClients) {
  const std::string input = write("signals.yaml",
                                  "id: signals\nserver: keyvalue\nsetup: [SET hups 0]\nclients:\n"
                                  "  - requests: [SIGHUP, SIGHUP]\n"
                                  "  - requests: [ADD hups 10, GET hups]\n");
  for (const char* isolation : {"snapshot", "restart"}) {
    const Said correct = esox({"run", input, "--server", ESOX_KEYVALUE_SERVER, "--seed", "1",
                               "--executions", "40", "--isolation", isolation});
    EXPECT_EQ(correct.status, 0) << correct.out << correct.err;
    EXPECT_THAT(correct.out, AllOf(HasSubstr("as A1 B1 A2 B2"), HasSubstr("as B1 B2 A1 A2"),
                                   HasSubstr("as A1 A2 B1 B2")));
  }
  const Said found = hunt({input, option("lost-update"), "--executions", "60"});
  EXPECT_EQ(found.status, 1) << found.out << found.err;
  for (const nlohmann::json& finding : report().at("findings")) {
    const std::string folder = finding.at("folder");
    const Said again = esox({"replay", folder, "--times", "5"});
    EXPECT_EQ(again.status, 1) << again.out << again.err;
    EXPECT_THAT(read(folder + "/trace.txt"), HasSubstr("SIGHUP"));
  }
}

// Whom it meets in the middle may be served or not; who was answered is in what the next server
// has.
TEST_F(KeyvalueTest, AServerThatASignalEndsIsJudgedByWhatTheNextOneHas) {
  for (const char* isolation : {"snapshot", "restart"}) {
    const Said correct =
        hunt({input_of("early-keep"), "--executions", "40", "--isolation", isolation}, isolation);
    EXPECT_EQ(correct.status, 0) << correct.out << correct.err;
    EXPECT_EQ(report(isolation).at("degraded"), 0);
  }
  const std::string folder = found(seeded("early-keep"));
  const Said again = esox({"replay", folder, "--times", "5"});
  EXPECT_EQ(again.status, 1) << again.out << again.err;
  EXPECT_THAT(read(folder + "/trace.txt"), HasSubstr("SIGTERM"));
}

TEST_F(KeyvalueTest, ASignalThatNoThreadWaitsForIsRefused) {
  const Said said =
      hunt({write("usr1.yaml", "{id: usr1, server: keyvalue, clients: [{requests: [SIGUSR1]}]}")});
  EXPECT_EQ(said.status, 2) << said.out;
  EXPECT_THAT(said.err, HasSubstr("no thread of this server waits for SIGUSR1"));
}

TEST_F(KeyvalueTest, NothingIsFoundInTheCorrectServer) {
  const Said same = hunt({shipped("bugs.yaml"), "--executions", "60"}, "same");
  const Said all = hunt({shipped("pairs.yaml"), shipped("negative"), "--executions", "25"}, "all");
  EXPECT_EQ(same.status, 0) << same.out << same.err;
  EXPECT_EQ(all.status, 0) << all.out << all.err;
  for (const char* out : {"same", "all"}) {
    EXPECT_THAT(report(out).at("findings"), IsEmpty());
    EXPECT_EQ(report(out).at("degraded"), 0);
    EXPECT_GE(report(out).at("executions"), 1000);
  }
}

// Its target has no request that empties a server.
TEST_F(KeyvalueTest, ASetupIsTriedWithoutWhatAnotherOneLeft) {
  const std::string file = write("two.yaml", R"(
inputs:
  - {id: one, server: keyvalue, setup: [SET k 1], clients: [{requests: [GET k]}]}
  - {id: two, server: keyvalue, setup: [MOVE k l 1], clients: [{requests: [GET k]}]}
)");
  const Said said = hunt({file, "--executions", "1"});
  EXPECT_EQ(said.status, 2) << said.out;
  EXPECT_THAT(said.err, HasSubstr("setup of two"));
}

TEST_F(KeyvalueTest, EqualSeedsGiveEqualFindings) {
  std::set<nlohmann::json> told;
  for (const char* out : {"one", "two"}) {
    hunt({input_of("stale-cache"), option("stale-cache"), "--executions", "30"}, out);
    nlohmann::json findings = report(out).at("findings");
    ASSERT_EQ(findings.size(), 1u);
    findings[0].erase("folder");
    told.insert(findings);
  }
  EXPECT_EQ(told.size(), 1u);
}

TEST_F(KeyvalueTest, AFindingIsReplayedDiagnosedMinimisedAndExported) {
  const std::string finding = found(seeded("torn-read"));
  EXPECT_EQ(esox({"replay", finding}).status, 1);
  const Said diagnosed = esox({"diagnose", finding, "--budget", "60s"});
  EXPECT_EQ(diagnosed.status, 1) << diagnosed.err;
  EXPECT_THAT(diagnosed.out, HasSubstr("GETS k"));
  const Said minimised = esox({"minimise", finding, "--budget", "60s"});
  EXPECT_EQ(minimised.status, 1) << minimised.err;
  EXPECT_EQ(esox({"replay", finding + "/minimised.yaml"}).status, 1);
  const Said exported = esox({"export", finding, "--to", "report"});
  EXPECT_EQ(exported.status, 0) << exported.err;
  EXPECT_THAT(read(folder() / "report/README.md"),
              AllOf(HasSubstr("GETS k"), HasSubstr("SET k b")));
}

TEST_F(KeyvalueTest, AFixIsVerifiedAndWhatIsNoneToo) {
  for (const char* bug : {"lost-update", "stale-cache"}) {
    SCOPED_TRACE(bug);
    fs::remove_all(folder() / "out");
    const std::string finding = found(seeded(bug));
    const Words verify = {"verify", finding, "--executions", "150", "--attempts", "20"};
    Words fixed = verify;
    fixed.emplace_back("--server-option=--bug=none");
    const Said said = esox(fixed);
    EXPECT_EQ(said.status, 0) << said.out << said.err;
    EXPECT_THAT(said.out, HasSubstr("fixed: none in "));
    Words still = verify;
    still.push_back(option(bug));
    EXPECT_EQ(esox(still).status, 1);
  }
}

TEST_F(KeyvalueTest, TheMachineAndANightAreReadyForIt) {
  const Said doctor = esox({"doctor", "--server", ESOX_KEYVALUE_SERVER});
  EXPECT_EQ(doctor.status, 0) << doctor.out;
  EXPECT_THAT(doctor.out, HasSubstr("keyvalue_server 1.0"));
  EXPECT_EQ(esox({"init", "keyvalue", "--out", "night.yaml"}).status, 0);
  EXPECT_THAT(read(folder() / "night.yaml"), HasSubstr("keyvalue_server"));
}

TEST_F(KeyvalueTest, DoctorSaysThatAServerCannotBeHeld) {
  const Said said = esox({"doctor", "--server", ESOX_KEYVALUE_SERVER, "--server-option=--worker"});
  EXPECT_EQ(said.status, 2) << said.out;
  EXPECT_THAT(said.out, AllOf(HasSubstr("control was lost in each of"),
                              HasSubstr("Hunting is not possible yet")));
}

// But for `make`. The first hunt finds the bug that it asks for, the others have nothing to find.
TEST_F(KeyvalueTest, TheGuideDoesWhatItSays) {
  const fs::path sources = ESOX_SOURCES;
  fs::create_directories(folder() / "build/tests");
  fs::create_directory_symlink(fs::path(ESOX_PROGRAM).parent_path(),
                               folder() / "build/tests/keyvalue");
  fs::create_directory_symlink(sources / "tests", folder() / "tests");
  std::vector<int> statuses;
  for (const Block& block : blocks_of(read(sources / "docs/your-server.md"))) {
    for (const ShownText& line : typed_lines(block)) {
      for (const Words& call : esox_calls(line.text)) statuses.push_back(esox(call).status);
    }
  }
  EXPECT_THAT(statuses, testing::ElementsAre(0, 1, 0, 0));
}

TEST_F(KeyvalueTest, WhatItCannotDoIsToldInALine) {
  const Said option_said = hunt({input_of("crash"), "--server-option=--port=1"});
  EXPECT_EQ(option_said.status, 2);
  EXPECT_THAT(option_said.err, HasSubstr("none of keyvalue_server"));
  const Said bug_said = hunt({input_of("crash"), option("typo")});
  EXPECT_EQ(bug_said.status, 2);
  EXPECT_THAT(bug_said.err, HasSubstr("unknown option or bug"));
}

}  // namespace
}  // namespace esox
