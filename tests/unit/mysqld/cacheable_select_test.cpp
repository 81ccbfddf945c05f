// SPDX-License-Identifier: Apache-2.0
#include "targets/mysqld/state/cacheable_select.h"

#include <gtest/gtest.h>

namespace esox {
namespace {

TEST(IsPlainSelect, WhatTheQueryCacheHolds) {
  for (const char* text : {
           "SELECT a FROM t1",
           "  select a from t1 order by a",
           "/* c */ SELECT a FROM t1",
           "-- c\nSELECT a FROM t1",
           "SELECT (SELECT MAX(a) FROM t1)",
           "SELECT a FROM t1 UNION SELECT b FROM t1",
           "SELECT SQL_CACHE a FROM t1",
           "SELECT ' INTO ' FROM t1",
           "SELECT a AS `into` FROM t1",
           "SELECT t1.now, t1.into FROM t1",
           "SELECT user, database FROM t1",
           "SELECT 'a@b' FROM t1",
           "SELECT a FROM t1 WHERE a <> ';b'; /* done; */",
       }) {
    EXPECT_TRUE(is_plain_select(text)) << text;
  }
}

TEST(IsPlainSelect, WhatItDoesNotHold) {
  for (const char* text : {
           "",
           "SELECT",
           "SELECT 1",
           "SELECT SQL_NO_CACHE a FROM t1",
           "SELECT /*! SQL_NO_CACHE */ a FROM t1",
           "SELECT a FROM t1 FOR UPDATE",
           "SELECT a FROM t1 FOR /* x */ UPDATE",
           "SELECT a FROM t1 LOCK IN SHARE MODE",
           "SELECT a INTO @x FROM t1",
           "SELECT a FROM t1 INTO OUTFILE 'x'",
           "SELECT @x FROM t1",
           "SELECT @@server_id FROM t1",
           "SELECT NOW() FROM t1",
           "SELECT a FROM t1 WHERE d < CURRENT_DATE",
           "SELECT SLEEP (1) FROM t1",
           "SELECT NEXT VALUE FOR s1 FROM t1",
           "SELECT NEXTVAL(s1) FROM t1",
           "SELECT * FROM information_schema.TABLES",
           "SELECT * FROM mysql.user",
           "INSERT INTO t1 SELECT a FROM t1",
           "EXPLAIN SELECT a FROM t1",
           "SHOW TABLES",
           "SELECTED FROM t1",
           "SELECT a FROM t1; DELETE FROM t1",
           "SELECT a FROM t1 /* ; */ ; /*! DELETE */ FROM t1",
       }) {
    EXPECT_FALSE(is_plain_select(text)) << text;
  }
}

}  // namespace
}  // namespace esox
