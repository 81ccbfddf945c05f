// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "inputs/input.h"
#include "targets/mariadb/language.h"

namespace esox {
namespace {

std::string engine_of(const std::vector<std::string>& setup, const std::string& request = "",
                      const std::string& option = "") {
  Input input;
  input.language = &mariadb_language();
  input.setup = setup;
  input.clients.resize(1);
  if (!request.empty()) input.clients[0].requests.push_back({request, false});
  std::vector<std::string> options;
  if (!option.empty()) options.push_back(option);
  return input.language->named_engine(input, options);
}

TEST(NamedEngine, IsTheOneOfAllTables) {
  EXPECT_EQ(engine_of({"CREATE TABLE t1 (a INT) ENGINE=MyISAM"}), "MyISAM");
  EXPECT_EQ(engine_of({"create or replace table t1 (a int) engine = 'aria'",
                       "CREATE TABLE t2 (a INT) ENGINE Aria", "INSERT INTO t1 VALUES (1)"}),
            "Aria");
  EXPECT_EQ(engine_of({"CREATE TABLE t1 (a INT) ENGINE=MyISAM", "CREATE TABLE t2 LIKE t1"}),
            "MyISAM");
  EXPECT_EQ(engine_of({"CREATE TABLE t1 (a INT) ENGINE=spider"}), "spider");
}

TEST(NamedEngine, IsTheServersWhereNoneIsNamed) {
  EXPECT_EQ(engine_of({"CREATE TABLE t1 (a INT)"}), "InnoDB");
  EXPECT_EQ(engine_of({"CREATE TABLE t1 (a INT)"}, "", "--default-storage-engine=aria"), "Aria");
  EXPECT_EQ(engine_of({"CREATE TABLE t1 (a INT)"}, "", "--default_storage_engine=MyISAM"),
            "MyISAM");
}

TEST(NamedEngine, IsUnknownWhereThereAreSeveralOrNobodyCanSay) {
  EXPECT_EQ(engine_of({}), "");
  EXPECT_EQ(engine_of({"CREATE TABLE t1 (a INT) ENGINE=MyISAM", "CREATE TABLE t2 (a INT)"}), "");
  EXPECT_EQ(engine_of({"CREATE TABLE t1 (a INT) ENGINE=CSV"}, "ALTER TABLE t1 ENGINE=MyISAM"), "");
  for (const char* other :
       {"EXECUTE IMMEDIATE 'CREATE TABLE t2 (a INT)'", "CALL p()", "SET default_storage_engine=CSV",
        "SELECT 1; CREATE TABLE t2 (a INT) ENGINE=CSV", "CREATE TEMPORARY TABLE t2 (a INT)"}) {
    EXPECT_EQ(engine_of({"CREATE TABLE t1 (a INT) ENGINE=MyISAM"}, other), "") << other;
  }
}

}  // namespace
}  // namespace esox
