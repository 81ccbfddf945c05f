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

TEST(Settings, TellWhatIsWrongAndWhere) {
  EXPECT_THAT(refusal_of("settings: []"), HasSubstr("1 to 32"));
  EXPECT_THAT(refusal_of("setings: []"), HasSubstr("settings"));
  EXPECT_THAT(refusal_of("settings:\n  - name: a\n"), HasSubstr("server_options"));
  EXPECT_THAT(refusal_of("settings:\n  - {name: a, server_options: []}"), HasSubstr("empty"));
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
