// SPDX-License-Identifier: Apache-2.0
// What the binary log gives against what the tables hold: each way to disagree is said, and what
// may differ by right is not.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "targets/mariadb/target.h"
#include "targets/mysqld/state/tables.h"
#include "targets/mysqld/state/written_log.h"

namespace esox {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::UnorderedElementsAre;

Component multiset(const std::string& name, const std::vector<std::string>& values) {
  ComponentBuilder builder(name, ComponentKind::kMultiset);
  for (const std::string& value : values) builder.add(value);
  return std::move(builder).build();
}

StateSummary state(const std::vector<std::string>& rows, const std::string& create = "CREATE",
                   const std::string& counter = "3") {
  ComponentBuilder tables("tables", ComponentKind::kSet);
  tables.add("t1 BASE TABLE");
  ComponentBuilder definition("definition:test.t1", ComponentKind::kMap);
  definition.add(Element{"create", create});
  definition.add(Element{"auto_increment", counter});
  return make_summary(
      {std::move(tables).build(), std::move(definition).build(), multiset("rows:test.t1", rows)});
}

ReplayedLog replayed(StateSummary tables) {
  ReplayedLog log;
  log.tables = std::move(tables);
  return log;
}

// {of the whole log, of the table}
std::vector<std::vector<Element>> elements(const StateSummary& real, const ReplayedLog& log) {
  std::vector<std::vector<Element>> all;
  for (const Component& component : MariadbTarget().compare_with_replayed(real, log)) {
    EXPECT_EQ(component.unavailable, "");
    all.push_back(component.elements);
  }
  return all;
}

TEST(ReplayedLog, ThatGivesTheSameRowsInAnotherOrderAgrees) {
  EXPECT_THAT(elements(state({"('1')", "('2')"}), replayed(state({"('2')", "('1')"}))),
              ElementsAre(IsEmpty(), IsEmpty()));
}

TEST(ReplayedLog, MayLeaveAnotherAutoIncrementCounter) {
  EXPECT_THAT(elements(state({}, "CREATE", "7"), replayed(state({}, "CREATE", "5"))),
              ElementsAre(IsEmpty(), IsEmpty()));
}

TEST(ReplayedLog, WithOtherRowsShowsThoseOfBothSides) {
  EXPECT_THAT(elements(state({"('1')", "('2')", "('2')"}), replayed(state({"('2')", "('3')"})))[1],
              UnorderedElementsAre(Element{"only in the server", "('1')"},
                                   Element{"only in the server", "('2')"},
                                   Element{"only by the binary log", "('3')"}));
}

TEST(ReplayedLog, WithAnotherDefinitionShowsBoth) {
  EXPECT_THAT(elements(state({}, "CREATE a"), replayed(state({}, "CREATE b")))[1],
              UnorderedElementsAre(Element{"definition only in the server", "CREATE a"},
                                   Element{"definition only by the binary log", "CREATE b"}));
}

TEST(ReplayedLog, OfOtherDatabasesIsComparedToo) {
  const Component tables = make_component("tables", ComponentKind::kSet, {});
  const Component of_d1 = make_component("tables:d1", ComponentKind::kSet, {{"", "t9 BASE TABLE"}});
  const StateSummary has = make_summary({tables, of_d1, multiset("rows:d1.t9", {})});
  const StateSummary none = make_summary({tables, no_such_database("d1")});
  EXPECT_THAT(elements(none, replayed(make_summary({tables}))), ElementsAre(IsEmpty()));
  EXPECT_THAT(elements(has, replayed(make_summary({tables}))),
              ElementsAre(UnorderedElementsAre(
                              Element{"only in the server", "t9 BASE TABLE"},
                              Element{"only by the binary log", "there is no such database"}),
                          ElementsAre(Element{"only in the server", "the table"})));
  EXPECT_THAT(elements(none, replayed(has))[0],
              testing::Contains(Element{"only by the binary log", "t9 BASE TABLE"}));
}

TEST(ReplayedLog, WithoutATableSaysSo) {
  const StateSummary nothing = make_summary({make_component("tables", ComponentKind::kSet, {})});
  EXPECT_THAT(elements(state({}), replayed(nothing)),
              ElementsAre(ElementsAre(Element{"only in the server", "t1 BASE TABLE"}),
                          ElementsAre(Element{"only in the server", "the table"})));
  EXPECT_THAT(elements(nothing, replayed(state({}))),
              ElementsAre(ElementsAre(Element{"only by the binary log", "t1 BASE TABLE"})));
}

TEST(ReplayedLog, ThatAReplicaStopsAtSaysWhere) {
  ReplayedLog log = replayed(state({}));
  log.stopped = "Can't find record in 't1'";
  EXPECT_THAT(elements(state({}), log)[0],
              ElementsAre(Element{"stopped", "Can't find record in 't1'"}));
}

TEST(ReplayedLog, OfMoreRowsThanAreListedDiffersAllTheSame) {
  std::vector<std::string> many;
  for (size_t i = 0; i <= kListedElements; ++i) many.push_back(std::to_string(i));
  std::vector<std::string> other = many;
  other.back() = "another";
  EXPECT_THAT(elements(state(many), replayed(state(many)))[1], IsEmpty());
  const std::vector<Element> found = elements(state(many), replayed(state(other)))[1];
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].key, "too many to list");
  EXPECT_NE(found, elements(state(other), replayed(state(many)))[1]);
}

TEST(ReplayedLog, ThatCouldNotBeReplayedIsEqualToNothing) {
  ReplayedLog log;
  log.unavailable = "no more memory";
  const std::vector<Component> components = MariadbTarget().compare_with_replayed(state({}), log);
  ASSERT_EQ(components.size(), 2U);
  for (const Component& component : components) EXPECT_EQ(component.unavailable, "no more memory");
}

TEST(ReplayedLog, OfATableThatCannotBeReadIsEqualToNothing) {
  StateSummary real = state({});
  for (Component& component : real.components) component.unavailable = "lost connection";
  const std::vector<Component> components =
      MariadbTarget().compare_with_replayed(real, replayed(state({})));
  EXPECT_EQ(components.at(1).unavailable, "lost connection");
}

TEST(ReplayedLog, ThatIsGoneIsSaidInBothComponents) {
  ReplayedLog log;
  log.gone = true;
  for (const auto& of_one : elements(state({}), log)) {
    ASSERT_EQ(of_one.size(), 1U);
    EXPECT_EQ(of_one[0].key, "not replayed");
  }
}

std::string event(char type, const std::string& body) {
  const auto size = static_cast<char>(19 + body.size());
  return std::string("time") + type + "serv" + size + std::string(3, '\0') + "end.fl" + body;
}

TEST(WrittenLog, IsTheSameWhateverNumbersItsTransactionsHave) {
  const auto with = [](const std::string& xid, const std::string& group, const std::string& text) {
    const std::string gtid = event(static_cast<char>(162), "sequencedomaf" + group);
    return digest_of(WrittenLog{{gtid + event(2, text) + event(16, xid)}, 0, false, ""});
  };
  EXPECT_EQ(with("number-1", "group--1", "INSERT"), with("number-2", "group--2", "INSERT"));
  EXPECT_NE(with("number-1", "group--1", "INSERT"), with("number-1", "group--1", "DELETE"));
}

TEST(WrittenLog, OfEventsInAnotherOrderIsAnother) {
  const auto of = [](const std::string& all) { return digest_of(WrittenLog{{all}, 0, false, ""}); };
  EXPECT_NE(of(event(2, "INSERT") + event(2, "DELETE")),
            of(event(2, "DELETE") + event(2, "INSERT")));
}

TEST(WrittenLog, IsKnownByItsEventsSinceTheSetup) {
  const WrittenLog one{{"setup, events"}, 5, false, ""};
  EXPECT_EQ(digest_of(one), digest_of(WrittenLog{{"SETUP, events"}, 5, false, ""}));
  EXPECT_NE(digest_of(one), digest_of(WrittenLog{{"setup, Events"}, 5, false, ""}));
  EXPECT_NE(digest_of(one), digest_of(WrittenLog{{"setup, eve", "nts"}, 5, false, ""}));
}

TEST(WrittenLog, ThatIsTooLargeOrNotThereIsUnavailable) {
  const LogSpan large{{{"log.000001", kMaxLogBytes + 1}}, 4, false, ""};
  EXPECT_THAT(read_written_log(large, "/nowhere").unavailable, HasSubstr("at most"));
  const LogSpan missing{{{"log.000001", 10}}, 4, false, ""};
  EXPECT_THAT(read_written_log(missing, "/nowhere").unavailable, HasSubstr("cannot be read"));
}

}  // namespace
}  // namespace esox
