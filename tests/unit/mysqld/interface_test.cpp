// SPDX-License-Identifier: Apache-2.0
// The summary's own logic, on scripted connections: what it asks, in what order, and what it makes
// of replies a real server gives only rarely. The same on a real server: tests/integration.
#include "targets/mysqld/state/interface.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

namespace esox {
namespace {

using testing::Each;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

Output table(std::vector<Row> rows) {
  Output output;
  output.answered = true;
  output.results.push_back(ResultSet{{}, std::move(rows)});
  return output;
}

Output error(uint32_t code, const std::string& message) {
  Output output;
  output.answered = true;
  output.error = code;
  output.sql_state = "HY000";
  output.message = message;
  return output;
}

// A connection that answers by the beginning of the text, and writes down what it was asked. A text
// of several statements is answered statement by statement, up to the first error, as a server
// does.
class Script {
 public:
  explicit Script(std::string name, std::vector<std::string>* asked)
      : name_(std::move(name)), asked_(asked) {}

  void on(const std::string& beginning, Output output) { replies_[beginning] = std::move(output); }

  Ask ask() {
    return [this](const std::string& text) {
      asked_->push_back(name_ + ": " + text);
      Output whole = lost_;
      if (!lost_.message.empty()) return whole;
      whole.answered = true;
      for (size_t at = 0; at <= text.size();) {
        const size_t end = std::min(text.find(";\n", at), text.size());
        const Output one = answer(text.substr(at, end - at));
        if (!one.answered || one.error != 0) {
          const std::vector<ResultSet> before = whole.results;
          whole = one;
          whole.results = before;
          if (!one.answered) lost_ = one;
          return whole;
        }
        for (const ResultSet& result : one.results) whole.results.push_back(result);
        at = end + 2;
      }
      return whole;
    };
  }

 private:
  Output answer(const std::string& statement) const {
    for (auto reply = replies_.rbegin(); reply != replies_.rend(); ++reply) {  // longest first
      if (statement.starts_with(reply->first)) return reply->second;
    }
    if (statement.starts_with("PREPARE ")) return Output{.answered = true, .error = 1295};
    return statement.starts_with("SET ") ? Output{.answered = true} : table({});
  }

  std::string name_;
  std::vector<std::string>* asked_;
  std::map<std::string, Output> replies_;
  Output lost_;  // with a message: the connection is lost, and stays so
};

class MariadbInterfaceTest : public testing::Test {
 protected:
  MariadbInterfaceTest() {
    own_.on("SHOW FULL TABLES", table({{Cell("t1"), Cell("BASE TABLE")}}));
    own_.on("SHOW CREATE TABLE",
            table({{Cell("t1"), Cell("CREATE TABLE `t1` (\n  `a` int\n) ENGINE=Aria")}}));
    own_.on("SELECT SQL_NO_CACHE", table({{Cell("1")}}));
    own_.on("CHECK TABLE", table({{Cell("test.t1"), Cell("check"), Cell("status"), Cell("OK")}}));
  }

  StateSummary take(const std::vector<Question>& questions = {},
                    const std::vector<std::string>& observations = {}) {
    MysqldInterface source(own_.ask(), {QuestionedClient{"A", a_.ask(), questions}}, observations);
    source.begin();
    asked_.clear();
    return make_summary(source.take());
  }

  // Which take trips of their own.
  static MysqldParts without_accounts() {
    MysqldParts parts;
    parts.left_out.set(static_cast<size_t>(MysqldPart::kAccounts));
    return parts;
  }

  std::vector<std::string> asked_;
  Script own_{"own", &asked_};
  Script a_{"A", &asked_};
};

TEST_F(MariadbInterfaceTest, AsksForCachedAnswersFirstThenObservationsThenTheRest) {
  take({Question{"SELECT a FROM t1"}}, {"SELECT 1"});
  EXPECT_THAT(asked_, ElementsAre("A: SELECT a FROM t1", "own: SELECT 1",
                                  "A: SELECT SQL_NO_CACHE a FROM t1", HasSubstr("SHOW FULL TABLES"),
                                  HasSubstr("SHOW CREATE"), HasSubstr("CHECK TABLE"),
                                  "own: FLUSH LOCAL PRIVILEGES"));
}

TEST_F(MariadbInterfaceTest, HowRelevantARowIsIsNoPartOfTheStateAndWhatIsFoundIs) {
  std::string select = "SELECT a, MATCH (b) AGAINST ('x') FROM t1";
  const auto answer = [&](const char* row, const char* relevance) {
    a_.on("SELECT", table({{Cell(row), Cell(relevance)}}));
    return *take({Question{select}}).find("answer:" + select);
  };
  const Component found = answer("7", "0.2960100471973419");
  EXPECT_TRUE(same(found, answer("7", "1.885928302414186e-09")));
  EXPECT_FALSE(same(found, answer("8", "0.2960100471973419")));
  EXPECT_FALSE(same(found, answer("7", "0")));  // it may be missing in the index
  select += " WHERE MATCH (b) AGAINST ('x')";
  const Component found_by_text = answer("7", "0.2960100471973419");
  EXPECT_TRUE(same(found_by_text, answer("7", "0")));
  EXPECT_FALSE(same(found_by_text, answer("8", "0")));
}

// That makes the server read its tables again.
TEST_F(MariadbInterfaceTest, RightsThatAreOnlyEnforcedAreTold) {
  const std::string flush = "FLUSH LOCAL PRIVILEGES";
  own_.on("SELECT GRANTEE", table({{Cell("'u'@'%'")}}));
  own_.on("SHOW GRANTS FOR 'u'@'%'", table({{Cell("GRANT DROP ON *.* TO `u`@`%`")}}));
  const Ask answer = own_.ask();
  const Ask own = [&](const std::string& text) {
    if (text == flush) own_.on("SHOW GRANTS FOR 'u'@'%'", table({{Cell("GRANT USAGE")}}));
    return answer(text);
  };
  MysqldInterface source(own, {}, {});
  source.begin();
  const StateSummary summary = make_summary(source.take());
  EXPECT_THAT(summary.find("grants")->elements,
              ElementsAre(Element{"'u'@'%'", "GRANT DROP ON *.* TO `u`@`%`"}));
  EXPECT_THAT(summary.find("reloaded-grants")->elements,
              testing::UnorderedElementsAre(
                  Element{"'u'@'%', only enforced", "GRANT DROP ON *.* TO `u`@`%`"},
                  Element{"'u'@'%', only in the tables", "GRANT USAGE"}));
}

TEST_F(MariadbInterfaceTest, OnceTheTablesAreKnownOneTripIsEnough) {
  MysqldInterface source(own_.ask(), {}, {}, without_accounts());
  source.begin();
  source.take();
  asked_.clear();
  const StateSummary summary = make_summary(source.take());
  ASSERT_EQ(asked_.size(), 1U);
  EXPECT_NE(summary.find("rows:test.t1"), nullptr);
  EXPECT_EQ(summary.find("check:test.t1")->elements[0].value, "status: OK");
}

TEST_F(MariadbInterfaceTest, ATableThatIsNewIsSummarisedAndOneThatIsGoneIsNot) {
  MysqldInterface source(own_.ask(), {}, {});
  source.begin();
  source.take();
  own_.on("SHOW FULL TABLES", table({{Cell("t2"), Cell("BASE TABLE")}}));
  own_.on("SHOW CREATE TABLE `test`.`t1`", error(1146, "Table 'test.t1' doesn't exist"));
  own_.on("SELECT SQL_NO_CACHE * FROM `test`.`t1`", error(1146, "Table 'test.t1' doesn't exist"));
  asked_.clear();
  const StateSummary summary = make_summary(source.take());
  EXPECT_EQ(summary.find("rows:test.t1"), nullptr);
  EXPECT_EQ(summary.find("rows:test.t2")->count, 1U);
  // What would only fail again is not sent again.
  for (size_t i = 1; i < asked_.size(); ++i) {
    EXPECT_THAT(asked_[i], Not(HasSubstr("FROM `test`.`t1`")));
  }
}

TEST_F(MariadbInterfaceTest, ADatabaseOfTheInputsIsSummarisedToo) {
  MysqldParts parts;
  parts.databases = {"d1"};
  own_.on("SHOW FULL TABLES FROM `d1`", table({{Cell("t9"), Cell("BASE TABLE")}}));
  own_.on("SELECT SQL_NO_CACHE * FROM `d1`.`t9`", table({{Cell("9")}}));
  own_.on("CHECK TABLE `d1`",
          table({{Cell("d1.t9"), Cell("check"), Cell("error"), Cell("Corrupt")}}));
  MysqldInterface source(own_.ask(), {}, {}, parts);
  source.begin();
  source.take();
  const StateSummary summary = make_summary(source.take());
  EXPECT_THAT(summary.find("tables")->elements, ElementsAre(Element{"", "t1 BASE TABLE"}));
  EXPECT_THAT(summary.find("tables:d1")->elements, ElementsAre(Element{"", "t9 BASE TABLE"}));
  EXPECT_THAT(summary.find("rows:d1.t9")->elements, ElementsAre(Element{"", "('9')"}));
  EXPECT_NE(summary.find("definition:d1.t9"), nullptr);
  EXPECT_EQ(summary.find("check:d1.t9")->meaning, ComponentMeaning::kDamage);
  EXPECT_EQ(summary.find("check:test.t1")->elements[0].value, "status: OK");
}

TEST_F(MariadbInterfaceTest, ADatabaseThatIsGoneIsToldAndItsTablesAreNot) {
  MysqldParts parts;
  parts.databases = {"d1"};
  own_.on("SHOW FULL TABLES FROM `d1`", table({{Cell("t9"), Cell("BASE TABLE")}}));
  MysqldInterface source(own_.ask(), {}, {}, parts);
  source.begin();
  source.take();
  own_.on("SHOW FULL TABLES FROM `d1`", error(1049, "Unknown database 'd1'"));
  for (const char* question : {"SHOW CREATE TABLE `d1`", "SELECT SQL_NO_CACHE * FROM `d1`"}) {
    own_.on(question, error(1049, "Unknown database 'd1'"));
  }
  const StateSummary summary = make_summary(source.take());
  EXPECT_TRUE(same(*summary.find("tables:d1"), no_such_database("d1")));
  EXPECT_EQ(summary.find("rows:d1.t9"), nullptr);
  EXPECT_EQ(summary.find("check:d1.t9"), nullptr);
  EXPECT_NE(summary.find("rows:test.t1"), nullptr);
}

TEST_F(MariadbInterfaceTest, ATableThatIsNotTouchedIsReadAndNeitherCheckedNorScannedByItsIndexes) {
  own_.on("SHOW FULL TABLES",
          table({{Cell("t1"), Cell("BASE TABLE")}, {Cell("t2"), Cell("BASE TABLE")}}));
  own_.on("SHOW CREATE TABLE",
          table({{Cell("t"), Cell("CREATE TABLE `t` (\n  `a` int,\n  KEY `k` (`a`)\n) "
                                  "ENGINE=Aria")}}));
  MysqldParts parts;
  parts.is_touched = [](const std::string& name) { return name == "t1"; };
  MysqldInterface source(own_.ask(), {}, {}, parts);
  source.begin();
  for (const char* look : {"first", "second"}) {
    asked_.clear();
    const StateSummary summary = make_summary(source.take());
    for (const char* there :
         {"rows:test.t2", "definition:test.t2", "check:test.t1", "index:test.t1.k"}) {
      EXPECT_NE(summary.find(there), nullptr) << look << " " << there;
    }
    for (const char* left_out : {"check:test.t2", "index:test.t2.k"}) {
      EXPECT_EQ(summary.find(left_out), nullptr) << look << " " << left_out;
    }
    for (const std::string& text : asked_) {
      EXPECT_THAT(text, testing::Not(testing::ContainsRegex("CHECK TABLE.*t2"))) << look;
    }
  }
}

// What is kept from one look for the next must not be told where the server says otherwise.
TEST_F(MariadbInterfaceTest, WhatChangedSinceTheLastLookIsToldAndWhatDidNotIsTheSame) {
  MysqldInterface source(own_.ask(), {}, {});
  source.begin();
  source.take();
  const StateSummary before = make_summary(source.take());
  own_.on("SELECT SQL_NO_CACHE", table({{Cell("2")}}));
  const StateSummary changed = make_summary(source.take());
  EXPECT_EQ(changed.find("rows:test.t1")->elements[0].value, "('2')");
  own_.on("CHECK TABLE", table({{Cell("test.t1"), Cell("check"), Cell("error"), Cell("Corrupt")}}));
  EXPECT_EQ(make_summary(source.take()).find("check:test.t1")->elements[0].value, "error: Corrupt");
  own_.on("CHECK TABLE", table({{Cell("test.t1"), Cell("check"), Cell("status"), Cell("OK")}}));
  own_.on("SELECT SQL_NO_CACHE", table({{Cell("1")}}));
  const StateSummary again = make_summary(source.take());
  ASSERT_EQ(again.components.size(), before.components.size());
  for (size_t i = 0; i < again.components.size(); ++i) {
    EXPECT_TRUE(same(again.components[i], before.components[i])) << again.components[i].name;
  }
}

// What comes after a statement that fails is sent again; whether it is still worth it must not be
// judged by replies that are yet to come.
TEST_F(MariadbInterfaceTest, ATableThatIsGoneDoesNotTakeTheIndexesOfTheNextWithIt) {
  own_.on("SHOW FULL TABLES",
          table({{Cell("t1"), Cell("BASE TABLE")}, {Cell("t2"), Cell("BASE TABLE")}}));
  own_.on("SHOW CREATE TABLE `test`.`t2`",
          table({{Cell("t2"),
                  Cell("CREATE TABLE `t2` (\n  `a` int,\n  KEY `k` (`a`)\n) ENGINE=Aria")}}));
  MysqldInterface source(own_.ask(), {}, {});
  source.begin();
  source.take();
  own_.on("SHOW FULL TABLES", table({{Cell("t2"), Cell("BASE TABLE")}}));
  own_.on("SHOW CREATE TABLE `test`.`t1`", error(1146, "Table 'test.t1' doesn't exist"));
  EXPECT_NE(make_summary(source.take()).find("index:test.t2.k"), nullptr);
}

TEST_F(MariadbInterfaceTest, ADefinitionChangedSinceTheLastLookHasItsNewIndexesRead) {
  MysqldInterface source(own_.ask(), {}, {}, without_accounts());
  source.begin();
  EXPECT_EQ(make_summary(source.take()).find("index:test.t1.k"), nullptr);
  own_.on("SHOW CREATE TABLE",
          table({{Cell("t1"),
                  Cell("CREATE TABLE `t1` (\n  `a` int,\n  KEY `k` (`a`)\n) ENGINE=Aria")}}));
  asked_.clear();
  EXPECT_NE(make_summary(source.take()).find("index:test.t1.k"), nullptr);
  EXPECT_EQ(asked_.size(), 2U);
  asked_.clear();
  EXPECT_NE(make_summary(source.take()).find("index:test.t1.k"), nullptr);
  EXPECT_EQ(asked_.size(), 1U);
}

TEST_F(MariadbInterfaceTest, AStaleCachedAnswerShowsWithWhatTheTablesSay) {
  const auto component_with = [this](const std::string& cached, const std::string& fresh) {
    const Ask ask = [&](const std::string& text) {
      return table({{Cell(text.starts_with("SELECT SQL_NO_CACHE") ? fresh : cached)}});
    };
    MysqldInterface source(own_.ask(), {QuestionedClient{"A", ask, {Question{"SELECT a FROM t1"}}}},
                           {});
    source.begin();
    return *make_summary(source.take()).find("query-cache:SELECT a FROM t1");
  };
  const Component good = component_with("2", "2");
  EXPECT_TRUE(same(good, component_with("3", "3")));  // the answer itself is another component
  const Component stale = component_with("1", "2");
  EXPECT_FALSE(same(good, stale));
  ASSERT_EQ(stale.elements.size(), 1U);
  EXPECT_EQ(stale.elements[0], (Element{"A", "answers 1 row ('1'); the tables say 1 row ('2')"}));
}

TEST_F(MariadbInterfaceTest, AsksAStatementOncePerClientForEachWayOfAsking) {
  take({Question{"SELECT a FROM t1"}, Question{"SELECT a FROM t1"}});
  const auto asks = [](const std::string& text) { return text.ends_with(" a FROM t1"); };
  EXPECT_EQ(std::count_if(asked_.begin(), asked_.end(), asks), 2);
}

TEST(PastQueryCache, APlainSelectGetsAnOptionAndAnyOtherTextStaysAsItIs) {
  EXPECT_EQ(uncached("select a FROM t1"), "SELECT SQL_NO_CACHE a FROM t1");
  EXPECT_EQ(uncached("SELECT DISTINCT a FROM t1"), "SELECT SQL_NO_CACHE DISTINCT a FROM t1");
  for (const char* text :
       {"SELECT\na FROM t1", " SELECT a FROM t1", "SELECT /*!SQL_CACHE*/ a FROM t1",
        "SELECT sql_cache a FROM t1", "/**/SELECT a FROM t1"}) {
    EXPECT_EQ(uncached(text), "SET STATEMENT max_statement_time = 0 FOR " + std::string(text));
  }
}

TEST_F(MariadbInterfaceTest, AnErrorThatTheStateCausesIsAnElement) {
  own_.on("SELECT SQL_NO_CACHE", error(1146, "Table 'test.t1' doesn't exist"));
  const StateSummary summary = take();
  const Component* rows = summary.find("rows:test.t1");
  ASSERT_NE(rows, nullptr);
  EXPECT_EQ(rows->unavailable, "");
  ASSERT_EQ(rows->elements.size(), 1U);
  EXPECT_THAT(rows->elements[0].value, StartsWith("error 1146"));
  // What came after the failed statement in the same request is there as well.
  EXPECT_EQ(summary.find("check:test.t1")->elements[0].value, "status: OK");
}

TEST_F(MariadbInterfaceTest, AMissingPrivilegeMakesTheComponentUnavailable) {
  own_.on("CHECK TABLE", error(1142, "CHECK command denied"));
  const StateSummary summary = take();
  EXPECT_THAT(summary.find("check:test.t1")->unavailable, HasSubstr("1142"));
  EXPECT_EQ(summary.find("rows:test.t1")->unavailable, "");
}

TEST_F(MariadbInterfaceTest, ALostConnectionMakesWhatFollowsUnavailableWithTheReason) {
  Output lost;
  lost.message = "Lost connection to server during query (2013)";
  own_.on("SELECT SQL_NO_CACHE", lost);
  const StateSummary summary = take();
  EXPECT_THAT(summary.find("rows:test.t1")->unavailable, HasSubstr("2013"));
  EXPECT_THAT(summary.find("check:test.t1")->unavailable, HasSubstr("2013"));
  EXPECT_EQ(summary.find("definition:test.t1")->unavailable, "");
}

TEST_F(MariadbInterfaceTest, AnUnreadableBinaryLogIsUnavailableAndOneThatIsOffIsNotThere) {
  EXPECT_EQ(take().find("binlog"), nullptr);
  own_.on("SHOW MASTER STATUS", error(1227, "Access denied"));
  const StateSummary summary = take();
  ASSERT_NE(summary.find("binlog"), nullptr);
  EXPECT_THAT(summary.find("binlog")->unavailable, HasSubstr("1227"));
}

TEST_F(MariadbInterfaceTest, ReadsTheBinaryLogFromWhereItStoodUnlessItStartedAgain) {
  own_.on("SHOW MASTER STATUS", table({{Cell("b.000001"), Cell("300")}}));
  own_.on("SHOW BINARY LOGS", table({{Cell("b.000001"), Cell("500")}}));
  take();
  EXPECT_THAT(asked_[0], HasSubstr("SHOW BINLOG EVENTS IN 'b.000001' FROM 300"));
  own_.on("SHOW BINARY LOGS", table({{Cell("b.000001"), Cell("256")}}));
  take();
  EXPECT_THAT(asked_[1], testing::EndsWith("SHOW BINLOG EVENTS IN 'b.000001'"));
}

TEST(SplitAutoIncrement, TakesTheOptionAndNothingThatLooksLikeIt) {
  const std::string with =
      "CREATE TABLE `t` (\n  `a` int\n) ENGINE=Aria AUTO_INCREMENT=42 DEFAULT CHARSET=latin1";
  EXPECT_EQ(split_auto_increment(with),
            std::make_pair(
                std::string("CREATE TABLE `t` (\n  `a` int\n) ENGINE=Aria DEFAULT CHARSET=latin1"),
                std::string("42")));
  const std::string in_comments =
      "CREATE TABLE `t` (\n  `a` int COMMENT ' AUTO_INCREMENT=1'\n) ENGINE=Aria COMMENT=' "
      "AUTO_INCREMENT=2'";
  EXPECT_EQ(split_auto_increment(in_comments).second, "");
  EXPECT_EQ(split_auto_increment(in_comments).first, in_comments);
  EXPECT_EQ(split_auto_increment("CREATE VIEW `v` AS select 1").second, "");
  EXPECT_EQ(split_auto_increment("").first, "");
}

TEST_F(MariadbInterfaceTest, ATableOfTooManyRowsIsNeitherReadWholeNorCheckedAndSaysSo) {
  own_.on("SELECT SQL_NO_CACHE * FROM `test`.`t1`",
          table(std::vector<Row>(kMaxRows + 1, Row{Cell("1")})));
  MysqldInterface source(own_.ask(), {}, {});
  source.begin();
  for (int look = 0; look < 2; ++look) {
    const StateSummary summary = make_summary(source.take());
    EXPECT_THAT(summary.find("rows:test.t1")->unavailable, HasSubstr("more than 100000 rows"));
    EXPECT_THAT(summary.find("check:test.t1")->unavailable, HasSubstr("was not checked"));
  }
  for (const std::string& asked : asked_) EXPECT_THAT(asked, testing::Not(HasSubstr("CHECK")));
  own_.on("SELECT SQL_NO_CACHE * FROM `test`.`t1`", table({{Cell("1")}}));
  const StateSummary summary = make_summary(source.take());
  EXPECT_EQ(summary.find("rows:test.t1")->count, 1U);
  EXPECT_EQ(summary.find("check:test.t1")->elements.at(0).value, "status: OK");
}

TEST_F(MariadbInterfaceTest, ATableThatGrewTooLargeSinceTheLastLookIsNotSaidToBeChecked) {
  MysqldInterface source(own_.ask(), {}, {});
  source.begin();
  source.take();
  own_.on("SELECT SQL_NO_CACHE * FROM `test`.`t1`",
          table(std::vector<Row>(kMaxRows + 1, Row{Cell("1")})));
  const StateSummary summary = make_summary(source.take());
  EXPECT_THAT(summary.find("check:test.t1")->unavailable, HasSubstr("was not checked"));
}

TEST_F(MariadbInterfaceTest, AnIndexOfATableOfTooManyRowsIsUnavailable) {
  own_.on("SHOW CREATE TABLE",
          table({{Cell("t1"),
                  Cell("CREATE TABLE `t1` (\n  `a` int,\n  KEY `k` (`a`)\n) ENGINE=Aria")}}));
  own_.on("SELECT SQL_NO_CACHE", table(std::vector<Row>(kMaxScannedRows + 1, Row{Cell("1")})));
  const StateSummary summary = take();
  EXPECT_EQ(summary.find("rows:test.t1")->unavailable, "");
  EXPECT_THAT(summary.find("index:test.t1.k")->unavailable, HasSubstr("more than 10000 rows"));
}

class CachedEntriesTest : public MariadbInterfaceTest {
 protected:
  CachedEntriesTest() {
    own_.on("SELECT SQL_NO_CACHE 2", table({}));
    own_.on("SELECT 1 FROM information_schema.PLUGINS WHERE PLUGIN_NAME = 'QUERY",
            table({{Cell("1")}}));
  }
  void list(std::vector<Row> entries) {
    own_.on("SELECT STATEMENT_TEXT", table(std::move(entries)));
  }
};

TEST_F(CachedEntriesTest, AreListedFirstAndAskedForUnlessTheyAreAClientsOwnQuestions) {
  list({{Cell("SELECT 2 FROM t"), Cell("1")}, {Cell("SELECT a FROM t"), Cell("0")}});
  const StateSummary summary = take({Question{"SELECT a FROM t"}});
  ASSERT_GE(asked_.size(), 4U);
  EXPECT_THAT(asked_[0], StartsWith("own: SELECT STATEMENT_TEXT"));
  EXPECT_EQ(asked_[1], "own: BEGIN NOT ATOMIC SELECT 2 FROM t\n; END");
  EXPECT_EQ(asked_[2], "A: BEGIN NOT ATOMIC SELECT 2 FROM t\n; END");
  EXPECT_EQ(asked_[3], "A: SELECT a FROM t");
  EXPECT_EQ(summary.find("query-cache-entries")->count, 0U);
}

TEST_F(CachedEntriesTest, ThatAnswerOtherwiseThanTheTablesShow) {
  list({{Cell("SELECT 2 FROM t"), Cell("0")}});
  a_.on("SELECT 2", table({{Cell("old")}}));
  own_.on("SELECT 2", table({{Cell("new")}}));
  own_.on("SELECT SQL_NO_CACHE 2", table({{Cell("new")}}));
  EXPECT_THAT(take().find("query-cache-entries")->elements,
              ElementsAre(Element{"SELECT 2 FROM t",
                                  "A answers 1 row ('old'); the tables say 1 row ('new')"}));
}

TEST_F(CachedEntriesTest, ThatAreTooManyMakeTheComponentUnavailable) {
  std::vector<Row> entries;
  for (size_t i = 0; i <= kMaxEntries; ++i) {
    entries.push_back({Cell("SELECT " + std::to_string(i) + " FROM t"), Cell("0")});
  }
  list(entries);
  EXPECT_THAT(take().find("query-cache-entries")->unavailable, StartsWith("1 entries"));
}

// MySQL: the performance schema has numbers of its own for threads, which a connection keeps.
class MysqlLeftoversTest : public MariadbInterfaceTest {
 protected:
  MysqlLeftoversTest() {
    own_.on(kThreads, table({{Cell("40"), Cell("8")}, {Cell("41"), Cell("9")}}));
    own_.on("SELECT OWNER_THREAD_ID",
            table({{Cell("41"), Cell("SHARED_READ"), Cell("TABLE"), Cell("test"), Cell("t1")},
                   {Cell("40"), Cell("SHARED_READ"), Cell("TABLE"), Cell("test"), Cell("t1")}}));
    own_.on("SELECT KEY_CACHE_NAME", error(1109, "Unknown table 'KEY_CACHES'"));
    own_.on("SHOW GLOBAL STATUS", table({{Cell("Key_blocks_not_flushed"), Cell("0")}}));
  }

  std::vector<Component> taken() {
    MysqldInterface source(own_.ask(), {QuestionedClient{"A", a_.ask(), {}, 9}}, {});
    source.begin();
    asked_.clear();
    return source.take();
  }
  static const Component* of_name(const std::vector<Component>& all, const std::string& name) {
    for (const Component& one : all) {
      if (one.name == name) return &one;
    }
    return nullptr;
  }

  static constexpr const char* kThreads = "SELECT THREAD_ID";
  static constexpr const char* kStatus = "SELECT VARIABLE_NAME";
};

TEST_F(MysqlLeftoversTest, AMetadataLockIsTheClientsWhoseThreadOwnsIt) {
  const std::vector<Component> components = taken();
  const Component* locks = of_name(components, "metadata-locks");
  ASSERT_NE(locks, nullptr);
  ASSERT_EQ(locks->elements.size(), 1u);
  EXPECT_EQ(locks->elements[0].key, "A");
  EXPECT_EQ(locks->elements[0].value, "SHARED_READ, TABLE on test.t1");
}

TEST_F(MysqlLeftoversTest, APerformanceSchemaThatIsOffTellsOfNoMetadataLocks) {
  own_.on(kThreads, table({}));
  EXPECT_EQ(of_name(taken(), "metadata-locks"), nullptr);
}

TEST_F(MysqlLeftoversTest, UnwrittenKeyBlocksAreAskedOfTheTableOfStatusWhereItTells) {
  own_.on(kStatus, table({{Cell("Key_blocks_not_flushed"), Cell("3")}}));
  const std::vector<Component> components = taken();
  const Component* blocks = of_name(components, "key-blocks");
  ASSERT_NE(blocks, nullptr);
  ASSERT_EQ(blocks->elements.size(), 1u);
  EXPECT_EQ(blocks->elements[0].value, "some not written");
  EXPECT_THAT(asked_, Each(Not(HasSubstr("SHOW GLOBAL STATUS"))));
}

TEST_F(MysqlLeftoversTest, WhereTheTableOfStatusIsEmptyTheStatementIsAsked) {
  const std::vector<Component> components = taken();
  const Component* blocks = of_name(components, "key-blocks");
  ASSERT_NE(blocks, nullptr);
  ASSERT_EQ(blocks->elements.size(), 1u);
  EXPECT_EQ(blocks->elements[0].value, "all written");
}

}  // namespace
}  // namespace esox
