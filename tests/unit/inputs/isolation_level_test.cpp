// SPDX-License-Identifier: Apache-2.0
#include "inputs/isolation_level.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/text/input_error.h"
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

TEST(IsolationLevel, IsNoneOfAServerWithoutTransactions) {
  EXPECT_THAT(isolation_level_complaint("serializable", plain_language()),
              HasSubstr("leave it out"));
  EXPECT_EQ(isolation_level_complaint("", plain_language()), "");
}

}  // namespace
}  // namespace esox
