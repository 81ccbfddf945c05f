// SPDX-License-Identifier: Apache-2.0
// A user's way with the triage store: hunt, look, decide, hunt again.
#include <sys/mount.h>
#include <unistd.h>

#include <algorithm>

#include "harness/records/triage/store.h"
#include "tests/integration/command_fixture.h"

namespace esox {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using testing::AllOf;
using testing::HasSubstr;

class Triage : public CommandTest {
 protected:
  // Breaks in some of its executions.
  Said hunt(const std::string& out, const std::vector<std::string>& more = {},
            const std::string& engines = "Aria") {
    std::vector<std::string> arguments = {
        "hunt", control(),   "--engine",          engines, "--executions", "100", "--seed",
        "1",    "--no-gate", "--diagnose-budget", "0",     "--out",        out};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return esox(arguments);
  }

  json list(const std::vector<std::string>& more = {}) {
    std::vector<std::string> arguments = {"triage", "list", "--store", "findings.db", "--json"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    const Said said = esox(arguments);
    EXPECT_EQ(said.status, 0) << said.err;
    return json::parse(said.out);
  }

  Said triage(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), "triage");
    arguments.insert(arguments.end(), {"--store", "findings.db"});
    return esox(arguments);
  }
};

TEST_F(Triage, AFindingIsNewThenKnownThenFixedThenRegressed) {
  const Said first = hunt("one");
  ASSERT_EQ(first.status, 1) << first.err;
  EXPECT_THAT(first.out, HasSubstr("In the triage store findings.db: 1 new, 0 regressed"));
  ASSERT_EQ(list().size(), 1u);
  const std::string id = list()[0]["id"];
  EXPECT_EQ(list()[0]["state"], "new");

  EXPECT_EQ(triage({"mark", id, "known", "--note", "MDEV-1"}).status, 0);
  const Said second = hunt("two", {"--fail-on", "new"});
  EXPECT_EQ(second.status, 0) << second.err;
  EXPECT_THAT(second.out, AllOf(HasSubstr("0 new, 0 regressed, 1 like one there already"),
                                HasSubstr(id + "  known")));

  EXPECT_EQ(triage({"mark", id, "fixed"}).status, 0);
  const Said third = hunt("three", {"--fail-on", "new"});
  EXPECT_EQ(third.status, 1) << third.err;
  EXPECT_THAT(third.out, HasSubstr("regressed: it was marked fixed"));
  const Said shown = triage({"show", id.substr(0, 6)});
  EXPECT_EQ(shown.status, 0) << shown.err;
  EXPECT_THAT(shown.out, AllOf(HasSubstr("latent, regressed"), HasSubstr("MDEV-1"),
                               HasSubstr("Occurrences, 3:"), HasSubstr("over all hunts"),
                               HasSubstr("esox replay ")));
  EXPECT_EQ(list({"--state", "regressed"}).size(), 1u);
  EXPECT_EQ(list({"--state", "new"}).size(), 0u);
  EXPECT_EQ(hunt("four", {"--fail-on", "none"}).status, 0);
}

TEST_F(Triage, TheSameBugOnAnotherEngineIsOneFinding) {
  const Said said = hunt("one", {}, "Aria,MyISAM");
  ASSERT_EQ(said.status, 1) << said.err;
  const json findings = list();
  ASSERT_GE(findings.size(), 1u);
  size_t occurrences = 0;
  for (const json& one : findings) occurrences += one["occurrences"].get<size_t>();
  EXPECT_EQ(occurrences, findings_in(folder() / "one").size());
}

TEST_F(Triage, AProposedFilterHidesTheFindingAndIsReadByTheFilters) {
  ASSERT_EQ(hunt("one").status, 1);
  const std::string id = list()[0]["id"];
  const Said proposed = triage({"propose-filter", id});
  ASSERT_EQ(proposed.status, 0) << proposed.err;
  EXPECT_THAT(proposed.err, HasSubstr("this hides it (1 of its 1 occurrences), and 0 of the 0"));
  write("mine.yaml", proposed.out);
  const Said tested = esox({"filters", "test", "mine.yaml", "one"});
  EXPECT_THAT(tested.out, HasSubstr("1 of 1 findings would be hidden"));
  const Said marked = triage({"mark", id, "false-positive", "--filter", "forgives-" + id});
  EXPECT_EQ(marked.status, 0) << marked.err;
  EXPECT_THAT(triage({"show", id}).out, HasSubstr("by the filter forgives-" + id));
}

TEST_F(Triage, AHuntWithoutAStoreCanBeAddedLater) {
  const Said said = hunt("one", {"--no-store"});
  ASSERT_EQ(said.status, 1) << said.err;
  EXPECT_FALSE(fs::exists(folder() / "findings.db"));
  EXPECT_EQ(triage({"add", "one"}).status, 0);
  EXPECT_EQ(triage({"add", "one"}).status, 0);
  ASSERT_EQ(list().size(), 1u);
  EXPECT_EQ(list()[0]["occurrences"], 1) << "added twice, it is there once";
}

TEST_F(Triage, AStoreThatCannotBeUsedIsToldBeforeTheHuntBegins) {
  write("findings.db", "these are notes of mine, which nobody should overwrite with anything else");
  const Said said = hunt("one");
  EXPECT_EQ(said.status, 2);
  EXPECT_THAT(said.err, HasSubstr("findings.db"));
  EXPECT_FALSE(fs::exists(folder() / "one"));
  EXPECT_THAT(read(folder() / "findings.db"), HasSubstr("notes of mine"));
  write("file.txt", "no folder");
  EXPECT_EQ(hunt("one", {"--store", "file.txt/findings.db"}).status, 2);
}

TEST_F(Triage, ADiskThatFillsUpEndsTheHuntInWords) {
  const fs::path small = folder() / "small";
  fs::create_directory(small);
  start({"hunt", control(), "--engine", "Aria", "--executions", "5000", "--seed", "1", "--no-gate",
         "--out", "small/out"},
        [&] { mount_small(small, 0, "size=80k"); });
  const Said said = finish(std::chrono::seconds(100));
  if (said.status == kNoMount) GTEST_SKIP() << "mounting is forbidden here";
  EXPECT_EQ(said.status, 2) << said.err;
  EXPECT_THAT(said.err, AllOf(HasSubstr("No space left on device"), HasSubstr("make room")));
  EXPECT_TRUE(all_gone(std::chrono::seconds(30)));
}

TEST_F(Triage, AFolderThatCannotBeWrittenToIsToldBeforeTheHuntBegins) {
  const fs::path small = folder() / "small";
  fs::create_directory(small);
  start({"hunt", control(), "--out", "small/out"},
        [&] { mount_small(small, MS_RDONLY, "size=1m"); });
  const Said said = finish(std::chrono::seconds(100));
  if (said.status == kNoMount) GTEST_SKIP() << "mounting is forbidden here";
  EXPECT_EQ(said.status, 2) << said.err;
  EXPECT_THAT(said.err, AllOf(HasSubstr("small"), HasSubstr("--no-store")));
}

TEST_F(Triage, WrongUseIsSaidInOneLine) {
  EXPECT_THAT(triage({"list"}).err, HasSubstr("there is no triage store"));
  { const Store store(folder() / "findings.db"); }
  EXPECT_EQ(list().size(), 0u);
  for (const std::vector<std::string>& words : {std::vector<std::string>{"show", "abcd"},
                                                {"mark", "abcd", "known"},
                                                {"mark", "abcd", "lost"},
                                                {"mark", "abcd", "regressed"},
                                                {"mark", "abcd", "false-positive"},
                                                {"mark", "abcd", "known", "--filter", "f"},
                                                {"merge", "a", "b"},
                                                {"propose-filter", "a"},
                                                {"add", "nowhere"}}) {
    const Said said = triage(words);
    EXPECT_EQ(said.status, 2) << words.front();
    EXPECT_EQ(std::count(said.err.begin(), said.err.end(), '\n'), 1) << said.err;
  }
}

}  // namespace
}  // namespace esox
