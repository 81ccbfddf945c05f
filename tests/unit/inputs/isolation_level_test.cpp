// SPDX-License-Identifier: Apache-2.0
#include "inputs/isolation_level.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/text/input_error.h"
#include "inputs/engine.h"
#include "inputs/reader.h"
#include "inputs/writer.h"
#include "targets/mariadb/language.h"
#include "tests/unit/servers.h"

namespace esox {
namespace {

using testing::HasSubstr;

std::string input_at(const std::string& more) {
  return "id: a\n" + more + "clients: [{requests: [BEGIN]}, {requests: [COMMIT]}]\n";
}

TEST(IsolationLevel, IsReadAndWrittenAgain) {
  const auto read =
      parse_inputs(input_at("isolation_level: serializable\n"), "a.yaml", languages());
  ASSERT_EQ(read.size(), 1u);
  ASSERT_NE(isolation_level_of(read[0]), nullptr);
  EXPECT_TRUE(isolation_level_of(read[0])->promise == Promise::kSerial);
  auto again = parse_inputs(to_yaml(read[0]), "again.yaml", languages());
  again[0].origin = read[0].origin;
  EXPECT_EQ(again[0], read[0]);
  EXPECT_EQ(isolation_level_of(parse_inputs(input_at(""), "a.yaml", languages())[0]), nullptr);
}

TEST(IsolationLevel, OfAnotherNameIsRefusedWithItsLineAndTheNames) {
  try {
    parse_inputs(input_at("isolation_level: serialisable\n"), "a.yaml", languages());
    FAIL() << "it was taken";
  } catch (const InputError& error) {
    EXPECT_THAT(error.what(), HasSubstr("a.yaml:2: 'isolation_level': 'serialisable' is no"));
    EXPECT_THAT(error.what(), HasSubstr("serializable"));
  }
}

// Why it is refused; empty: it is not.
std::string complaint_of(const std::string& yaml) {
  try {
    parse_inputs(yaml, "a.yaml", languages());
    return "";
  } catch (const InputError& error) {
    return error.what();
  }
}

TEST(IsolationLevel, OfSeveralMakesAnInputForEach) {
  const auto read = parse_inputs(input_at("isolation_levels: [serializable, read-committed]\n"),
                                 "a.yaml", languages());
  ASSERT_EQ(read.size(), 2u);
  EXPECT_EQ(read[0].id, "a-serializable");
  EXPECT_EQ(read[1].id, "a-read-committed");
  EXPECT_EQ(read[1].isolation_level, "read-committed");
  EXPECT_EQ(read[1].clients, read[0].clients);
  EXPECT_THAT(complaint_of(input_at("isolation_levels: []\n")), HasSubstr("a.yaml:2: "));
  EXPECT_THAT(
      complaint_of(input_at("isolation_levels: [serializable]\nisolation_level: snapshot\n")),
      HasSubstr("leave one out"));
}

TEST(IsolationLevel, IsRefusedWhereTablesHaveNoTransactions) {
  const auto of = [](const std::string& more, const std::string& table) {
    return input_at(more + "setup: ['CREATE TABLE t (a INT)" + table + "']\n");
  };
  const std::string level = "isolation_level: serializable\n";
  for (const char* engine : {" ENGINE=MyISAM", " engine aria", " ENGINE=memory"}) {
    EXPECT_THAT(complaint_of(of(level, engine)), HasSubstr("a.yaml:2: 'isolation_level': tables of "
                                                           "input 'a' are of"))
        << engine;
    EXPECT_EQ(complaint_of(of("", engine)), "") << engine;
  }
  EXPECT_EQ(complaint_of(of(level, "")), "");
  EXPECT_EQ(complaint_of(of(level, " ENGINE=InnoDB")), "");
  EXPECT_THAT(complaint_of(of(level + "server_options: [--default-storage-engine=Aria]\n", "")),
              HasSubstr("Aria"));
  EXPECT_THAT(complaint_of(of(level + "engines: [InnoDB, Aria]\n", " ENGINE=${engine}")),
              HasSubstr("Aria, which has no transactions"));
  const std::string pairs =
      "generate: pairs\nisolation_levels: [serializable]\nsetup: [CREATE TABLE t (a INT) "
      "ENGINE=CSV]\n"
      "shapes: [{name: a, writes: true, sql: DELETE FROM t}]\n";
  EXPECT_THAT(complaint_of(pairs), HasSubstr("a.yaml:2: 'isolation_levels': tables of"));
}

TEST(IsolationLevel, LeavesOutEnginesWithoutTransactions) {
  const std::string yaml = "setup: ['CREATE TABLE t (a INT) ENGINE=${engine}']\n";
  const auto engines = [&](const std::string& more) {
    std::vector<std::string> names;
    const auto read = parse_inputs(input_at(more + yaml), "a.yaml", languages());
    for (const ConcreteInput& one : instantiate(read[0], {})) names.push_back(one.engine);
    return names;
  };
  EXPECT_THAT(engines(""), testing::ElementsAre("Aria", "MyISAM", "InnoDB"));
  EXPECT_THAT(engines("isolation_level: read-committed\n"), testing::ElementsAre("InnoDB"));
}

TEST(IsolationLevel, IsNoneOfAServerWithoutTransactions) {
  EXPECT_THAT(isolation_level_complaint("serializable", plain_language()),
              HasSubstr("leave it out"));
  EXPECT_EQ(isolation_level_complaint("", plain_language()), "");
}

}  // namespace
}  // namespace esox
