// SPDX-License-Identifier: Apache-2.0
// Which databases an input's statements make.
#include "targets/sql/made_databases.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace esox {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

std::set<std::string> made_by(const std::string& request) {
  Input one;
  one.clients = {InputClient{"A", {}, {{request, false}}}};
  return made_databases(one);
}

TEST(MadeDatabases, AreThoseOfAnyStatementInItsManyWords) {
  for (const char* text :
       {"CREATE DATABASE d1", "create schema if not exists d1", "CREATE OR REPLACE DATABASE `d1`",
        "CREATE DATABASE d1 CHARACTER SET utf8mb4", "/*!50000 CREATE DATABASE d1 */",
        "CREATE PROCEDURE p() BEGIN CREATE DATABASE d1; END"}) {
    EXPECT_THAT(made_by(text), ElementsAre("d1")) << text;
  }
}

TEST(MadeDatabases, AreNotThoseThatAreOnlyNamed) {
  for (const char* text :
       {"DROP DATABASE d1", "USE d1", "SHOW CREATE DATABASE d1", "ALTER DATABASE d1 COMMENT 'x'",
        "SELECT 'CREATE DATABASE d1'", "CREATE DATABASE test",
        "CREATE DATABASE IF NOT EXISTS mysql", "CREATE DATABASE", "CREATE DATABASE IF NOT EXISTS",
        "CREATE TABLE schema_ (a INT)"}) {
    EXPECT_THAT(made_by(text), IsEmpty()) << text;
  }
}

TEST(MadeDatabases, AreThoseOfTheSetupAndOfSessionsToo) {
  Input one;
  one.setup = {"CREATE DATABASE d2"};
  one.clients = {InputClient{"A", {"CREATE DATABASE d1"}, {}}};
  EXPECT_THAT(made_databases(one), ElementsAre("d1", "d2"));
}

}  // namespace
}  // namespace esox
