// SPDX-License-Identifier: Apache-2.0
// esox on a corpus that is there: hunted in rank order, remembered, printed.
#include <nlohmann/json.hpp>

#include "harness/engine/known_servers.h"
#include "harness/import/corpus.h"
#include "inputs/reader.h"
#include "targets/mariadb/language.h"
#include "tests/integration/command_fixture.h"

namespace esox {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using Json = nlohmann::json;

class CorpusCommand : public CommandTest {
 protected:
  static CorpusInput input(const std::string& id, const std::string& setup) {
    CorpusInput one;
    ImportedInput& imported = one.imported;
    imported.input.id = id;
    imported.input.language = &mariadb_language();
    imported.input.title = id;
    imported.input.setup = {setup};
    imported.input.clients = {{"A", {}, {{"INSERT INTO t1 VALUES (1)", false}}},
                              {"B", {}, {{"SELECT a FROM t1", false}}}};
    imported.test = "main/made-up";
    imported.kinds = "INSERT | SELECT";
    return one;
  }

  static void make_corpus(const std::filesystem::path& folder) {
    const std::string table = "CREATE TABLE t1 (a INT) ENGINE=MyISAM";
    Corpus(folder).replace_inputs({input("mtr/first", table), input("mtr/wrong", "DROP TABLE gone"),
                                   input("mtr/last", table)},
                                  {}, {});
  }
};

TEST_F(CorpusCommand, AHuntTakesItsInputsInRankOrderAndLeavesOutWhatCannotBeSetUp) {
  make_corpus(folder() / "corpus");
  const Said said = esox({"hunt", "corpus", "--executions", "3", "--seed", "1", "--jobs", "1",
                          "--no-gate", "--json", "--out", "found"});
  ASSERT_EQ(said.status, 0) << said.err;
  const Json report = Json::parse(said.out);
  EXPECT_EQ(report["executions"], 6);
  ASSERT_EQ(report["skipped"].size(), 1u);
  EXPECT_EQ(report["skipped"][0]["input"], "mtr/wrong");
  EXPECT_THAT(report["skipped"][0]["why"].get<std::string>(), HasSubstr("1051"));
  const History history = Corpus(folder() / "corpus").history();
  EXPECT_EQ(history.at("INSERT | SELECT").hunted, 2u);
  EXPECT_EQ(history.at("INSERT | SELECT").fertile, 0u);
}

TEST_F(CorpusCommand, AHuntTakesTheBestOnesOnly) {
  make_corpus(folder() / "corpus");
  const Said said = esox({"hunt", "corpus", "--top", "1", "--executions", "2", "--no-gate",
                          "--json", "--out", "found"});
  ASSERT_EQ(said.status, 0) << said.err;
  EXPECT_EQ(Json::parse(said.out)["executions"], 2);
  const Said all =
      esox({"hunt", "corpus", "--all", "--executions", "1", "--no-gate", "--json", "--out", "all"});
  EXPECT_EQ(Json::parse(all.out)["executions"], 2) << all.err;
  EXPECT_EQ(esox({"hunt", "corpus", "--top", "1", "--all"}).status, 2);
  EXPECT_EQ(esox({"hunt", "corpus", "--top", "0"}).status, 2);
}

TEST_F(CorpusCommand, ACorpusIsHuntedAloneAndNotWhileItIsImportedInto) {
  make_corpus(folder() / "corpus");
  const Said two = esox({"hunt", "corpus", "corpus/inputs"});
  EXPECT_EQ(two.status, 2);
  EXPECT_THAT(two.err, HasSubstr("corpus"));
  Corpus importing(folder() / "corpus");
  importing.set_test("main/made-up", {"captured", ""});
  const Said busy = esox({"hunt", "corpus", "--out", "found"});
  EXPECT_NE(busy.status, 0);
  EXPECT_THAT(busy.err, HasSubstr("another import is at work"));
}

TEST_F(CorpusCommand, ItsBestInputsArePrintedAsOneFile) {
  make_corpus(folder() / "corpus");
  const Said said = esox({"import", "best", "corpus", "--top", "2"});
  ASSERT_EQ(said.status, 0) << said.err;
  const std::vector<Input> inputs = parse_inputs(said.out, "best", languages());
  ASSERT_EQ(inputs.size(), 2u);
  EXPECT_EQ(inputs[0].id, "mtr/first");
  EXPECT_EQ(esox({"import", "best", "no-such-corpus"}).status, 2);
  EXPECT_FALSE(std::filesystem::exists(folder() / "no-such-corpus"));
}

}  // namespace
}  // namespace esox
