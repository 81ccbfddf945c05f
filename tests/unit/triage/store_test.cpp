// SPDX-License-Identifier: Apache-2.0
#include "harness/records/triage/store.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>
#include <thread>

#include "base/process/private_directory.h"

namespace esox {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::HasSubstr;
using testing::SizeIs;

class StoreTest : public testing::Test {
 protected:
  fs::path file() const { return folder_.path() / "findings.db"; }

  static RecordedHunt hunt(const std::string& id, const std::string& started = "2030-01-01") {
    RecordedHunt hunt;
    hunt.id = id;
    hunt.started = started;
    hunt.out = "out/" + id;
    hunt.server_version = "10.11.14";
    hunt.seed = 18446744073709551615u;
    return hunt;
  }

  static Occurrence occurrence(const std::string& id, const std::string& plain,
                               const std::string& critical = "") {
    Occurrence one;
    one.id = id;
    one.input = "in-" + id;
    one.engine = "Aria";
    one.verdict = VerdictClass::kLatent;
    one.hits = 2;
    one.executions = 50;
    one.seed = 18446744073709551615u;
    one.signature = {"text", plain, critical};
    return one;
  }

  std::string complaint_at_opening() const {
    try {
      const Store store(file());
      return "";
    } catch (const DatabaseError& error) {
      return error.what();
    }
  }

  void write(const std::string& bytes) const { std::ofstream(file()) << bytes; }

  PrivateDirectory folder_{temporary_base()};
};

TEST_F(StoreTest, TheFirstOccurrenceOpensAFindingAndLookAlikesJoinIt) {
  Store store(file());
  const auto first = store.record(hunt("h1"), {}, {occurrence("a1", "p"), occurrence("a2", "p")});
  EXPECT_TRUE(first[0].opened);
  EXPECT_FALSE(first[1].opened);
  EXPECT_EQ(first[1].finding, "a1");
  const auto second = store.record(hunt("h2"), {}, {occurrence("a3", "p"), occurrence("b", "q")});
  EXPECT_EQ(second[0].finding, "a1");
  EXPECT_TRUE(second[1].opened);
  const auto findings = store.findings();
  ASSERT_THAT(findings, SizeIs(2));
  EXPECT_EQ(findings[0].occurrences, 3u);
  EXPECT_EQ(findings[0].hunts, 2u);
  EXPECT_EQ(findings[0].hits, 6u);
  EXPECT_EQ(findings[0].state, TriageState::kNew);
  EXPECT_EQ(store.occurrences("a1").front().occurrence.seed, 18446744073709551615u);
}

TEST_F(StoreTest, OneFormOrOneCriticalPairIsOneFinding) {
  Store store(file());
  const auto filed = store.record(hunt("h"), {},
                                  {occurrence("a", "p", "c1"), occurrence("b", "p", "c2"),
                                   occurrence("c", "q", "c1"), occurrence("d", "r", "c3")});
  EXPECT_EQ(filed[0].finding, "a");
  EXPECT_EQ(filed[1].finding, "a") << "one form, another pair";
  EXPECT_EQ(filed[2].finding, "a") << "one pair, another form";
  EXPECT_EQ(filed[3].finding, "d");
}

TEST_F(StoreTest, WhatShowsThatTwoFindingsAreOneBringsThemTogether) {
  Store store(file());
  store.record(hunt("h1"), {}, {occurrence("a", "p"), occurrence("b", "q", "c1")});
  store.mark("b", TriageState::kConfirmed, "MDEV-1", "");
  ASSERT_THAT(store.findings(), SizeIs(2));
  const auto filed = store.record(hunt("h2"), {}, {occurrence("c", "p", "c1")});
  EXPECT_FALSE(filed[0].opened);
  ASSERT_THAT(store.findings(), SizeIs(1));
  EXPECT_EQ(store.finding("b").id, store.finding("a").id);
  EXPECT_EQ(store.finding("a").note, "MDEV-1");
}

TEST_F(StoreTest, WhatIsMarkedFixedAndMetByALaterHuntIsRegressed) {
  Store store(file());
  store.record(hunt("h1", "2020-01-01T00:00:00Z"), {}, {occurrence("a", "p")});
  store.mark("a", TriageState::kFixed, "in 10.11.15", "");
  const auto older = store.record(hunt("h0", "2020-01-02T00:00:00Z"), {}, {occurrence("b", "p")});
  EXPECT_EQ(older[0].state, TriageState::kFixed) << "that hunt began before it was fixed";
  EXPECT_FALSE(older[0].regressed);
  const auto later = store.record(hunt("h2", "2999-01-01T00:00:00Z"), {}, {occurrence("a", "p")});
  EXPECT_EQ(later[0].state, TriageState::kRegressed);
  EXPECT_TRUE(later[0].regressed);
  EXPECT_EQ(store.history("a").back().to, "regressed");
}

TEST_F(StoreTest, AHuntRecordedAgainTakesItsOwnPlace) {
  Store store(file());
  RecordedInput input{{"in", "Aria", ""}, "title", {{"none", 20}, {"latent", 5}}};
  store.record(hunt("h"), {input}, {occurrence("a", "p")});
  store.mark("a", TriageState::kFixed, "", "");
  input.verdicts["none"] = 40;
  Occurrence more = occurrence("a", "p");
  more.hits = 9;
  RecordedHunt again = hunt("h", "2999-01-01T00:00:00Z");
  const auto filed = store.record(again, {input}, {more});
  EXPECT_FALSE(filed[0].regressed) << "the same occurrence as before";
  EXPECT_EQ(store.executions_of("in"), 45u);
  const TriagedFinding finding = store.finding("a");
  EXPECT_EQ(finding.hits, 9u);
  EXPECT_EQ(finding.occurrences, 1u);
}

TEST_F(StoreTest, MergedFindingsAreOneAndTheOldIdLeadsThere) {
  Store store(file());
  store.record(hunt("h"), {}, {occurrence("aa", "p"), occurrence("bb", "q")});
  store.merge("aa", "bb");
  EXPECT_THAT(store.findings(), SizeIs(1));
  EXPECT_EQ(store.finding("aa").id, "bb");
  EXPECT_EQ(store.finding("a").id, "bb");
  EXPECT_EQ(store.finding("bb").occurrences, 2u);
  EXPECT_EQ(store.record(hunt("h2"), {}, {occurrence("cc", "p")})[0].finding, "bb");
  EXPECT_EQ(store.finding("cc").id, "bb") << "what the hunt calls it";
  EXPECT_THROW(store.merge("aa", "bb"), DatabaseError);
}

TEST_F(StoreTest, AnIdThatNamesNoneOrSeveralIsAnError) {
  Store store(file());
  store.record(hunt("h"), {}, {occurrence("a1", "p"), occurrence("a2", "q")});
  EXPECT_EQ(store.finding("a1").id, "a1");
  for (const char* id : {"a", "b", "", "%", "_1"}) EXPECT_THROW(store.finding(id), DatabaseError);
}

TEST_F(StoreTest, ListsByStateClassAndServer) {
  Store store(file());
  store.record(hunt("h"), {}, {occurrence("a", "p"), occurrence("b", "q")});
  store.mark("a", TriageState::kFalsePositive, "by design", "my-rule");
  EXPECT_THAT(store.findings({"false-positive", "", ""}), SizeIs(1));
  EXPECT_EQ(store.findings({"false-positive", "", ""})[0].filter, "my-rule");
  EXPECT_THAT(store.findings({"", "latent", ""}), SizeIs(2));
  EXPECT_THAT(store.findings({"", "crash", ""}), SizeIs(0));
  EXPECT_THAT(store.findings({"", "", "10.11"}), SizeIs(2));
  EXPECT_THAT(store.findings({"", "", "11.4"}), SizeIs(0));
}

TEST_F(StoreTest, NamesOfStatesAreReadBack) {
  for (const TriageState state :
       {TriageState::kNew, TriageState::kConfirmed, TriageState::kKnown,
        TriageState::kFalsePositive, TriageState::kFixed, TriageState::kRegressed}) {
    EXPECT_EQ(state_from_name(state_name(state)), state);
  }
  EXPECT_FALSE(state_from_name("lost"));
}

// ---- what can be wrong with the file

TEST_F(StoreTest, WhatIsNoDatabaseIsRefusedAndLeftAlone) {
  write("these are my notes, not a database; there is a lot of text in them, more than a header");
  const fs::file_time_type before = fs::last_write_time(file());
  EXPECT_THAT(complaint_at_opening(), AllOf(HasSubstr("findings.db"), HasSubstr("move it away")));
  EXPECT_EQ(fs::last_write_time(file()), before);
}

TEST_F(StoreTest, ADatabaseOfSomebodyElseIsRefused) {
  DatabaseKind stranger{.name = "a stranger"};
  stranger.application_id = 77;
  constexpr const char* kTable[] = {"CREATE TABLE theirs (a)"};
  stranger.migrations = kTable;
  { const Database database(file(), stranger); }
  EXPECT_THAT(complaint_at_opening(), HasSubstr("is not the triage store"));
}

TEST_F(StoreTest, ADamagedStoreIsRefused) {
  {
    Store store(file());
    for (int i = 0; i < 200; ++i) {
      store.record(hunt("h" + std::to_string(i)), {},
                   {occurrence("a" + std::to_string(i), std::to_string(i))});
    }
  }
  std::fstream bytes(file(), std::ios::in | std::ios::out | std::ios::binary);
  const auto size = static_cast<std::streamoff>(fs::file_size(file()));
  for (std::streamoff at = 8192; at < size; at += 4096) {
    bytes.seekp(at);
    bytes << std::string(600, 'X');
  }
  bytes.close();
  EXPECT_THAT(complaint_at_opening(), AllOf(HasSubstr("damaged"), HasSubstr("triage add")));
}

TEST_F(StoreTest, AStoreOfANewerEsoxIsRefused) {
  { const Store store(file()); }
  {
    DatabaseKind newer{.name = "newer"};
    newer.application_id = 0x65736f02;
    constexpr const char* kSteps[] = {
        "", "", "", "", "CREATE TABLE more (a)", "CREATE TABLE most (a)"};
    newer.migrations = kSteps;
    const Database database(file(), newer);
  }
  EXPECT_THAT(complaint_at_opening(), AllOf(HasSubstr("newer esox"), HasSubstr("schema 6")));
}

TEST_F(StoreTest, AnEmptyFileBecomesAStore) {
  write("");
  EXPECT_EQ(complaint_at_opening(), "");
}

TEST_F(StoreTest, AFolderThatIsNotThereIsAnError) {
  const fs::path nowhere = folder_.path() / "none" / "findings.db";
  EXPECT_THROW(Store{nowhere}, DatabaseError);
  EXPECT_NO_THROW(check_store(nowhere)) << "a hunt makes it";
  write("a file");
  EXPECT_THROW(check_store(file() / "findings.db"), DatabaseError);
}

TEST_F(StoreTest, TwoWritersTakeTurnsAndNothingIsLost) {
  { const Store store(file()); }
  std::vector<std::thread> writers;
  for (int writer = 0; writer < 4; ++writer) {
    writers.emplace_back([this, writer] {
      Store store(file());
      for (int i = 0; i < 10; ++i) {
        const std::string id = std::to_string(writer) + "-" + std::to_string(i);
        store.record(hunt(id), {}, {occurrence(id, id)});
      }
    });
  }
  for (std::thread& writer : writers) writer.join();
  EXPECT_THAT(Store(file()).findings(), SizeIs(40));
}

TEST_F(StoreTest, AWriterThatMayNotWriteIsToldInOneLine) {
  DatabaseKind impatient{.name = "the test's store"};
  impatient.busy_remedy = "another esox is writing to it";
  constexpr const char* kTable[] = {"CREATE TABLE t (a)"};
  impatient.migrations = kTable;
  Database first(file(), impatient);
  Database second(file(), impatient);
  const Transaction held(first);
  try {
    second.run("INSERT INTO t VALUES (1)");
    FAIL() << "it was not refused";
  } catch (const DatabaseBusy& busy) {
    EXPECT_THAT(busy.what(), AllOf(HasSubstr("locked"), HasSubstr("another esox")));
  }
}

// In a child, for the limit holds for the whole process.
TEST_F(StoreTest, AFullDiskIsAnErrorAndTheStoreStaysAsItWas) {
  {
    Store store(file());
    store.record(hunt("h"), {}, {occurrence("a", "p")});
  }
  const pid_t child = fork();
  if (child == 0) {
    signal(SIGXFSZ, SIG_IGN);
    const rlimit limit{fs::file_size(file()) + 4096, fs::file_size(file()) + 4096};
    setrlimit(RLIMIT_FSIZE, &limit);
    try {
      Store store(file());
      std::vector<Occurrence> many;
      for (int i = 0; i < 3000; ++i) {
        many.push_back(occurrence("b" + std::to_string(i), std::to_string(i)));
      }
      store.record(hunt("h2"), {}, many);
      _exit(1);
    } catch (const DatabaseError& error) {
      _exit(std::string(error.what()).find("make room") != std::string::npos ? 0 : 2);
    }
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(WEXITSTATUS(status), 0);
  Store store(file());
  EXPECT_THAT(store.findings(), SizeIs(1));
}

}  // namespace
}  // namespace esox
