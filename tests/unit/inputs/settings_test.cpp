// SPDX-License-Identifier: Apache-2.0
// Settings of the server under which inputs are tried besides.
#include "inputs/settings.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/text/input_error.h"
#include "targets/mariadb/language.h"

namespace esox {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

constexpr const char* kTwo = R"yaml(
settings:
  - name: row-log
    server_options: [--log-bin=binlog, --binlog-format=ROW]
  - name: read-committed
    engines: [innodb]
    server_options: [--transaction-isolation=READ-COMMITTED]
)yaml";

std::string refusal_of(const std::string& yaml) {
  try {
    parse_settings(yaml, "s.yaml", mariadb_language());
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

TEST(Settings, MultiplyInputsWhereTheyFit) {
  ConcreteInput aria{{}, "Aria"};
  aria.input.id = "a";
  aria.input.server_options = {"--own"};
  ConcreteInput innodb{{}, "InnoDB"};
  innodb.input.id = "b";
  std::vector<std::string> names;
  const auto all =
      under_settings({aria, innodb}, parse_settings(kTwo, "s.yaml", mariadb_language()));
  for (const ConcreteInput& one : all) names.push_back(one.input.id + ":" + one.setting);
  EXPECT_THAT(names, ElementsAre("a:", "a:row-log", "b:", "b:row-log", "b:read-committed"));
  EXPECT_THAT(all[1].input.server_options,
              ElementsAre("--own", "--log-bin=binlog", "--binlog-format=ROW"));
  EXPECT_THAT(all[0].input.server_options, ElementsAre("--own"));
}

TEST(Settings, AddSetupAndClientsWhereThereIsRoom) {
  const auto settings = parse_settings(
      "settings: [{name: kept, setup: [FLUSH TABLES], clients: [{name: keeper, setup: [BEGIN], "
      "requests: [SAVEPOINT s]}]}]",
      "s.yaml", mariadb_language());
  ConcreteInput plain{{}, ""};
  plain.input.setup = {"CREATE TABLE t (a INT)"};
  plain.input.clients = {{"A", {}, {{"SELECT 1"}}}};
  ConcreteInput taken = plain;
  taken.input.clients[0].name = "keeper";
  ConcreteInput full = plain;
  for (char name = 'B'; name <= 'H'; ++name) {
    full.input.clients.push_back({std::string(1, name), {}, {{"SELECT 1"}}});
  }
  const auto all = under_settings({plain, taken, full}, settings);
  ASSERT_EQ(all.size(), 4u) << "of the other two there are no more";
  EXPECT_THAT(all[1].input.setup, ElementsAre("CREATE TABLE t (a INT)", "FLUSH TABLES"));
  ASSERT_EQ(all[1].input.clients.size(), 2u);
  EXPECT_EQ(all[1].input.clients[1].name, "keeper");
  EXPECT_THAT(all[1].input.clients[1].setup, ElementsAre("BEGIN"));
  EXPECT_EQ(all[0].input.clients.size(), 1u);
}

// Where an input names none, it has no transactions to speak of.
TEST(Settings, AnIsolationLevelTakesThePlaceOfTheInputs) {
  ConcreteInput plain{{}, ""};
  plain.input.id = "plain";
  ConcreteInput transactions{{}, ""};
  transactions.input.id = "tx";
  transactions.input.isolation_level = "serializable";
  const auto settings = parse_settings(
      "settings:\n  - {name: rr, isolation_level: repeatable-read}\n"
      "  - {name: ser, isolation_level: serializable}\n"
      "  - {name: ser-log, isolation_level: serializable, server_options: [--log-bin]}\n",
      "s.yaml", mariadb_language());
  std::vector<std::string> names;
  for (const ConcreteInput& one : under_settings({plain, transactions}, settings)) {
    names.push_back(one.input.id + ":" + one.setting + ":" + one.input.isolation_level);
  }
  EXPECT_THAT(names, ElementsAre("plain::", "tx::serializable", "tx:rr:repeatable-read",
                                 "tx:ser-log:serializable"));
}

TEST(Settings, TellWhatIsWrongAndWhere) {
  EXPECT_THAT(refusal_of("settings:\n  - {name: a, isolation_level: serialisable}"),
              HasSubstr("s.yaml:2"));
  EXPECT_THAT(refusal_of("settings: []"), HasSubstr("1 to 32"));
  EXPECT_THAT(refusal_of("setings: []"), HasSubstr("settings"));
  EXPECT_THAT(refusal_of("settings:\n  - name: a\n"), HasSubstr("s.yaml:2: 'a' sets nothing"));
  EXPECT_THAT(refusal_of("settings:\n  - {name: a, server_options: []}"),
              HasSubstr("sets nothing"));
  EXPECT_THAT(refusal_of("settings:\n  - {name: a, server_options: [--datadir=/x]}"),
              HasSubstr("s.yaml:2"));
  EXPECT_THAT(refusal_of("settings:\n  - {name: a, server_options: [--xx]}\n  - {name: a, "
                         "server_options: [--yy]}"),
              HasSubstr("s.yaml:3"));
  EXPECT_THAT(refusal_of("settings:\n  - {name: a, engines: [x], server_options: [--xx]}"),
              HasSubstr("engine"));
  EXPECT_NE(refusal_of(""), "");
}

}  // namespace
}  // namespace esox
