// SPDX-License-Identifier: Apache-2.0
#include "harness/records/out_folder.h"

#include <gmock/gmock.h>

#include <fstream>
#include <sstream>

#include "base/process/private_directory.h"

namespace esox {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;
using testing::ThrowsMessage;

class OutFolder : public testing::Test {
 protected:
  static std::string read(const fs::path& path) {
    std::ifstream file(path);
    std::stringstream text;
    text << file.rdbuf();
    return text.str();
  }
  PrivateDirectory folder_{temporary_base()};
  fs::path out_ = folder_.path() / "out";
};

TEST_F(OutFolder, IsMadeWithItsParents) {
  make_out(out_ / "deep" / "er");
  EXPECT_TRUE(fs::is_directory(out_ / "deep" / "er" / "findings"));
}

TEST_F(OutFolder, MayBeAnEmptyFolder) {
  fs::create_directory(out_);
  EXPECT_NO_THROW(make_out(out_));
}

TEST_F(OutFolder, CheckingChangesNothing) {
  check_out(out_);
  EXPECT_FALSE(fs::exists(out_));
}

TEST_F(OutFolder, AnEarlierHuntIsNeverTouched) {
  make_out(out_);
  write_whole_file(out_ / "hunt.json", "{}");
  EXPECT_THAT([&] { make_out(out_); }, ThrowsMessage<OutError>(HasSubstr("earlier hunt")));
  EXPECT_EQ(read(out_ / "hunt.json"), "{}");
}

TEST_F(OutFolder, AFolderWithOtherThingsIsRefused) {
  fs::create_directory(out_);
  std::ofstream(out_ / "mine") << "x";
  EXPECT_THAT([&] { check_out(out_); }, ThrowsMessage<OutError>(HasSubstr("not empty")));
}

TEST_F(OutFolder, AFileIsRefused) {
  std::ofstream(out_) << "x";
  EXPECT_THAT([&] { check_out(out_); }, ThrowsMessage<OutError>(HasSubstr("not a folder")));
}

TEST_F(OutFolder, WhatCannotBeMadeIsToldByName) {
  std::ofstream(out_) << "x";
  EXPECT_THAT([&] { make_out(out_ / "below"); },
              ThrowsMessage<OutError>(HasSubstr((out_ / "below").string())));
}

TEST_F(OutFolder, FilesAreReplacedAsAWhole) {
  const fs::path file = folder_.path() / "f";
  write_whole_file(file, "one, longer");
  write_whole_file(file, "two");
  EXPECT_EQ(read(file), "two");
}

TEST_F(OutFolder, AFileThatCannotBeWrittenLeavesNothingBehind) {
  const fs::path file = folder_.path() / "taken";
  fs::create_directories(file / "by a folder");
  EXPECT_THROW(write_whole_file(file, "text"), OutError);
  EXPECT_FALSE(fs::exists(file.string() + ".new"));
  EXPECT_THROW(write_whole_file(folder_.path() / "no" / "where", "text"), OutError);
}

}  // namespace
}  // namespace esox
