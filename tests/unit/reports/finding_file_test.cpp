// SPDX-License-Identifier: Apache-2.0
#include "harness/records/finding_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>
#include <functional>

#include "tests/unit/reports/hunts.h"

namespace esox {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

class FindingFile : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = ::testing::TempDir() + "/esox-finding-XXXXXX";
    ASSERT_NE(::mkdtemp(pattern.data()), nullptr);
    folder_ = pattern;
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  static std::string error(const std::function<void()>& action) {
    try {
      action();
    } catch (const FindingError& e) {
      return e.what();
    }
    return "(no error)";
  }

  std::filesystem::path folder_;
};

TEST_F(FindingFile, IsWrittenAndReadAndLeavesNothingBesideIt) {
  write_finding(some_finding(), folder_ / "finding.yaml");
  write_finding(some_finding(), folder_ / "finding.yaml");  // replaces
  EXPECT_EQ(read_finding(folder_ / "finding.yaml").id, some_finding().id);
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder_), {}), 1);
}

TEST_F(FindingFile, ThatCannotBeWrittenSaysWhyAndLeavesTheOldOne) {
  EXPECT_THAT(error([&] { write_finding(some_finding(), folder_ / "none" / "finding.yaml"); }),
              AllOf(HasSubstr("none/finding.yaml"), HasSubstr("No such file or directory"),
                    HasSubstr("make room")));
  std::filesystem::create_directories(folder_ / "finding.yaml" / "x");  // rename must fail
  EXPECT_THAT(error([&] { write_finding(some_finding(), folder_ / "finding.yaml"); }),
              AllOf(HasSubstr("cannot write"), HasSubstr("finding.yaml: Is a directory")));
  EXPECT_FALSE(std::filesystem::exists(folder_ / "finding.yaml.new"));
}

TEST_F(FindingFile, ThatIsNotThereOrAFolderSaysWhatToGive) {
  EXPECT_THAT(error([&] { read_finding(folder_ / "nothing.yaml"); }),
              AllOf(HasSubstr("nothing.yaml: cannot read the finding: No such file"),
                    HasSubstr("give the path of a finding.yaml")));
  EXPECT_THAT(error([&] { read_finding(folder_); }), HasSubstr("cannot read the finding"));
}

}  // namespace
}  // namespace esox
