// SPDX-License-Identifier: Apache-2.0
// --json[=FILE]: what is its value, and where a report goes.
#include "harness/commands/json_option.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <CLI/CLI.hpp>
#include <fstream>
#include <iterator>

#include "base/process/private_directory.h"
#include "harness/records/out_folder.h"

namespace esox {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using Words = std::vector<std::string>;

TEST(JsonValue, IsTheStandardOutputUnlessAFileIsNamed) {
  EXPECT_THAT(with_json_values({"doctor", "--json"}), ElementsAre("doctor", "--json=-"));
  EXPECT_THAT(with_json_values({"doctor", "--json", "-"}), ElementsAre("doctor", "--json=-"));
  EXPECT_THAT(with_json_values({"doctor", "--json", "a.json"}),
              ElementsAre("doctor", "--json=a.json"));
  EXPECT_THAT(with_json_values({"doctor", "--json=a"}), ElementsAre("doctor", "--json=a"));
}

TEST(JsonValue, IsNeverAnOptionNorAnOperandNorWhatFollowsDashes) {
  EXPECT_THAT(with_json_values({"hunt", "--json", "mine.yaml"}),
              ElementsAre("hunt", "--json=-", "mine.yaml"));
  EXPECT_THAT(with_json_values({"hunt", "--json", "--out", "x.json"}),
              ElementsAre("hunt", "--json=-", "--out", "x.json"));
  EXPECT_THAT(with_json_values({"exec", "--json", "--", "prog"}),
              ElementsAre("exec", "--json=-", "--", "prog"));
  EXPECT_THAT(with_json_values({"exec", "--", "prog", "--json", "a.json"}),
              ElementsAre("exec", "--", "prog", "--json", "a.json"));
  EXPECT_THAT(with_json_values({"exec", "--json", "a.json", "--seed", "", "--", "prog"}),
              ElementsAre("exec", "--json=a.json", "--seed", "", "--", "prog"));
}

TEST(JsonValue, IsAnyNameWhereOnlyAProgramFollows) {
  EXPECT_THAT(with_json_values({"exec", "--json", "report", "--", "prog"}),
              ElementsAre("exec", "--json=report", "--", "prog"));
}

class JsonReport : public testing::Test {
 protected:
  // What the command line makes of it.
  JsonOption parsed(Words words) {
    Command root;
    JsonOption option;
    add_json_option(root, option);
    root.app().parse(std::move(words));
    return option;
  }
  fs::path file() const { return folder_.path() / "report.json"; }
  std::string written() const {
    std::ifstream stream(file());
    return {std::istreambuf_iterator<char>(stream), {}};
  }

  PrivateDirectory folder_{temporary_base()};
};

TEST_F(JsonReport, GoesWhereItIsAskedFor) {
  EXPECT_EQ(parsed({}).where, "");
  EXPECT_TRUE(parsed({"--json"}).on_stdout());
  EXPECT_EQ(parsed({"--json=" + file().string()}).where, file());
}

TEST_F(JsonReport, IntoAFileStandsBesideTheText) {
  testing::internal::CaptureStdout();
  put_report({file().string()}, "text\n", "{}\n");
  EXPECT_EQ(testing::internal::GetCapturedStdout(), "text\n");
  EXPECT_EQ(written(), "{}\n");
}

TEST_F(JsonReport, OnTheStandardOutputTakesThePlaceOfTheText) {
  testing::internal::CaptureStdout();
  put_report({"-"}, "text\n", "{}\n");
  put_report({}, "text\n", "{}\n");
  EXPECT_EQ(testing::internal::GetCapturedStdout(), "{}\ntext\n");
}

TEST_F(JsonReport, IsRefusedAtOnceWhereItCannotBeWritten) {
  EXPECT_THROW(parsed({"--json=" + (folder_.path() / "none/report.json").string()}),
               CLI::ValidationError);
  EXPECT_THROW(parsed({"--json=" + folder_.path().string()}), CLI::ValidationError);
  EXPECT_THROW(parsed({"--json=/dev/null"}), CLI::ValidationError);
}

TEST_F(JsonReport, ReplacesWhatIsNoText) {
  EXPECT_EQ(json_text({{"a", "\xff"}}), "{\n  \"a\": \"\xEF\xBF\xBD\"\n}\n");
}

}  // namespace
}  // namespace esox
