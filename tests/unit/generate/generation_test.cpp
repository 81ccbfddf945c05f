// SPDX-License-Identifier: Apache-2.0
// Whole generations on the simulated server: what is kept, that it follows from the seed alone, and
// that it does not matter how often one is killed.
#include "harness/generate/generation.h"

#include <sys/wait.h>
#include <unistd.h>

#include <fstream>

#include "base/process/private_directory.h"
#include "harness/generate/generation_report.h"
#include "harness/import/corpus_reader.h"
#include "harness/records/hunt_state.h"
#include "harness/records/out_folder.h"
#include "harness/records/reports/report_data.h"
#include "inputs/generation/grammar_reader.h"
#include "inputs/reader.h"
#include "tests/unit/simulated/fixture.h"

namespace esox {
namespace {

namespace fs = std::filesystem;
using testing::IsEmpty;
using testing::Not;
using testing::SizeIs;

constexpr const char* kGrammar = R"(
server: simulated
names: [register, list]
known:
  register: [x, y]
  list: [l, m]
rules:
  number: ["1", "2", "5"]
setups:
  nothing: {statements: []}
  some: {statements: ["UPDATE x 3"]}
requests:
  select: {weight: 2, text: "SELECT {register}"}
  update: {text: "UPDATE {register} {number}"}
  add: {weight: 3, text: "ADD {register} {number}"}
  insert: {weight: 2, text: "INSERT {list} {number}"}
  list: {text: "LIST {list}"}
  length: {text: "LENGTH {list}"}
  both: {text: "BOTH {register} {register 2}"}
)";

class GenerationTest : public Simulated {
 protected:
  static std::shared_ptr<const Grammar> grammar() {
    Languages known;
    known.push_back(&simulated::language());
    return parse_grammar(kGrammar, "g.yaml", known, nullptr);
  }

  GenerationSettings wanted(uint64_t executions, unsigned jobs = 1) const {
    GenerationSettings settings;
    settings.funnel.exploration = Simulated::settings();
    settings.funnel.exploration.portfolio = true;
    settings.funnel.exploration.hunt_seed = 7;
    settings.funnel.exploration.clock_base_ns = kClockBase_ns;
    settings.funnel.by.clock_base_ns = kClockBase_ns;
    settings.jobs = jobs;
    settings.executions = executions;
    return settings;
  }

  // One launch into the folder, begun or gone on with.
  GenerationState launch(const fs::path& folder, const GenerationSettings& settings,
                         const std::vector<Input>& taught = {}) {
    MadeCorpus corpus(folder);
    GenerationState state;
    if (corpus.begun()) {
      state = corpus.read();
    } else {
      state.spec.seed = 7;
      state.spec.id = "0123456789abcdef";
      state.spec.feedback = settings.funnel.feedback;
      corpus.begin(state);
    }
    make_folder(folder / "findings");
    Maker maker(grammar());
    Generation generation(server_.factory(), state, maker, corpus, taught, settings, stop_);
    generation.run([](const GenerationProgress&, const GenerationState&) {});
    return state;
  }

  static std::string text_of(const fs::path& file) {
    std::ifstream stream(file, std::ios::binary);
    return {std::istreambuf_iterator<char>(stream), {}};
  }

  // Byte for byte: all files but the index, and all rows of that.
  static std::string essence(const fs::path& folder) {
    std::map<std::string, std::string> files;
    for (const auto& entry : fs::recursive_directory_iterator(folder)) {
      const std::string name = entry.path().lexically_relative(folder);
      if (entry.is_regular_file() && !name.starts_with("index.sqlite")) {
        files[name] = text_of(entry.path());
      }
    }
    std::string text;
    for (const auto& [name, bytes] : files) text += name + "\n" + bytes + "\n";
    Corpus corpus(folder);
    for (const char* table : {"generation", "members", "inputs", "features", "templates",
                              "mutators", "causes", "kinds", "setups"}) {
      corpus.index().run(std::string("SELECT * FROM ") + table + " ORDER BY 1, 2", {},
                         [&](const SqlRow& row) {
                           text += table;
                           for (int i = 0; i < 13; ++i) text += "|" + row.text(i);
                           text += "\n";
                         });
    }
    return text;
  }

  PrivateDirectory folder_{temporary_base()};
  fs::path out_ = folder_.path() / "made";
};

TEST_F(GenerationTest, KeepsWhatAHuntCanRead) {
  const GenerationState state = launch(out_, wanted(2'000));
  EXPECT_GT(state.epochs, 0U);
  EXPECT_GT(state.totals.executions, 2'000U);
  ASSERT_THAT(state.members, Not(IsEmpty()));
  const std::vector<Input> inputs = read_inputs(out_ / "inputs", Languages{&simulated::language()});
  EXPECT_THAT(inputs, SizeIs(state.members.size()));
  for (const CorpusMember& one : state.members) {
    EXPECT_TRUE(fs::exists(out_ / one.file)) << one.file;
    EXPECT_THAT(one.features, Not(IsEmpty()));
  }
  EXPECT_EQ(Corpus(out_).best(1'000'000).size(), state.members.size());
}

TEST_F(GenerationTest, FindsTheFaultsOnceEachAndGoesOn) {
  server_.faults.lost_update = true;
  server_.faults.lost_length = true;
  server_.faults.deadlock = true;
  const GenerationState state = launch(out_, wanted(6'000));
  EXPECT_GE(state.totals.causes, 3U);
  size_t folders = 0;
  for (const auto& entry : fs::directory_iterator(out_ / "findings")) {
    EXPECT_TRUE(fs::exists(entry.path() / "finding.yaml"));
    ++folders;
  }
  EXPECT_EQ(folders, state.totals.findings);
  for (const auto& [key, cause] : state.causes) EXPECT_LE(cause.confirmed, kMostOfCause) << key;
}

TEST_F(GenerationTest, AHealthyServerGivesNoFinding) {
  const GenerationState state = launch(out_, wanted(10'000));
  EXPECT_EQ(state.totals.findings, 0U);
  EXPECT_TRUE(fs::is_empty(out_ / "findings"));
}

TEST_F(GenerationTest, ACauseThatSomebodyHasLookedAtIsNoNews) {
  server_.faults.lost_update = true;
  const GenerationState first = launch(out_, wanted(4'000));
  ASSERT_GT(first.totals.findings, 0U);
  const fs::path again = folder_.path() / "again";
  {
    MadeCorpus corpus(again);
    GenerationState state;
    state.spec.seed = 7;
    state.causes = first.causes;
    for (auto& [key, cause] : state.causes) cause = {true, 0};
    corpus.begin(state);
  }
  const GenerationState second = launch(again, wanted(4'000));
  EXPECT_LT(second.totals.findings, first.totals.findings);
  EXPECT_GT(second.totals.on_known_causes, 0U);
}

// ---- reproducible

TEST_F(GenerationTest, FollowsFromTheSeedWhateverTheNumberOfWorkers) {
  server_.faults.lost_update = true;
  launch(out_, wanted(4'000, 1));
  const fs::path other = folder_.path() / "other";
  launch(other, wanted(4'000, 3));
  EXPECT_TRUE(essence(out_) == essence(other));
}

TEST_F(GenerationTest, GoesOnAsIfItHadNotBeenWhereverItWasKilled) {
  server_.faults.lost_update = true;
  launch(out_, wanted(4'000));
  const std::string expected = essence(out_);
  const uint64_t runs = server_.runs.load();
  ASSERT_GT(runs, 4'000U);
  for (uint64_t last = 1; last <= runs; last += runs / 5) {
    const fs::path killed = folder_.path() / ("killed-" + std::to_string(last));
    const pid_t child = fork();
    if (child == 0) {
      server_.runs = 0;
      server_.before_run = [last](uint64_t run) {
        if (run == last) kill(getpid(), SIGKILL);
      };
      launch(killed, wanted(4'000));
      _exit(0);
    }
    int status = 0;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    ASSERT_TRUE(WIFSIGNALED(status)) << last;
    launch(killed, wanted(4'000));
    EXPECT_TRUE(essence(killed) == expected) << "killed before run " << last;
    fs::remove_all(killed);
  }
}

TEST_F(GenerationTest, OneThatIsStoppedLosesNoMoreThanItsEpoch) {
  server_.before_run = [this](uint64_t run) {
    if (run == 3'000) stop_.store(true);
  };
  const GenerationState stopped = launch(out_, wanted(8'000));
  EXPECT_LT(stopped.totals.executions, 8'000U);
  stop_.store(false);
  server_.before_run = nullptr;
  launch(out_, wanted(8'000));
  const fs::path whole = folder_.path() / "whole";
  launch(whole, wanted(8'000));
  EXPECT_TRUE(essence(out_) == essence(whole));
}

TEST_F(GenerationTest, ShardsMakeOthers) {
  const GenerationState one = launch(out_, wanted(500));
  const fs::path other = folder_.path() / "other";
  {
    MadeCorpus corpus(other);
    GenerationState state;
    state.spec.seed = 7;
    state.spec.shard = "2/3";
    corpus.begin(state);
  }
  const GenerationState two = launch(other, wanted(500));
  ASSERT_THAT(two.members, Not(IsEmpty()));
  EXPECT_NE(one.members.front().seed, two.members.front().seed);
}

// ---- what it begins with, and what it is worth

TEST_F(GenerationTest, WhatItIsTaughtIsTriedFirst) {
  std::vector<Input> taught;
  for (const char* number : {"1", "2"}) {
    taught.push_back(
        input_of("t", {{"TAKE x", std::string("ADD x ") + number}, {"ADD x 1"}}).input);
    taught.back().setup = {"UPDATE x 9"};
  }
  const GenerationState state = launch(out_, wanted(1, 1), taught);
  ASSERT_THAT(state.members, Not(IsEmpty()));
  EXPECT_EQ(state.members.front().made_by, "taught");
  EXPECT_EQ(state.totals.mutants, taught.size());
  const GenerationState later = launch(out_, wanted(3'000, 1), taught);
  EXPECT_GT(later.totals.mutants, taught.size());
}

TEST_F(GenerationTest, ReadersOfHuntsFindOne) {
  server_.faults.lost_update = true;
  const GenerationState state = launch(out_, wanted(4'000));
  GenerationLaunch facts;
  facts.facts.esox_version = "test";
  facts.facts.strategy = "portfolio";
  facts.facts.jobs = 1;
  write_as_hunt(out_, state, facts);
  write_as_hunt(out_, state, facts);  // in place of the first one
  EXPECT_EQ(hunt_in(out_), HuntInFolder::kEnded);
  const ReportData data = read_report_data(out_);
  EXPECT_EQ(data.hunt.findings.size(), state.totals.findings);
  EXPECT_GT(data.hunt.executions, 0U);
  EXPECT_THAT(data.hunt.kinds, Not(IsEmpty()));
  EXPECT_THAT(generation_text(out_, state, 1), testing::HasSubstr("lock orders"));
}

}  // namespace
}  // namespace esox
