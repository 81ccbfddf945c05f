// SPDX-License-Identifier: Apache-2.0
// Memory that a program maps shared: of a file of its own each child has a copy to itself; all else
// is refused.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "harness/engine/snapshot/refused.h"
#include "tests/integration/snapshot_fixture.h"

namespace esox {
namespace {

using testing::HasSubstr;

constexpr const char* kFile = "mapped";

class SnapshotSharedFilesTest : public SnapshotProgramFixture {
 protected:
  void share(const std::string& what) {
    ASSERT_EQ(ask(client_.get(), "share " + what), "done");
    ASSERT_EQ(ask(client_.get(), "shared"), "template");
  }

  static std::string text_of(const std::filesystem::path& file) {
    std::string text;
    std::getline(std::ifstream(file), text, '\0');
    return text;
  }

  void expect_refusal(const std::string& what, const std::string& named) {
    share(what);
    try {
      park();
      ADD_FAILURE() << "not refused";
    } catch (const SnapshotRefused& refused) {
      EXPECT_THAT(refused.what(), HasSubstr("shares writable memory"));
      EXPECT_THAT(refused.what(), HasSubstr(named));
    }
  }
};

TEST_F(SnapshotSharedFilesTest, WhatAChildWritesReachesNeitherTheFileNorAnybodyElse) {
  share(kFile);
  park();
  {
    Child child = fork();
    EXPECT_EQ(ask(child.client.get(), "shared"), "template") << template_->last_words();
    EXPECT_EQ(ask(child.client.get(), "change"), "changed");
    EXPECT_EQ(text_of(fmt::format("/proc/self/fd/{}/0/{}", enclosure_.store_fd(), kFile)),
              "template")
        << "the child's own copy";
    child.process->kill();
  }
  EXPECT_EQ(text_of(folder_.path() / kFile), "template");
  copy_->become({folder_.path(), {}});
  Child next = fork();
  EXPECT_EQ(ask(next.client.get(), "shared"), "template");
  EXPECT_EQ(ask(next.client.get(), "check"), "ok");
}

TEST_F(SnapshotSharedFilesTest, APageThatNobodyWroteDoesNotFollowTheFile) {
  share(kFile);
  park();
  std::ofstream(folder_.path() / kFile, std::ios::in | std::ios::out) << "another";
  ASSERT_EQ(text_of(folder_.path() / kFile).substr(0, 7), "another");
  Child child = fork();
  EXPECT_EQ(ask(child.client.get(), "shared"), "template");
}

TEST_F(SnapshotSharedFilesTest, ARewoundChildHasWhatItsTemplateHad) {
  share(kFile);
  park();
  Child child = fork_rewindable();
  ASSERT_EQ(ask(child.client.get(), "change"), "changed");
  ASSERT_EQ(rewind(child), "");
  EXPECT_EQ(ask(child.client.get(), "shared"), "template");
}

TEST_F(SnapshotSharedFilesTest, MemoryThatIsNoFilesIsRefused) {
  expect_refusal("anonymous", "/dev/zero");
}

TEST_F(SnapshotSharedFilesTest, AMemoryFileIsRefused) {
  expect_refusal("memfd", "/memfd:shared");
}

TEST_F(SnapshotSharedFilesTest, AFileOutsideItsFolderIsRefused) {
  const PrivateDirectory outside(temporary_base());
  expect_refusal(outside.path() / kFile, kFile);
}

TEST_F(SnapshotSharedFilesTest, AFileThatIsDeletedIsRefusedAndTheProgramCanGoOn) {
  expect_refusal("deleted", "(deleted)");
  template_->resume();
  EXPECT_EQ(ask(client_.get(), "shared"), "template");
  EXPECT_EQ(ask(client_.get(), "check"), "ok");
}

}  // namespace
}  // namespace esox
