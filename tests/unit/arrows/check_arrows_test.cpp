// SPDX-License-Identifier: Apache-2.0
// scripts/check-arrows on a small tree, sound and with one fault at a time.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/wait.h>

#include <array>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <string>

namespace esox {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

class CheckArrows : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = ::testing::TempDir() + "/esox-arrows-XXXXXX";
    ASSERT_NE(::mkdtemp(pattern.data()), nullptr);
    root_ = pattern;
    file("docs/rooms.txt",
         "# Text with a colon: none of these words is a room.\n"
         "base/text:\n"
         "base: base/text\n"
         "oracle: base/text\n"
         "tool: oracle base\n"
         "tool/list: tool\n"
         "pure: oracle base/text\n"
         "io: <fstream> <sys/*> base/files.h\n");
    file("base/text/words.h", "#include <string>\n");
    file("base/files.h", "#include <fstream>\n#include \"base/text/words.h\"\n");
    file("oracle/judge.h", "#include \"base/text/words.h\"\n");
    file("oracle/judge.cpp", "#include \"oracle/judge.h\"\n\n#include <vector>\n");
    file("tool/main.cpp", "  #  include \"oracle/judge.h\"\n#include \"base/files.h\"\n");
    file("tool/part/part.h", "#include \"oracle/judge.h\"\n");
    file("tool/list.h", "#include \"tool/part/part.h\"\n");
  }
  void TearDown() override { std::filesystem::remove_all(root_); }

  void file(const std::string& path, const std::string& text) {
    std::filesystem::create_directories((root_ / path).parent_path());
    std::ofstream(root_ / path) << text;
  }

  // What it prints; `status` is how it ends.
  std::string check(int& status) { return checked(root_.string(), status); }

  static std::string checked(const std::string& root, int& status) {
    const std::string command = std::string(ESOX_CHECK_ARROWS) + " '" + root + "' 2>&1";
    FILE* pipe = ::popen(command.c_str(), "r");
    std::string told;
    std::array<char, 4096> part;
    while (const size_t got = std::fread(part.data(), 1, part.size(), pipe)) {
      told.append(part.data(), got);
    }
    const int ended = ::pclose(pipe);
    status = WIFEXITED(ended) ? WEXITSTATUS(ended) : -1;
    return told;
  }

  std::string fault() {
    int status = 0;
    const std::string told = check(status);
    EXPECT_EQ(status, 1);
    return told;
  }

  std::filesystem::path root_;
};

TEST_F(CheckArrows, ASoundTreeIsSilent) {
  int status = -1;
  EXPECT_EQ(check(status), "");
  EXPECT_EQ(status, 0);
}

TEST_F(CheckArrows, AnArrowUpwardsIsToldWithFileAndInclude) {
  file("base/text/words.h", "#include \"tool/part/part.h\"\n");
  EXPECT_THAT(fault(), HasSubstr("base/text/words.h includes tool/part/part.h: base/text must not "
                                 "include tool\n"));
}

TEST_F(CheckArrows, AnArrowThatTheTableLacksIsTold) {
  file("oracle/log.cpp", "#include \"base/process.h\"\n");
  EXPECT_THAT(fault(), HasSubstr("oracle/log.cpp includes base/process.h: oracle must not include "
                                 "base\n"));
}

TEST_F(CheckArrows, AHeaderMayBeARoomOfItsOwn) {
  file("tool/part/part.h", "#include \"tool/list.h\"\n");
  EXPECT_THAT(fault(), HasSubstr("tool/part/part.h includes tool/list.h: tool must not include "
                                 "tool/list\n"));
}

TEST_F(CheckArrows, AFileInNoRoomIsTold) {
  file("docs/rooms.txt", "oracle/deep:\n");
  EXPECT_THAT(fault(), HasSubstr("oracle/judge.h is in no room of docs/rooms.txt"));
}

TEST_F(CheckArrows, ARoomThatIsNotAboveInTheTableIsTold) {
  file("docs/rooms.txt", "tool: oracle base\noracle: base\nbase:\n");
  EXPECT_THAT(fault(), HasSubstr("tool may include oracle, which is no room above it"));
}

TEST_F(CheckArrows, ACircleOfFilesIsToldHeaderAndSourceBeingOne) {
  file("tool/a.h", "");
  file("tool/a.cpp", "#include \"tool/a.h\"\n#include \"tool/b.h\"\n");
  file("tool/b.h", "#include \"tool/a.h\"\n");
  EXPECT_THAT(fault(),
              AllOf(HasSubstr("a circle of files:"), HasSubstr("tool/a.cpp includes tool/b.h"),
                    HasSubstr("tool/b.h includes tool/a.h"), Not(HasSubstr("folders"))));
}

TEST_F(CheckArrows, ACircleOfFoldersIsToldWhereNoFilesMakeOne) {
  file("tool/part/more.h", "#include \"tool/plain.h\"\n");
  file("tool/plain.h", "");
  file("tool/user.h", "#include \"tool/part/part.h\"\n");
  EXPECT_THAT(
      fault(),
      AllOf(HasSubstr("a circle of folders:"), HasSubstr("tool/part/more.h includes tool/plain.h"),
            HasSubstr("tool/user.h includes tool/part/part.h"), Not(HasSubstr("circle of files"))));
}

TEST_F(CheckArrows, AHeaderForInputAndOutputInARoomWithoutIsTold) {
  file("oracle/judge.cpp", "#include <sys/mman.h>\n");
  EXPECT_THAT(fault(), HasSubstr("oracle/judge.cpp includes <sys/mman.h>: oracle does no I/O"));
  file("oracle/judge.cpp", "#include \"base/files.h\"\n");
  EXPECT_THAT(fault(), HasSubstr("oracle/judge.cpp includes base/files.h: oracle does no I/O"));
}

TEST_F(CheckArrows, TwoTypesOfOneNameAreToldButNotThoseOfTwoNamespaces) {
  file("oracle/one.h", "namespace esox {\nstruct One final {\n};\n}\n");
  file("tool/one.h", "namespace esox::tool {\nclass One {\n};\n}\n");
  int status = -1;
  EXPECT_EQ(check(status), "");
  file("tool/two.h", "namespace esox {\nclass One : public Two {\n};\n}\n");
  EXPECT_THAT(fault(), HasSubstr("tool/two.h and oracle/one.h name a type esox::One"));
}

TEST_F(CheckArrows, ATreeWithoutItsTableOrWithoutIncludesIsNoSoundOne) {
  std::filesystem::remove_all(root_ / "tool");
  std::filesystem::remove_all(root_ / "oracle");
  std::filesystem::remove_all(root_ / "base");
  int status = 0;
  check(status);
  EXPECT_EQ(status, 2);
  std::filesystem::remove_all(root_ / "docs");
  EXPECT_THAT(check(status), HasSubstr("docs/rooms.txt cannot be read"));
  EXPECT_EQ(status, 2);
}

TEST_F(CheckArrows, EsoxItselfIsSound) {
  int status = -1;
  EXPECT_EQ(checked(ESOX_SOURCES, status), "");
  EXPECT_EQ(status, 0);
}

}  // namespace
}  // namespace esox
