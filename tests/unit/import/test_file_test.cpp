// SPDX-License-Identifier: Apache-2.0
// Which tests of a suite are captured, told by their files.
#include "targets/sql/import/test_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace esox {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::Optional;

TEST(TestFile, PlainStatementsAreCaptured) {
  EXPECT_EQ(reason_not_to_capture("--disable_warnings\ncreate table t1 (a int);\nexecute stmt1;\n"
                                  "source include/have_innodb.inc;\n# exec in a comment\n"),
            "");
}

TEST(TestFile, WhatAnInputCannotDoIsToldByReason) {
  EXPECT_EQ(reason_not_to_capture("--exec $MYSQL test\n"), "runs programs");
  EXPECT_EQ(reason_not_to_capture("  copy_file a b;\n"), "works on files");
  EXPECT_EQ(reason_not_to_capture("--source include/restart_mysqld.inc\n"), "restarts the server");
  EXPECT_EQ(reason_not_to_capture("source include/master-slave.inc;"), "replicates");
  EXPECT_EQ(reason_not_to_capture("-- source include/have_debug.inc\r\n"), "needs a debug build");
}

TEST(TestFile, OptionsThatOurServersMayHaveAreKept) {
  EXPECT_THAT(options_of_test("--loose-innodb --sort_buffer_size=32M\n"),
              Optional(ElementsAre("--loose-innodb", "--sort_buffer_size=32M")));
  EXPECT_THAT(options_of_test("--initialize --innodb_page_size=16k"),
              Optional(ElementsAre("--innodb_page_size=16k")));
  EXPECT_THAT(options_of_test(""), Optional(IsEmpty()));
}

TEST(TestFile, OptionsWithPathsOrLogsAreRefused) {
  EXPECT_EQ(options_of_test("--secure-file-priv=$MYSQLTEST_VARDIR"), std::nullopt);
  EXPECT_EQ(options_of_test("--tmpdir=/tmp"), std::nullopt);
  EXPECT_EQ(options_of_test("--log-bin"), std::nullopt);
  EXPECT_EQ(options_of_test("nonsense"), std::nullopt);
}

TEST(TestFile, AnyBytesAreRead) {
  EXPECT_EQ(reason_not_to_capture(std::string("\0\xff--\n--source", 13)), "");
  EXPECT_EQ(options_of_test(std::string("\0", 1)), std::nullopt);
}

}  // namespace
}  // namespace esox
