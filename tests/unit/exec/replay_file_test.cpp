// SPDX-License-Identifier: Apache-2.0
// The record of a failing schedule comes back as it was written, and whatever is no such record is
// refused in one line.
#include "harness/programs/replay_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "base/process/private_directory.h"
#include "base/text/input_error.h"

namespace esox {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;
using Json = nlohmann::json;

ReplayFile example() {
  ReplayFile file;
  file.target.program = "/bin/some program";
  file.target.arguments = {"--fast", "two words", ""};
  file.target.environment = {"MODE=debug"};
  file.target.folder = "/tmp";
  file.target.fork_at_start = true;
  file.target.control.release_point_odds = 1;
  file.target.control.step_limit = 777;
  file.target.virtual_limit = std::chrono::seconds(60);
  file.program_digest = "0123456789abcdef";
  file.esox_version = "1.2.3";
  file.c_library = "glibc 2.36";
  file.failure = {FailureClass::kExitStatus, "42 after: so it is", "42"};
  file.record.number = 17;
  file.record.seed = UINT64_MAX;
  file.record.strategy = "pct:d=3";
  file.record.choices = {{0, 1, 0}, {5, 2, 0}, {9, 0, 0}};
  file.record.values = {1, 0, UINT64_MAX};
  file.limit = std::chrono::seconds(3);
  return file;
}

class ReplayFileTest : public testing::Test {
 protected:
  std::filesystem::path write(const std::string& text) {
    const std::filesystem::path path = folder_.path() / "failure.json";
    std::ofstream(path, std::ios::binary) << text;
    return path;
  }

  void expect_refused(const std::string& text, const std::string& why) {
    EXPECT_THAT([&] { read_replay_file(write(text)); },
                testing::ThrowsMessage<ReplayFileError>(
                    AllOf(HasSubstr("failure.json: "), HasSubstr(why), Not(HasSubstr("\n")))))
        << text.substr(0, 200);
  }

  // The example with one value changed.
  void expect_refused_with(const char* key, const Json& value, const std::string& why) {
    Json json = Json::parse(replay_file_text(example()));
    json[key] = value;
    expect_refused(json.dump(), why);
  }

  PrivateDirectory folder_{temporary_base()};
};

TEST_F(ReplayFileTest, ComesBackAsItWasWritten) {
  const ReplayFile wanted = example();
  const ReplayFile got = read_replay_file(write(replay_file_text(wanted)));
  EXPECT_EQ(got.target.program, wanted.target.program);
  EXPECT_EQ(got.target.arguments, wanted.target.arguments);
  EXPECT_EQ(got.target.environment, wanted.target.environment);
  EXPECT_EQ(got.target.folder, wanted.target.folder);
  EXPECT_EQ(got.target.fork_at_start, wanted.target.fork_at_start);
  EXPECT_EQ(got.target.control.step_limit, wanted.target.control.step_limit);
  EXPECT_EQ(got.target.control.release_point_odds, wanted.target.control.release_point_odds);
  EXPECT_EQ(got.target.virtual_limit, wanted.target.virtual_limit);
  EXPECT_EQ(got.failure.kind, wanted.failure.kind);
  EXPECT_EQ(got.failure.key, wanted.failure.key);
  EXPECT_EQ(got.record.seed, wanted.record.seed);
  EXPECT_EQ(got.record.values, wanted.record.values);
  ASSERT_EQ(got.record.choices.size(), wanted.record.choices.size());
  EXPECT_EQ(got.record.choices[1].point, 5u);
  EXPECT_EQ(got.record.choices[1].thread, 2u);
  EXPECT_EQ(got.limit, wanted.limit);
  EXPECT_EQ(replay_file_text(got), replay_file_text(wanted));
}

TEST_F(ReplayFileTest, IsRefusedIfItIsNone) {
  expect_refused("", "is not JSON");
  expect_refused("[]", "is not JSON");
  expect_refused("{}", "not the record of a failure");
  expect_refused_with("kind", "a hunt", "not the record of a failure");
  expect_refused_with("kind", 7, "not the record of a failure");
  expect_refused_with("format", 99, "another format");
  expect_refused_with("format", "first", "another format");
  EXPECT_THAT([&] { read_replay_file(folder_.path() / "none"); }, testing::Throws<InputError>());
  EXPECT_THAT([&] { read_replay_file(folder_.path()); }, testing::Throws<InputError>());
}

TEST_F(ReplayFileTest, IsRefusedIfAValueMakesNoSense) {
  expect_refused_with("choices", "none", "makes no sense");
  expect_refused_with("choices", Json::parse("[[1, 2, 3]]"), "a choice is not a pair");
  expect_refused_with("choices", Json::parse(R"([["x", 0]])"), "makes no sense");
  expect_refused_with("seed", "seven", "makes no sense");
  expect_refused_with("failure", Json::parse(R"({"class": "boredom"})"), "class of failure");
  expect_refused_with("control", Json::parse(R"({"no_such_setting": "1"})"), "does not know");
  expect_refused_with("arguments", 7, "makes no sense");
}

// Whatever a file was cut off at, nothing but the one error comes.
TEST_F(ReplayFileTest, IsRefusedWhereverItIsCutOff) {
  const std::string whole = replay_file_text(example());
  const size_t last = whole.rfind('}');
  for (size_t size = 0; size <= last; size += 7)
    expect_refused(whole.substr(0, size), "is not JSON");
}

}  // namespace
}  // namespace esox
