// SPDX-License-Identifier: Apache-2.0
// Filters on a real MariaDB: the thesis's two (section 5.5.3), each in both directions, tolerated
// errors with orders that are executed without them, and what a user does with rules and findings.
//
// An unmodified server tells the sizes of its caches only; as rows 1, 2, ..., N they can be
// contained in each other, as the thesis's lists of entries can.
#include <fmt/format.h>

#include "tests/integration/command_fixture.h"

namespace esox {
namespace {

using nlohmann::json;
using testing::HasSubstr;

class FiltersTest : public CommandTest {
 protected:
  // SELECT || another statement, on a table of two rows; the size of a cache is the state.
  void write_cache_input(const std::string& beside, const std::string& cache) {
    write("input.yaml",
          "id: caches/one\n"
          "setup:\n"
          "  - CREATE TABLE t1 (a INT) ENGINE=${engine}\n"
          "  - INSERT INTO t1 VALUES (1),(2)\n"
          "  - FLUSH TABLES\n"
          "summary: basic\n"
          "clients:\n"
          "  - {name: A, requests: ['SELECT a FROM t1']}\n"
          "  - {name: B, requests: ['" +
              beside +
              "']}\n"
              "observations:\n"
              "  - SELECT seq FROM seq_1_to_100 JOIN information_schema.GLOBAL_STATUS WHERE "
              "VARIABLE_NAME "
              "= '" +
              cache + "' AND seq <= VARIABLE_VALUE\n");
  }

  std::string write_rule(const std::string& name, const std::string& keys) {
    return write(name,
                 "server: mariadb\nrules:\n  - {name: it, reason: r, owner: o, " + keys + "}\n");
  }

  // Executions of the input on Aria, by what came of them.
  struct Counts {
    uint64_t explained = 0;
    uint64_t forgiven = 0;
    uint64_t lacking = 0;  // violations: the cache holds less than after any order
    uint64_t holding = 0;  // more
  };
  Counts run(const std::vector<std::string>& more) {
    // Which schedules are executed must not depend on what is forgiven, as it does in a portfolio.
    std::vector<std::string> arguments = {"run",    "input.yaml",  "--engine",   "Aria",
                                          "--seed", "3",           "--strategy", "pct:d=3",
                                          "--json", "--executions"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    const Said said = esox(arguments);
    EXPECT_THAT(said.status, testing::AnyOf(0, 1)) << said.err;
    Counts counts;
    const json run = json::parse(said.out)["runs"][0];
    for (const json& outcome : run["outcomes"]) {
      const auto count = outcome["count"].get<uint64_t>();
      const std::string explanation = outcome["explanation"].dump();
      if (outcome["class"] == "degraded") continue;
      if (outcome["class"] == "latent") {
        (explanation.find("too much") != std::string::npos ? counts.holding : counts.lacking) +=
            count;
      } else {
        EXPECT_EQ(outcome["class"], "none") << outcome.dump();
        (outcome["forgiven"].empty() ? counts.explained : counts.forgiven) += count;
      }
    }
    EXPECT_EQ(run["filters"].empty() ? 0 : run["filters"][0]["executions"].get<uint64_t>(),
              counts.forgiven);
    return counts;
  }

  // 300 executions by the shipped rules, of which `rule` explains some that are violations without
  // any, and no violation is left. Gives the most replies that it forgave in one execution.
  size_t expect_forgiven(const std::string& engine, const std::string& rule,
                         const std::string& executions = "300") {
    std::vector<std::string> arguments = {"run", "input.yaml", "--engine",     engine,    "--seed",
                                          "3",   "--json",     "--executions", executions};
    const Said said = esox(arguments);
    EXPECT_EQ(said.status, 0) << said.out << said.err;
    size_t most = 0;
    const json whole = json::parse(said.out);
    release_ = whole["server"];
    const json run = whole["runs"][0];
    for (const json& outcome : run["outcomes"]) {
      EXPECT_EQ(outcome["class"], "none") << outcome.dump();
      size_t here = 0;
      for (const json& place : outcome["forgiven"]) {
        here += place.get<std::string>().starts_with(rule + ":") ? 1 : 0;
      }
      most = std::max(most, here);
    }
    arguments.emplace_back("--no-filters");
    EXPECT_EQ(esox(arguments).status, 1);
    return most;
  }

  std::string release_;  // of the server that the last of these ran
};

TEST_F(FiltersTest,
       MoreEntriesInTheTableCacheAreForgivenByTheThesissFirstFilterAndByItsReverseNot) {
  write_cache_input("SELECT a + 1 FROM t1", "OPEN_TABLES");
  const Counts without = run({"40", "--no-filters"});
  EXPECT_GT(without.holding, 0u);  // each thread opens an instance of its own
  EXPECT_EQ(without.lacking, 0u);
  write_rule("thesis.yaml", "kind: included, component: 'observation:*', direction: holds-serial");
  const Counts with = run({"40", "--filters", "thesis.yaml"});
  EXPECT_EQ(with.forgiven, without.holding);
  EXPECT_EQ(with.holding + with.lacking, 0u);
  write_rule("reverse.yaml", "kind: included, component: 'observation:*', direction: in-serial");
  const Counts reverse = run({"40", "--filters", "reverse.yaml"});
  EXPECT_EQ(reverse.forgiven, 0u);
  EXPECT_EQ(reverse.holding, without.holding);
}

TEST_F(FiltersTest, AnAnswerThatIsNotCachedIsForgivenByTheThesissSecondFilterAndAStaleOneIsNot) {
  write_cache_input("INSERT INTO t1 VALUES (10),(11),(12)", "QCACHE_QUERIES_IN_CACHE");
  const Counts without = run({"150", "--no-filters"});
  EXPECT_GT(without.lacking, 0u);  // the server declined to keep the answer
  EXPECT_GT(without.holding, 0u);  // it kept one that is out of date
  write_rule("thesis.yaml", "kind: included, component: 'observation:*', direction: in-serial");
  const Counts with = run({"150", "--filters", "thesis.yaml"});
  EXPECT_EQ(with.forgiven, without.lacking);
  EXPECT_EQ(with.lacking, 0u);
  EXPECT_EQ(with.holding, without.holding);
  write_rule("reverse.yaml", "kind: included, component: 'observation:*', direction: holds-serial");
  EXPECT_EQ(run({"150", "--filters", "reverse.yaml"}).lacking, without.lacking);
}

// Two transactions, and what comes of a hundred executions, by class.
class TransactionTest : public FiltersTest {
 protected:
  using Classes = std::map<std::string, uint64_t>;

  // Each of the clients, with the numbers of the rows in `A` and `B`.
  void write_transactions(const std::string& level, const std::string& setup, const std::string& a,
                          const std::string& b) {
    write("input.yaml",
          "id: transactions/two\n"
          "isolation_level: " +
              level +
              "\nsetup:\n"
              "  - CREATE TABLE t1 (id INT PRIMARY KEY, v INT) ENGINE=${engine}\n"
              "  - INSERT INTO t1 VALUES (1,10),(2,20)\n"
              "clients:\n" +
              fmt::format("  - {{setup: [{0}], requests: [BEGIN, {1}, COMMIT]}}\n"
                          "  - {{setup: [{0}], requests: [BEGIN, {2}, COMMIT]}}\n",
                          setup, a, b));
  }

  Classes classes(const std::vector<std::string>& more) {
    std::vector<std::string> arguments = {"run",    "input.yaml", "--engine", "InnoDB",
                                          "--seed", "3",          "--json",   "--executions",
                                          "100",    "--strategy", "wrw"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    const Said said = esox(arguments);
    EXPECT_THAT(said.status, testing::AnyOf(0, 1)) << said.err;
    Classes counted;
    const json runs = json::parse(said.out)["runs"];
    for (const json& outcome : runs[0]["outcomes"]) {
      counted[outcome["class"]] += outcome["count"].get<uint64_t>();
    }
    return counted;
  }
};

// At the level below, which the clients' own setup asks for, both write what the other has read.
TEST_F(TransactionTest, AtSerializableWholesAreJudgedAndVictimsNeedNoRule) {
  const auto skew = [&](const char* setup) {
    write_transactions("serializable", setup,
                       "SELECT v FROM t1 ORDER BY id, UPDATE t1 SET v = v - 30 WHERE id = 1",
                       "SELECT v FROM t1 ORDER BY id, UPDATE t1 SET v = v - 30 WHERE id = 2");
    return classes({"--no-filters"});
  };
  EXPECT_THAT(skew(""), testing::ElementsAre(testing::Pair("none", 100)));
  EXPECT_THAT(skew("SET SESSION TRANSACTION ISOLATION LEVEL REPEATABLE READ"),
              testing::ElementsAre(testing::Pair("none", testing::Gt(10)),
                                   testing::Pair("semantic", testing::Gt(10))));
}

// What a victim's transaction did before the statement that failed is undone, too.
TEST_F(TransactionTest, BelowItAVictimIsToleratedWithItsTransaction) {
  write_transactions("repeatable-read", "",
                     "UPDATE t1 SET v = v + 1 WHERE id = 1, UPDATE t1 SET v = v + 1 WHERE id = 2",
                     "UPDATE t1 SET v = v * 2 WHERE id = 2, UPDATE t1 SET v = v * 2 WHERE id = 1");
  EXPECT_THAT(classes({}), testing::ElementsAre(testing::Pair("none", 100)));
  EXPECT_THAT(classes({"--no-filters"}),
              testing::ElementsAre(testing::Pair("error", testing::Gt(10)),
                                   testing::Pair("none", testing::Gt(10))));
}

// One client ends with a lock that the other's SELECT, asked again as part of the state, waits for.
TEST_F(TransactionTest, ALockThatIsHeldAtTheEndIsNotAwaited) {
  write("input.yaml",
        "id: locks/held\n"
        "setup:\n"
        "  - CREATE TABLE t1 (a INT) ENGINE=${engine}\n"
        "  - INSERT INTO t1 VALUES (1)\n"
        "clients:\n"
        "  - requests: [LOCK TABLES t1 WRITE]\n"
        "  - requests: [SELECT a FROM t1]\n");
  const Said said = esox({"run", "input.yaml", "--engine", "InnoDB", "--executions", "2"},
                         std::chrono::seconds(100));
  EXPECT_EQ(said.status, 0) << said.err;
}

TEST_F(FiltersTest, ADeadlockIsToleratedWhereTheStateIsThatOfAnOrderWithoutTheStatement) {
  write("input.yaml",
        "id: deadlocks/one\n"
        "setup:\n"
        "  - CREATE TABLE t1 (a INT) ENGINE=${engine}\n"
        "  - INSERT INTO t1 VALUES (1)\n"
        "clients:\n"
        "  - {name: A, requests: ['ALTER TABLE t1 ADD COLUMN c INT']}\n"
        "  - {name: B, requests: ['TRUNCATE TABLE t1']}\n");
  const std::vector<std::string> hunt = {
      "hunt", "input.yaml", "--engine",     "MyISAM",  "--seed",
      "3",    "--no-gate",  "--executions", "100",     "--jobs",
      "1",    "--json",     "--strategy",   "pct:d=3", "--diagnose-budget",
      "0"};
  const auto hunt_with = [&](const std::vector<std::string>& more) {
    std::vector<std::string> arguments = hunt;
    arguments.insert(arguments.end(), more.begin(), more.end());
    const Said said = esox(arguments);
    EXPECT_THAT(said.status, testing::AnyOf(0, 1)) << said.err;
    return json::parse(said.out);
  };
  const json without = hunt_with({"--no-filters", "--out", "without"});
  ASSERT_EQ(without["findings"].size(), 1u);
  EXPECT_EQ(without["findings"][0]["class"], "error");

  // The shipped rules: the orders without ALTER are executed, and explain what came.
  const json with = hunt_with({"--out", "with"});
  EXPECT_TRUE(with["findings"].empty());
  uint64_t forgiven = 0;
  for (const json& rule : with["filters"]) {
    if (rule["rule"] != "deadlock-of-definitions") continue;
    forgiven = rule["executions"];
    EXPECT_THAT(rule["example"]["forgiven"].get<std::string>(), HasSubstr("error 1213"));
  }
  EXPECT_EQ(forgiven, without["findings"][0]["hits"]);

  // A rule for another error tolerates nothing.
  write_rule("other.yaml", "kind: tolerate, errors: [1205]");
  EXPECT_EQ(hunt_with({"--filters", "other.yaml", "--out", "other"})["findings"].size(), 1u);
}

TEST_F(FiltersTest, TwoDefinitionsMayBothBeRefusedAndNothingDone) {
  write("input.yaml",
        "id: deadlocks/both\n"
        "setup:\n"
        "  - CREATE TABLE t1 (a INT) ENGINE=${engine}\n"
        "  - INSERT INTO t1 VALUES (1)\n"
        "  - FLUSH TABLES\n"
        "clients:\n"
        "  - {name: A, requests: ['ALTER TABLE t1 ADD COLUMN c INT']}\n"
        "  - {name: B, requests: ['FLUSH TABLES t1']}\n");
  // Both are refused in 2 to 8 of 100 executions, by the seed; in none of 300 by this one.
  const size_t refused = expect_forgiven("Aria", "deadlock-of-definitions", "1000");
  EXPECT_EQ(refused, release_.starts_with("10.") ? 2u : 1u);  // later ones refuse one of them
}

TEST_F(FiltersTest, AStatementThatAsksNotToWaitMayBeRefusedForAnotherOnesLock) {
  write("input.yaml",
        "id: no-wait/one\n"
        "setup:\n"
        "  - CREATE TABLE t1 (a INT) ENGINE=${engine}\n"
        "  - INSERT INTO t1 VALUES (1)\n"
        "clients:\n"
        "  - {name: A, requests: ['ALTER TABLE t1 NOWAIT ADD COLUMN c INT']}\n"
        "  - {name: B, requests: ['INSERT INTO t1 (a) VALUES (2)']}\n");
  EXPECT_EQ(expect_forgiven("MyISAM", "no-wait"), 1u);
}

TEST_F(FiltersTest, TwoInsertionsThatReadEachOthersTableAreExplainedByOrdersOfTheirParts) {
  write("input.yaml",
        "id: parts/one\n"
        "setup:\n"
        "  - CREATE TABLE t1 (a INT) ENGINE=${engine}\n"
        "  - CREATE TABLE t2 (a INT) ENGINE=${engine}\n"
        "  - CREATE TABLE untouched (a INT PRIMARY KEY) ENGINE=${engine}\n"
        "  - INSERT INTO t1 VALUES (1),(2)\n"
        "  - INSERT INTO t2 VALUES (3)\n"
        "clients:\n"
        "  - {name: A, requests: ['INSERT INTO t2 SELECT a FROM t1']}\n"
        "  - {name: B, requests: ['INSERT INTO t1 SELECT a FROM t2']}\n");
  const auto hunt_with = [&](const std::vector<std::string>& more) {
    std::vector<std::string> arguments = {
        "hunt",   "input.yaml", "--engine",          "Aria",
        "--seed", "3",          "--no-gate",         "--executions",
        "60",     "--strategy", "pct:d=3",           "--jobs",
        "1",      "--json",     "--diagnose-budget", "0"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    const Said said = esox(arguments);
    EXPECT_THAT(said.status, testing::AnyOf(0, 1)) << said.err;
    return json::parse(said.out);
  };
  const json without = hunt_with({"--no-filters", "--out", "without"});
  ASSERT_FALSE(without["findings"].empty());

  const json with = hunt_with({"--out", "with"});
  EXPECT_TRUE(with["findings"].empty());
  for (const json& rule : with["filters"]) {
    if (rule["rule"] != "insert-select-reads-beside-inserts") continue;
    EXPECT_GT(rule["executions"].get<uint64_t>(), 0u);
    EXPECT_THAT(rule["example"]["forgiven"].get<std::string>(),
                HasSubstr("it counts as its parts"));
  }
  // The same statements, beside others only: nothing is taken apart.
  write_rule("other.yaml",
             "kind: split, into: read-then-write, statement: INSERT, beside: TRUNCATE");
  EXPECT_FALSE(hunt_with({"--filters", "other.yaml", "--out", "other"})["findings"].empty());
}

TEST_F(FiltersTest, ACallOfSeveralStatementsBesideOthersIsNotJudged) {
  const auto hunt_beside = [&](const std::string& other, const std::string& body,
                               bool by_request = false) {
    const std::string makes = "CREATE PROCEDURE p() " + body;
    write("input.yaml",
          "id: calls/one\n"
          "setup:\n"
          "  - CREATE TABLE t1 (a INT) ENGINE=MyISAM\n" +
              (by_request ? "" : "  - " + makes + "\n") +
              "clients:\n"
              "  - {name: A, requests: [" +
              (by_request ? "'" + makes + "', " : "") +
              "'CALL p()']}\n"
              "  - {name: B, requests: ['" +
              other + "']}\n");
    const Said said = esox({"hunt", "input.yaml", "--seed", "3", "--no-gate", "--executions", "40",
                            "--jobs", "1", "--json", "--strategy", "pct:d=3", "--diagnose-budget",
                            "0", "--out", "o" + std::to_string(body.size() + by_request)});
    EXPECT_THAT(said.status, testing::AnyOf(0, 1)) << said.err;
    return json::parse(said.out);
  };
  const std::string count = "SELECT COUNT(*) FROM t1";
  for (const bool by_request : {false, true}) {
    const json several = hunt_beside(
        count, "BEGIN INSERT INTO t1 VALUES (1); INSERT INTO t1 VALUES (2); END", by_request);
    EXPECT_TRUE(several["findings"].empty());
    EXPECT_THAT(several["degraded_reasons"].dump(), HasSubstr("a request is several steps"));
  }
  // That a table, and what is told of it, is there or not is no damage.
  const json tables = hunt_beside("DROP TABLE IF EXISTS t2, t3",
                                  "BEGIN CREATE TABLE t2 (a INT); CREATE TABLE t3 (a INT); END");
  EXPECT_TRUE(tables["findings"].empty());
  EXPECT_THAT(tables["degraded_reasons"].dump(), HasSubstr("a request is several steps"));
  const json one = hunt_beside(count, "INSERT INTO t1 VALUES (1)");
  EXPECT_TRUE(one["findings"].empty());
  EXPECT_EQ(one["degraded"].get<uint64_t>(), 0u);
}

TEST_F(FiltersTest, AnExpiredRuleFailsTheHuntBeforeAnythingRuns) {
  write_rule("old.yaml", "kind: ignore, reply: info, expires: 2020-01-01");
  for (const std::string command : {"hunt", "run"}) {
    std::vector<std::string> arguments = {command, control(), "--filters", "old.yaml"};
    const Said said = esox(arguments);
    EXPECT_EQ(said.status, 2);
    EXPECT_THAT(said.err, HasSubstr("expired on 2020-01-01"));
  }
  EXPECT_FALSE(std::filesystem::exists(folder() / "esox-out"));
  EXPECT_EQ(esox({"filters", "check", "old.yaml"}).status, 2);
}

TEST_F(FiltersTest, AFileThatMakesNoSenseIsRefusedWithItsLine) {
  write("bad.yaml",
        "server: mariadb\nrules:\n  - {name: it, reason: r, owner: o, kind: ignore,\n"
        "     component: tabels}\n");
  const Said said = esox({"filters", "check", "bad.yaml"});
  EXPECT_EQ(said.status, 2);
  EXPECT_THAT(said.err, HasSubstr("bad.yaml:4: the state of a mariadb has no component"));
}

TEST_F(FiltersTest, RulesAreTestedOnFindingsThatAreThereAndAReplayJudgesByThoseOfTheFinding) {
  const std::filesystem::path found = hunt_until_found("out");
  ASSERT_FALSE(found.empty());
  const std::string hunt = found.parent_path().parent_path().string();
  write_rule("hides.yaml", "kind: ignore, component: 'query-cache:*'");
  const Said hidden = esox({"filters", "test", "hides.yaml", hunt, "--json"});
  EXPECT_EQ(hidden.status, 0) << hidden.err;
  const json told = json::parse(hidden.out);
  ASSERT_EQ(told["findings"].size(), 1u);
  EXPECT_EQ(told["findings"][0]["fate"], "hidden");
  EXPECT_EQ(told["findings"][0]["forgiven"][0]["rule"], "it");

  write_rule("stays.yaml", "kind: ignore, component: files");
  const Said stays = esox({"filters", "test", "stays.yaml", found.string()});
  EXPECT_THAT(stays.out, HasSubstr("it (ignore): would hide nothing"));
  EXPECT_THAT(stays.out, HasSubstr("0 of 1 findings would be hidden, 1 stay"));

  EXPECT_THAT(esox({"replay", found.string()}).out, HasSubstr("LATENT"));
  const Said replayed = esox({"replay", found.string(), "--filters", "hides.yaml"});
  EXPECT_THAT(replayed.out, HasSubstr("What filters hid"));
}

// With innodb_snapshot_isolation a locking read that a secondary index answers alone is newer than
// the transaction's view (docs/found.md); without it that is allowed, and counted.
TEST_F(TransactionTest, WhoReadWhatOfListsIsJudgedAtEachLevel) {
  write("lists.yaml",
        "generate: pairs\n"
        "id: lists\n"
        "isolation_levels: [repeatable-read, snapshot]\n"
        "engines: [InnoDB]\n"
        "setup:\n"
        "  - CREATE TABLE t1 (id INT PRIMARY KEY, u INT, l VARCHAR(60), KEY ul (u,l)) "
        "ENGINE=${engine}\n"
        "  - INSERT INTO t1 VALUES (1,1,'a'),(2,2,'b')\n"
        "shapes:\n"
        "  - name: append\n"
        "    writes: true\n"
        "    requests: ['UPDATE t1 SET l=CONCAT(l,'',${unique}'') WHERE id=1']\n"
        "  - name: look\n"
        "    writes: false\n"
        "    requests:\n"
        "      - BEGIN\n"
        "      - SELECT l FROM t1 WHERE id=1\n"
        "      - SELECT l FROM t1 FORCE INDEX (ul) WHERE u=1 LOCK IN SHARE MODE\n"
        "      - COMMIT\n");
  const Said said = esox({"hunt", "lists.yaml", "--executions", "60", "--seed", "5", "--json",
                          "--diagnose-budget", "0", "--jobs", "1", "--no-gate", "--out", "lists"});
  EXPECT_EQ(said.status, 1) << said.err;
  const json hunt = json::parse(said.out);
  ASSERT_EQ(hunt["findings"].size(), 1u);
  const json& finding = hunt["findings"][0];
  EXPECT_EQ(finding["input"], "lists-snapshot/append--look");
  EXPECT_EQ(finding["class"], "semantic");
  EXPECT_THAT(finding["headline"].get<std::string>(),
              HasSubstr("G-single, which the isolation level snapshot forbids"));
  EXPECT_GT(hunt["allowed_anomalies"]["G-single"].get<uint64_t>(), 0u);
  const std::string kept = "lists/findings/" + finding["id"].get<std::string>();
  EXPECT_THAT(read(folder() / kept / "comparison.txt"),
              HasSubstr("B2 read a without 1, and A1 appended 1"));
  const Said again = esox({"replay", kept, "--times", "3"});
  EXPECT_THAT(again.out, HasSubstr("3 of 3")) << again.err;
}

}  // namespace
}  // namespace esox
