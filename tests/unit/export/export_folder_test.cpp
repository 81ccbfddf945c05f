// SPDX-License-Identifier: Apache-2.0
// A folder for a bug tracker: complete, and without a word about the machine.
#include "harness/findings/export/export_folder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>

#include "base/process/private_directory.h"
#include "harness/engine/known_servers.h"
#include "harness/findings/reproduce/plan_json.h"
#include "harness/records/out_folder.h"
#include "inputs/reader.h"
#include "preload/protocol/data_choice.h"
#include "targets/mariadb/language.h"
#include "targets/memcached/language.h"

namespace esox {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

Finding stale_read() {
  Finding finding;
  finding.id = "0123456789abcdef";
  finding.verdict = VerdictClass::kSemantic;
  finding.strategy = "pct:d=3";
  finding.server = {"10.11.19-MariaDB", "/home/somebody/build/mariadbd", {"--query-cache-type=1"}};
  Input& input = finding.input.input;
  input.language = &mariadb_language();
  input.id = "pair";
  input.title = "a stale read";
  input.origin = "/home/somebody/inputs/pair.yaml:3";
  input.setup = {"CREATE TABLE t1 (a INT)", "CREATE PROCEDURE p() BEGIN SELECT 1; END"};
  input.clients = {{"A", {}, {{"INSERT INTO t1 VALUES (1)", false}}},
                   {"B", {"SET @x = 1"}, {{"SELECT a FROM t1", false}}}};
  finding.stamps = {{{1, 9}}, {{2, 7}}};
  finding.choices = {{0, 0, 0}, {4, 1, 0}, {8, 0, 0}};
  finding.operations.names = {{OpKind::kMutexLock, "LOCK_open", "open_table", "open_table+0x10"}};
  finding.operations.of = {{0, 0, 0, 0}, {0, 0, 0, 0}};
  Output reply;
  reply.answered = true;
  Output refused = reply;
  refused.error = 1205;
  finding.outcome.outputs = {{reply}, {refused}};
  return finding;
}

TEST(Export, HoldsWhatReproducingTakes) {
  const auto files = exported_files(stale_read(), {});
  for (const char* name :
       {"README.md", "finding.yaml", "input.yaml", "setup.sql", "client-A.sql", "client-B.sql"}) {
    EXPECT_TRUE(files.contains(name)) << name;
  }
  EXPECT_THAT(files.at("README.md"), AllOf(HasSubstr("10.11.19-MariaDB"), HasSubstr("a stale read"),
                                           HasSubstr("INSERT INTO t1"), HasSubstr("esox replay")));
  EXPECT_EQ(files.at("client-B.sql"), "SET @x = 1;\nSELECT a FROM t1;\n");
  EXPECT_EQ(finding_from_yaml(files.at("finding.yaml"), "f", known_servers()).choices.size(), 3u);
  EXPECT_EQ(parse_inputs(files.at("input.yaml"), "input.yaml", languages()).size(), 1u);
}

TEST(Export, SaysWhichCallsWereMadeToGiveSomethingUnusual) {
  Finding finding = stale_read();
  finding.values = {1};  // which waiter was woken: nothing unusual
  EXPECT_THAT(exported_files(finding, {}).at("README.md"), Not(HasSubstr("unusual")));
  finding.values.push_back(value_of({DataChoiceKind::kShortFile, 0, 1, 7}));
  finding.values.push_back(value_of({DataChoiceKind::kShortFile, 1, 0, 9}));
  EXPECT_THAT(exported_files(finding, {}).at("README.md"),
              HasSubstr("unusual results of calls | 2 short reads or writes of files"));
}

TEST(Export, TellsNothingOfTheMachine) {
  Finding finding = stale_read();
  finding.ending_detail = {"mariadbd: /home/somebody/tmp/x.err: full"};
  FindingCompany company;
  char host[256] = {};
  ASSERT_EQ(gethostname(host, sizeof host - 1), 0);
  company.texts["comparison.txt"] = "the server on " + std::string(host) + "\n";
  company.texts["trace.txt"] = "open /home/somebody/data/t1.frm\n";
  for (const auto& [name, text] : exported_files(finding, company)) {
    EXPECT_THAT(text, Not(HasSubstr("somebody"))) << name;
  }
  const auto files = exported_files(finding, company);
  EXPECT_EQ(files.at("trace.txt"), "open t1.frm\n");
  if (std::string(host).size() >= 3 && std::string(host) != "localhost") {
    EXPECT_EQ(files.at("comparison.txt"), "the server on HOST\n");
  }
}

TEST(Export, TakesDiagnosisAndMinimisedInputAlong) {
  FindingCompany company;
  company.critical = CriticalPlace{"A", "B", "f+0x1", "f", "Client A was switched out."};
  company.minimised = stale_read();
  company.minimised->input.input.setup = {"CREATE TABLE small (a INT)"};
  const auto files = exported_files(stale_read(), company);
  EXPECT_THAT(files.at("README.md"),
              AllOf(HasSubstr("Client A was switched out."), HasSubstr("CREATE TABLE small")));
  EXPECT_TRUE(files.contains("minimised.yaml"));
}

ReproducerRecord violating() {
  ReproducerRecord record;
  record.by_name = true;
  record.version = "10.11.19-MariaDB";
  record.rounds = {.rounds = 20,
                   .violated = 20,
                   .what = {{"violated", 20}},
                   .why = {},
                   .held = "A at open_table (2nd time)",
                   .control_rounds = 20,
                   .control_violated = 0,
                   .seen = "{}",
                   .as_made = true,
                   .told = {"the reply to B1: none", "in the order A1 B1:", "  B1:", "    row | 1",
                            "seen:", "  B1:", "violated 20 of 20, held: A at open_table (2nd time)",
                            "control, one request after the other: 0 of 20"}};
  return record;
}

FindingCompany with_reproducer() {
  FindingCompany company;
  company.texts["reproduce.py"] = "script";
  company.texts["reproduce.json"] = R"(["/tmp/as it is"])";
  company.plan = {{"build_id", "439da8d9"},
                  {"segments",
                   {{{"client", "A"},
                     {"request", 0},
                     {"until", "place"},
                     {"place", {{"function", "open_table"}, {"at", "entry"}}},
                     {"hit", 2}},
                    {{"client", "B"}, {"request", 0}, {"until", "end"}}}}};
  company.reproducer = violating();
  return company;
}

TEST(Export, BeginsWithTheWrongAnswerAndHowToSeeItWithoutEsox) {
  const auto files = exported_files(stale_read(), with_reproducer());
  const std::string& page = files.at("README.md");
  EXPECT_TRUE(
      page.starts_with("# `INSERT INTO t1 VALUES (1)` while `SELECT a FROM t1`: a wrong answer\n"))
      << page;
  size_t at = 0;
  for (const char* part :
       {"A1: INSERT INTO t1 VALUES (1)\nB1: SELECT a FROM t1",
        "in the order A1 B1:", "seen:", "CREATE TABLE t1 (a INT);", "python3 reproduce.py",
        "violated 20 of 20, held: A at open_table", "control, one request after the other: 0 of 20",
        "1. A1 is sent, and is held as it enters `open_table` for the 2nd time.",
        "python3 reproduce.py --serve", "-ex 'tbreak open_table' -ex 'ignore 1 1'",
        "| server | mariadb 10.11.19-MariaDB |", "| build id | 439da8d9 |"}) {
    const size_t found = page.find(part, at);
    ASSERT_NE(found, std::string::npos) << part << " in\n" << page;
    at = found;
  }
  EXPECT_THAT(page, AllOf(Not(HasSubstr("By hand")), Not(HasSubstr("Versions"))));
  EXPECT_EQ(files.at("reproduce.json"), R"(["/tmp/as it is"])");
}

TEST(Export, ShowsTheStatementsThatTheReproducerPlays) {
  FindingCompany company = with_reproducer();
  company.minimised = stale_read();
  company.minimised->input.input.setup = {"CREATE TABLE small (a INT)"};
  EXPECT_THAT(exported_files(stale_read(), company).at("README.md"),
              Not(HasSubstr("CREATE TABLE small")));
  company.plan["setup"] = {"CREATE TABLE small (a INT)"};
  company.plan["clients"] = {{{"requests", {"INSERT INTO t1 VALUES (1)"}}},
                             {{"requests", {"SELECT a FROM t1"}}}};
  EXPECT_THAT(exported_files(stale_read(), company).at("README.md"),
              AllOf(HasSubstr("CREATE TABLE small"), Not(HasSubstr("CREATE TABLE t1"))));
}

TEST(Export, TellsWhatWasSeenOnEachServerAndNoMore) {
  FindingCompany company = with_reproducer();
  AffectedTable table;
  table.rows.resize(3);
  table.rows[0].version = "10.11.19";
  table.rows[0].answer = Affected::kHasIt;
  table.rows[0].played = violating().rounds;
  table.rows[1].version = "9.7.4";
  table.rows[1].answer = Affected::kNotSeen;
  table.rows[1].searches = {{}};
  table.rows[1].searches[0].executions = 300;
  table.rows[1].played = PlayedRounds{.rounds = 20, .what = {{"held", 20}}, .control_rounds = 20};
  table.rows[2].reason = "/home/somebody/mysqld: it does not start";
  table.rows[2].played = PlayedRounds{.rounds = 0, .why = "/home/somebody/mysqld | no"};
  company.affected = table;
  EXPECT_THAT(exported_files(stale_read(), company).at("README.md"),
              AllOf(HasSubstr("| 10.11.19 | violated 20 of 20 | not searched |\n"),
                    HasSubstr("| 9.7.4 | held, violated 0 of 20 | not in 300 executions; "),
                    HasSubstr("| ? | not played: mysqld \\| no | cannot tell: mysqld: it does")));
}

TEST(Export, WithoutAReproducerSaysWhyAndHelpsByHand) {
  FindingCompany company;
  EXPECT_THAT(exported_files(stale_read(), company).at("README.md"),
              AllOf(HasSubstr("none was looked for"), HasSubstr("## By hand")));
  company.plan = {{"format", 1}};
  company.reproducer.emplace();
  company.reproducer->needs_esox = "it needs data choices";
  EXPECT_THAT(exported_files(stale_read(), company).at("README.md"),
              AllOf(HasSubstr("No script shows it on a plain server: it needs data choices."),
                    HasSubstr("## By hand"), Not(HasSubstr("python3"))));
}

TEST(Export, SaysWhoseStatementsTheyAre) {
  Finding finding = stale_read();
  finding.input.input.id = "mtr/main/check/0123";
  finding.input.input.title = "main/check, statements 1 | 2";
  EXPECT_THAT(exported_files(finding, {}).at("README.md"),
              HasSubstr("regression suite (main/check, statements 1 \\| 2), under its licence, "
                        "GPL-2.0-only"));
  EXPECT_THAT(exported_files(stale_read(), {}).at("README.md"), Not(HasSubstr("GPL")));
}

// A level is set in each session, and what is not said cannot be seen by whoever reads it.
TEST(Export, TheIsolationLevelIsSetInEachSession) {
  Finding finding = stale_read();
  finding.input.input.isolation_level = "serializable";
  const auto files = exported_files(finding, {});
  EXPECT_THAT(files.at("client-A.sql"),
              HasSubstr("ISOLATION LEVEL SERIALIZABLE;\nINSERT INTO t1 VALUES (1);\n"));
  EXPECT_THAT(files.at("README.md"), AllOf(HasSubstr("\nA: SET "), HasSubstr("\nB: SET @x = 1\n")));
  EXPECT_THAT(plan_json(finding, "", {}, {})["clients"][1]["setup"][0].get<std::string>(),
              HasSubstr("SERIALIZABLE"));
}

TEST(Export, MemcachedsRequestsAreWrittenAsTheyAreSent) {
  Finding finding = stale_read();
  Input& input = finding.input.input;
  input.language = &memcached_language();
  input.setup = {"set k 0 0 2\n12"};
  input.clients[0].requests = {{"incr k 1", false}};
  input.clients[0].setup.clear();
  input.clients[1] = {"B", {"gets k"}, {{"cas k 0 0 1 {cas}\n5", false}}};
  finding.server.options = {"--max-item-size=2m"};
  const auto files = exported_files(finding, {});
  EXPECT_EQ(files.at("setup.txt"), "set k 0 0 2\r\n12\r\n");
  EXPECT_EQ(files.at("client-A.txt"), "incr k 1\r\n");
  EXPECT_EQ(files.at("setup-B.txt"), "gets k\r\n");
  EXPECT_EQ(files.at("client-B.txt"), "cas k 0 0 1 {cas}\r\n5\r\n");
  EXPECT_FALSE(files.contains("setup-A.txt"));
  EXPECT_THAT(files.at("by-hand.pl"), HasSubstr("perl by-hand.pl SOCKET"));
  EXPECT_THAT(files.at("README.md"), HasSubstr("memcached -s memcached.sock -t 2 -I 2m &"));
}

TEST(Export, IsWrittenWholeOrNotAtAll) {
  const PrivateDirectory place(temporary_base());
  write_export(place.path() / "new", {{"a", "1"}, {"b", "2"}});
  EXPECT_TRUE(std::filesystem::exists(place.path() / "new" / "b"));
  EXPECT_THROW(write_export(place.path() / "new", {{"a", "1"}}), OutError);
  EXPECT_THROW(write_export(place.path() / "bad", {{"no/such/folder", "1"}}), OutError);
  EXPECT_FALSE(std::filesystem::exists(place.path() / "bad"));
  EXPECT_FALSE(std::filesystem::exists(place.path() / "bad.new"));
}

}  // namespace
}  // namespace esox
