// SPDX-License-Identifier: Apache-2.0
// esox generate on the real server, by counts and not by the clock: what it makes is executed,
// kept, hunted, and the same again.
#include <map>
#include <nlohmann/json.hpp>

#include "tests/integration/command_fixture.h"

namespace esox {
namespace {

using testing::HasSubstr;
using Json = nlohmann::json;
namespace fs = std::filesystem;

// Small and quick; the shipped ones are tried against real servers in server_generation_test.cpp.
constexpr const char* kGrammar = R"yaml(
server: mariadb
names: [table, column of table]
rules:
  number: ["0", "1", "2"]
setups:
  one:
    - "CREATE TABLE t1 (a INT PRIMARY KEY, b INT, KEY(b)) ENGINE=Aria"
    - "INSERT INTO t1 VALUES (1,1),(2,2)"
  two:
    - "CREATE TABLE t1 (a INT, b INT) ENGINE=MyISAM"
requests:
  select: {text: "SELECT {column} FROM {table}"}
  insert: {text: "INSERT IGNORE INTO {table} VALUES ({number}, {number})"}
  update: {text: "UPDATE {table} SET b={number} WHERE a={number}"}
  delete: {text: "DELETE FROM {table} WHERE b={number}"}
  truncate: {text: "TRUNCATE TABLE {table}"}
)yaml";

class GenerateCommand : public CommandTest {
 protected:
  Said generate(const std::string& to, const std::vector<std::string>& more = {}) {
    write("grammar.yaml", kGrammar);
    std::vector<std::string> arguments = {"generate",     "--to",   to,          "--grammar",
                                          "grammar.yaml", "--json", "--no-store"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return esox(arguments, std::chrono::seconds(300));
  }

  // All members by file.
  std::map<std::string, std::string> members(const std::string& corpus) const {
    std::map<std::string, std::string> texts;
    for (const auto& entry : fs::recursive_directory_iterator(folder() / corpus / "inputs")) {
      if (!entry.is_regular_file()) continue;
      texts[entry.path().lexically_relative(folder() / corpus)] = read(entry.path());
    }
    return texts;
  }
};

TEST_F(GenerateCommand, MakesACorpusThatIsTheSameAgainAndCanBeHunted) {
  const Said first = generate("made", {"--seed", "3", "--jobs", "2", "--executions", "100"});
  ASSERT_LT(first.status, 2) << first.err;
  const Json report = Json::parse(first.out);
  EXPECT_EQ(report["epochs"], 1);
  EXPECT_GT(report["totals"]["executions"], 100);
  EXPECT_GT(report["totals"]["kept"], 5);
  const double requests = report["totals"]["requests"];
  EXPECT_GT(report["totals"]["requests_succeeded"].get<double>(), 0.5 * requests);
  EXPECT_THAT(first.err, HasSubstr("epoch 1: "));
  const auto kept = members("made");
  EXPECT_EQ(kept.size(), report["members"].get<size_t>());

  const Said second = generate("again", {"--seed", "3", "--jobs", "1", "--executions", "100"});
  ASSERT_EQ(second.status, first.status) << second.err;
  EXPECT_EQ(members("again"), kept);
  Json totals = Json::parse(second.out)["totals"];
  EXPECT_EQ(totals, report["totals"]);

  // Nothing is left to do; then a little more.
  const Said done = generate("made", {"--executions", "100"});
  EXPECT_EQ(Json::parse(done.out)["epochs"], 1);

  const Said hunt = esox({"hunt", "made", "--top", "2", "--executions", "3", "--no-gate", "--json",
                          "--out", "hunted", "--no-store"});
  ASSERT_LT(hunt.status, 2) << hunt.err;
  EXPECT_EQ(Json::parse(hunt.out)["inputs"], 2);
  const Said page = esox({"report", "made", "--format", "text"});
  EXPECT_EQ(page.status, 0) << page.err;
  EXPECT_TRUE(all_gone(std::chrono::seconds(10)));
}

TEST_F(GenerateCommand, GoesOnUnderWhatItWasBegunWithOnly) {
  ASSERT_LT(generate("made", {"--seed", "3", "--executions", "1"}).status, 2);
  const Said other = generate("made", {"--seed", "4", "--executions", "1"});
  EXPECT_EQ(other.status, 2);
  EXPECT_THAT(other.err, HasSubstr("another --seed; name a new folder by --to"));
  EXPECT_EQ(generate("made", {"--no-feedback", "--executions", "1"}).status, 2);
}

TEST_F(GenerateCommand, SaysWhatIsWrong) {
  const Said no_grammar = esox({"generate", "--to", "made", "--grammar", "gone.yaml"});
  EXPECT_EQ(no_grammar.status, 2);
  EXPECT_THAT(no_grammar.err, HasSubstr("gone.yaml"));
  const Said shard = generate("made", {"--shard", "1/2"});
  EXPECT_EQ(shard.status, 2);
  EXPECT_THAT(shard.err, HasSubstr("--shard needs --seed"));
  EXPECT_EQ(generate("made", {"--from", "nowhere"}).status, 2);
  EXPECT_FALSE(fs::exists(folder() / "made"));
}

using GrammarCommand = GenerateCommand;

TEST_F(GrammarCommand, ShowsInputsThatAreTheSameAgainAndCanBeRun) {
  write("grammar.yaml", kGrammar);
  const Said first = esox({"grammar", "grammar.yaml", "--inputs", "5", "--seed", "3"});
  ASSERT_EQ(first.status, 0) << first.err;
  EXPECT_THAT(first.err, HasSubstr("5 requests, 2 setups, 1 rule; seed 3"));
  EXPECT_EQ(esox({"grammar", "grammar.yaml", "--inputs", "5", "--seed", "3"}).out, first.out);
  write("shown.yaml", first.out);
  const Said hunt = esox({"hunt", "shown.yaml", "--executions", "3", "--no-gate", "--json", "--out",
                          "hunted", "--no-store"});
  ASSERT_LT(hunt.status, 2) << hunt.err;
  EXPECT_EQ(Json::parse(hunt.out)["inputs"], 5);
  const Said json = esox({"grammar", "grammar.yaml", "--inputs", "5", "--seed", "3", "--json"});
  const Json shown = Json::parse(json.out)["inputs"];
  ASSERT_EQ(shown.size(), 5u);
  EXPECT_GE(shown[0]["clients"].size(), 2u);
}

TEST_F(GrammarCommand, SaysWhyNothingComesOfAGrammar) {
  std::string grammar = kGrammar;
  for (size_t at; (at = grammar.find("CREATE TABLE")) != std::string::npos;) {
    grammar.replace(at, 12, "CREATE TABEL");
  }
  write("wrong.yaml", grammar);
  const Said said = esox({"grammar", "wrong.yaml"});
  EXPECT_EQ(said.status, 2);
  EXPECT_EQ(said.out, "");
  EXPECT_THAT(said.err, HasSubstr("setup statement 1 failed with error 1064"));
  EXPECT_TRUE(all_gone(std::chrono::seconds(10)));
}

}  // namespace
}  // namespace esox
