// SPDX-License-Identifier: Apache-2.0
// A night of a hunt file, as a user runs it: real servers, stages that are killed, nights that are
// killed, and whoever else wants the same folder.
#include <signal.h>

#include <fstream>
#include <map>
#include <set>
#include <sstream>

#include "harness/import/corpus.h"
#include "harness/records/triage/store.h"
#include "tests/integration/command_fixture.h"

namespace esox {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using testing::AllOf;
using testing::AnyOf;
using testing::HasSubstr;
using testing::SizeIs;
using namespace std::chrono_literals;

class NightCommand : public CommandTest {
 protected:
  // Two stages on the positive control.
  std::string hunt_file(const std::string& budget, const std::string& more = "") const {
    return write("nightly.yaml",
                 "out: out\nservers:\n  - {name: debian, package: mariadb-server-core}\n"
                 "options:\n  - {name: plain}\n"
                 "  - {name: small, server_options: [--query-cache-size=1M]}\n"
                 "engines: [Aria, MyISAM]\ngate: false\njobs: 2\nseed: 1\ndiagnose: 0\n"
                 "recheck: 0\nexecutions: 100000\n"
                 "corpora:\n  - {name: control, inputs: " +
                     control() + "}\nbudget: " + budget + "\n" + more);
  }
  fs::path nights() const { return folder() / "out" / "nights"; }
  fs::path night() const {
    for (const auto& one : fs::directory_iterator(nights())) return one.path();
    return {};
  }
  json report() const { return json::parse(read(night() / "night.json")); }
  std::vector<json> log() const {
    std::istringstream lines(read(night() / "log.jsonl"));
    std::vector<json> all;
    for (std::string line; std::getline(lines, line);) all.push_back(json::parse(line));
    return all;
  }
  bool logged(const std::string& event) const {
    for (const json& line : log()) {
      if (line["event"] == event) return true;
    }
    return false;
  }
  // The processes of stages' hunts: those of ours that were given --out or --resume. A child that
  // such a one has just forked still looks like it.
  std::vector<pid_t> stages() const {
    std::map<pid_t, pid_t> parents;
    std::error_code error;
    for (const auto& process : fs::directory_iterator("/proc", error)) {
      const std::string line = read(process.path() / "cmdline");
      const bool ours = line.find(folder().string() + "/out/nights") != std::string::npos;
      if (!ours || line.find(std::string("hunt\0--", 7)) == std::string::npos) continue;
      const std::string stat = read(process.path() / "stat");
      const size_t name_end = stat.rfind(')');
      if (name_end == std::string::npos) continue;
      parents[std::stoi(process.path().filename())] = std::stoi(stat.substr(name_end + 4));
    }
    std::vector<pid_t> found;
    for (const auto& [pid, parent] : parents) {
      if (!parents.contains(parent)) found.push_back(pid);
    }
    return found;
  }
  // Of all stages.
  std::vector<fs::path> found() const {
    std::vector<fs::path> all;
    std::error_code error;
    for (const auto& stage : fs::directory_iterator(night(), error)) {
      for (const fs::path& one : findings_in(stage.path())) all.push_back(one);
    }
    return all;
  }
  bool stage_finds_something() const {
    return wait_until([&] { return fs::exists(nights()) && !found().empty(); }, 120s);
  }
  // One that is not that process, if any is at work.
  bool another_stage_is_at_work(pid_t before) const {
    return wait_until(
        [&] {
          const auto running = stages();
          return running.size() == 1 && running[0] != before;
        },
        60s);
  }
  // Ctrl-C, once the night and its stage are at work.
  Said interrupt(pid_t supervisor) {
    EXPECT_EQ(kill(supervisor, SIGINT), 0);
    Said said = finish(60s);
    EXPECT_THAT(said.status, AnyOf(0, 1)) << said.err;
    EXPECT_EQ(report()["interrupted"], true);
    EXPECT_TRUE(all_gone(30s));
    return said;
  }
  // Each finding's folder is known to the store.
  void expect_all_in_the_store() const {
    Store store(folder() / "out" / "findings.db");
    std::set<fs::path> known;
    for (const TriagedFinding& finding : store.findings()) {
      for (const StoredOccurrence& one : store.occurrences(finding.id)) {
        known.insert(one.occurrence.folder);
      }
    }
    for (const fs::path& one : found()) EXPECT_TRUE(known.contains(one)) << one;
    EXPECT_FALSE(known.empty());
  }
};

// Long enough for any test here; they end it.
constexpr const char* kEndless = "1000000000 executions";

TEST_F(NightCommand, EndsInTimeWithTheAccountOfEachStage) {
  const auto began = std::chrono::steady_clock::now();
  const Said said =
      esox({"night", hunt_file("8s", "outputs:\n  hook: echo $ESOX_FINDINGS >hooked\n")});
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - began;
  EXPECT_THAT(said.status, AnyOf(0, 1, 2)) << said.err;
  EXPECT_LT(took.count(), 8 + 30 + 30) << "the budget, the grace, and a busy machine";
  const json night_json = report();
  EXPECT_EQ(night_json["interrupted"], false);
  EXPECT_FALSE(night_json["ended"].get<std::string>().empty());
  ASSERT_THAT(night_json["stages"], SizeIs(2));
  for (const json& stage : night_json["stages"]) {
    // On a busy machine the time of a stage may be over before it has begun.
    if (stage["seconds"] == 0) continue;
    EXPECT_EQ(stage["inputs_planned"], 2);
    // Nor may it come to an execution; it is said then.
    EXPECT_EQ(stage["executions"] > 0, stage["worker_seconds"]["executing"] > 0) << stage.dump(1);
    ASSERT_THAT(stage["not_done"], SizeIs(2));
    EXPECT_THAT(
        stage["not_done"][0]["why"].get<std::string>(),
        AnyOf(HasSubstr("the time was over"), HasSubstr("nothing new"), HasSubstr("not reached")));
  }
  EXPECT_TRUE(logged("night ended"));
  EXPECT_TRUE(fs::exists(night() / "hooked"));
  EXPECT_TRUE(all_gone(10s));
}

TEST_F(NightCommand, ALegMayMakeItsInputsAndBeginsWithThoseOfTheLastNight) {
  const std::string file = write(
      "made.yaml",
      "out: out\nservers:\n  - {name: debian, package: mariadb-server-core}\njobs: 2\nseed: 1\n"
      "recheck: 0\ndiagnose: 0\ncorpora:\n  - {name: made, generate: shipped}\nbudget: 100 "
      "executions\n");
  const Said first = esox({"night", file});
  ASSERT_THAT(first.status, AnyOf(0, 1)) << first.err;
  const json stage = report()["stages"][0];
  EXPECT_EQ(stage["failure"], "") << stage.dump(1);
  EXPECT_GT(stage["executions"], 0);
  // It plans no input, and measures no worker.
  EXPECT_EQ(stage["inputs_planned"], stage["inputs_reached"]);
  EXPECT_THAT(first.out, Not(HasSubstr("of the workers' time")));
  const fs::path made = night() / "debian-default-made";
  EXPECT_TRUE(fs::exists(made / "index.sqlite"));
  const fs::path last = night();
  ASSERT_THAT(esox({"night", file}).status, AnyOf(0, 1));
  for (const auto& one : fs::directory_iterator(nights())) {
    if (one.path() == last) continue;
    Corpus corpus(one.path() / "debian-default-made");
    EXPECT_GT(corpus.index().number("SELECT COUNT(*) FROM members WHERE made_by = 'taught'"), 0);
  }
  EXPECT_TRUE(all_gone(10s));
}

TEST_F(NightCommand, GoesOnWithALegThatIsKilled) {
  const pid_t supervisor = start({"night", hunt_file(kEndless)}, [] {});
  ASSERT_TRUE(stage_finds_something());
  const auto running = stages();
  ASSERT_THAT(running, SizeIs(1));
  ASSERT_EQ(kill(running[0], SIGKILL), 0);
  // In this order: what the killed one had just forked looks like another stage until it ends, too.
  EXPECT_TRUE(wait_until([&] { return logged("stage ended early"); }, 60s));
  EXPECT_TRUE(another_stage_is_at_work(running[0]));
  interrupt(supervisor);
  expect_all_in_the_store();
  EXPECT_EQ(report()["stages"][0]["restarts"], 1);
}

TEST_F(NightCommand, ALegThatTakesTooMuchMemoryIsGivenFewerJobsAndThenUp) {
  const Said said = esox({"night", hunt_file("100s", "limits: {memory: 8M, free_at_least: 1M}\n")});
  EXPECT_NE(said.status, 0) << said.out;
  EXPECT_TRUE(logged("fewer jobs"));
  for (const json& stage : report()["stages"]) {
    EXPECT_THAT(stage["failure"].get<std::string>(), HasSubstr("limits: memory")) << stage.dump(1);
  }
  EXPECT_TRUE(all_gone(10s));
}

TEST_F(NightCommand, KilledItselfLeavesNoServerAndGoesOnByTheSameCommand) {
  const std::string file = hunt_file(kEndless);
  const pid_t supervisor = start({"night", file}, [] {});
  ASSERT_TRUE(stage_finds_something());
  ASSERT_EQ(kill(supervisor, SIGKILL), 0);
  finish(10s);
  EXPECT_TRUE(all_gone(30s));
  const pid_t second = start({"night", file}, [] {});
  EXPECT_TRUE(another_stage_is_at_work(0));
  const Said said = interrupt(second);
  EXPECT_THAT(said.err,
              AllOf(HasSubstr("goes on where it ended"), HasSubstr("the same command goes on")));
  EXPECT_EQ(std::distance(fs::directory_iterator(nights()), {}), 1);
  EXPECT_EQ(report()["launches"], 2);
  EXPECT_TRUE(logged("night resumed"));
}

TEST_F(NightCommand, IsRefusedWhereAnotherOneIsAtWork) {
  const std::string file = hunt_file(kEndless);
  const pid_t first = start({"night", file}, [] {});
  ASSERT_TRUE(wait_until([&] { return !stages().empty(); }, 60s));
  // The fixture has one command at a time.
  const fs::path said = folder() / "second";
  const std::string line = std::string(ESOX_PROGRAM) + " night " + (folder() / file).string() +
                           " >" + said.string() + " 2>&1";
  EXPECT_EQ(WEXITSTATUS(std::system(line.c_str())), 2);
  EXPECT_THAT(read(said), HasSubstr("another night is at work (process " + std::to_string(first)));
  interrupt(first);
}

TEST_F(NightCommand, ALegWithoutItsServerIsToldAndTheOthersAreHunted) {
  write("nightly.yaml",
        "out: out\nservers:\n  - {name: debian, package: mariadb-server-core}\n"
        "  - {name: tonight, build: nowhere}\nengines: [Aria]\ngate: false\nrecheck: 0\n"
        "diagnose: 0\nexecutions: 20\nfail_on: none\nbudget: 100 executions\ncorpora:\n  - {name: "
        "control, "
        "inputs: " +
            control() + "}\n");
  const Said check = esox({"night", "nightly.yaml", "--check"});
  EXPECT_EQ(check.status, 2);
  EXPECT_THAT(check.out, AllOf(HasSubstr("debian-default-control"), HasSubstr("cannot be done")));
  EXPECT_FALSE(fs::exists(folder() / "out"));
  const Said said = esox({"night", "nightly.yaml"});
  EXPECT_EQ(said.status, 2) << "something is missing; " << said.err;
  for (const json& stage : report()["stages"]) {
    const bool there = stage["server"]["name"] == "debian";
    EXPECT_EQ(stage["executions"], there ? 20 : 0);
    EXPECT_EQ(stage["failure"].get<std::string>().empty(), there);
  }
  ASSERT_THAT(report()["missing"], SizeIs(1));
  EXPECT_THAT(report()["missing"][0].get<std::string>(), HasSubstr("nowhere"));
}

TEST_F(NightCommand, InitWritesAFileThatWorksAndOverwritesNone) {
  EXPECT_EQ(esox({"init", "mariadb"}).status, 0);
  const Said check = esox({"night", "nightly.yaml", "--check"});
  EXPECT_EQ(check.status, 0) << check.err << check.out;
  const Said again = esox({"init", "mariadb"});
  EXPECT_EQ(again.status, 2);
  EXPECT_THAT(again.err, HasSubstr("is there already"));
  EXPECT_EQ(esox({"init", "oracle"}).status, 2);
}

TEST_F(NightCommand, AnOrderSaysWhichInputsAreExploredAndWhenTheirTurnIs) {
  write("order", "# the better one first\npike-table-5-2/04-insert-select MyISAM\n");
  const Said said =
      esox({"hunt", control(), "--ranking", "order", "--executions", "5", "--seed", "1",
            "--no-gate", "--out", "found", "--no-store", "--diagnose-budget", "0"});
  EXPECT_THAT(said.status, AnyOf(0, 1)) << said.err;
  const json hunt = json::parse(read(folder() / "found" / "hunt.json"));
  ASSERT_THAT(hunt["explored"], SizeIs(1));
  EXPECT_EQ(hunt["explored"][0]["engine"], "MyISAM");
  EXPECT_GT(hunt["worker_seconds"]["executing"], 0);
  write("order", "pike-table-5-2/04-insert-select\n\npike-table-5-2/04-insert-selcet\n");
  const Said bad = esox({"hunt", control(), "--ranking", "order", "--out", "other"});
  EXPECT_EQ(bad.status, 2);
  EXPECT_THAT(bad.err, HasSubstr("order:3: 'pike-table-5-2/04-insert-selcet' is none of"));
}

}  // namespace
}  // namespace esox
