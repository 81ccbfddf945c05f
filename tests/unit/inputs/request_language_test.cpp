// SPDX-License-Identifier: Apache-2.0
// What is assumed of a server that says no more than its name; and the list of those there are.
#include "inputs/request_language.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/text/input_error.h"
#include "inputs/reader.h"
#include "inputs/writer.h"
#include "targets/mariadb/language.h"
#include "targets/memcached/language.h"
#include "tests/unit/servers.h"

namespace esox {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

class Lines final : public RequestLanguage {
 public:
  std::string_view server() const override { return "lines"; }
};

const Lines kLines;

TEST(PlainLanguage, TakesTheFirstWordForWhatARequestDoes) {
  EXPECT_EQ(kLines.kind("  set k 1"), "SET");
  EXPECT_EQ(kLines.kind(" \n"), "");
  EXPECT_THAT(kLines.names("set K v1"), ElementsAre("k", "v1"));
  EXPECT_EQ(kLines.trimmed("\t get k ;\n"), "get k ;");
  EXPECT_EQ(kLines.kind_complaint("SET"), "");
  EXPECT_THAT(kLines.kind_complaint("set"), HasSubstr("write 'SET'"));
  EXPECT_THAT(kLines.kind_complaint("SET k"), HasSubstr("write 'SET'"));
  EXPECT_NE(kLines.kind_complaint(""), "");
}

TEST(PlainLanguage, TakesARequestForOneStepThatLeavesNothingInItsSession) {
  EXPECT_TRUE(kLines.is_one_step("set k 1", {}));
  EXPECT_EQ(kLines.session_effect("begin"), SessionEffect::kNone);
  EXPECT_THAT(kLines.splittings(), IsEmpty());
  EXPECT_FALSE(kLines.is_mere_session_setting("set k 1")) << "the server may be busy after it";
}

TEST(PlainLanguage, TellsFormsApartByKindsAndByWhichNamesAreTheSame) {
  const auto shape = [](const char* a, const char* b) {
    Input input;
    input.clients = {{"A", {}, {{a, false}}}, {"B", {}, {{b, false}}}};
    return kLines.shape(input);
  };
  EXPECT_EQ(shape("set k 1", "get k"), shape("set j 2", "get j"));
  EXPECT_NE(shape("set k 1", "get k"), shape("set k 1", "get j"));
  EXPECT_NE(shape("set k 1", "get k"), shape("add k 1", "get k"));
}

TEST(PlainLanguage, IsEnoughToReadAnInputAndWriteItBack) {
  const std::string yaml =
      "id: a\nserver: lines\nsetup: [set k 1]\nclients:\n  - requests: [get k, set k 2]\n";
  const Input input = parse_inputs(yaml, "a.yaml", {&kLines}).at(0);
  EXPECT_EQ(input.server(), "lines");
  EXPECT_TRUE(input.clients[0].requests[0].ordered);
  Input again = parse_inputs(to_yaml(input), "a.yaml", {&mariadb_language(), &kLines}).at(0);
  again.origin = input.origin;
  EXPECT_EQ(again, input);
  EXPECT_THROW(
      parse_inputs("id: a\nclients: [{requests: [\"get k\\nget j\"]}]\n", "a.yaml", {&kLines}),
      InputError);
  EXPECT_THROW(
      parse_inputs("id: a\nsummary: all\nclients: [{requests: [get k]}]\n", "a.yaml", {&kLines}),
      InputError);
}

TEST(Languages, TheFirstIsMeantWhereNoneIsNamedAndAnUnknownOneIsRefused) {
  EXPECT_EQ(
      parse_inputs("id: a\nclients: [{requests: [get k]}]\n", "a.yaml", {&kLines}).at(0).server(),
      "lines");
  EXPECT_EQ(&language_of(languages(), "memcached"), &memcached_language());
  try {
    language_of(languages(), "memcachd", "a.yaml", 3);
    FAIL();
  } catch (const InputError& error) {
    EXPECT_STREQ(error.what(), "a.yaml:3: unknown server 'memcachd'; did you mean 'memcached'?");
  }
}

}  // namespace
}  // namespace esox
