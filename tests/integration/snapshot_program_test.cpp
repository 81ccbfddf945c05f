// SPDX-License-Identifier: Apache-2.0
// Snapshots of a small program: its children are right, however many there are.
#include <gtest/gtest.h>

#include "harness/snapshot/hot_pages.h"
#include "tests/integration/snapshot_fixture.h"

namespace esox {
namespace {

constexpr int kObserved = 3;  // the child whose memory is looked at

class SnapshotProgramTest : public SnapshotProgramFixture {
 protected:
  void give_equal_children(int count) {
    for (int i = 0; i < count; ++i) {
      Child child = fork();
      ASSERT_EQ(ask(child.client.get(), "check"), "ok") << i << ": " << template_->last_words();
      if (i == kObserved) template_->add_hot_pages(own_pages(child.process->pid()));
      child.process->kill();
      copy_->become({folder_.path(), {}});
    }
  }
};

TEST_F(SnapshotProgramTest, AChildHasEverythingThatItsTemplateHeldAndWaitedFor) {
  park();
  Child child = fork();
  EXPECT_EQ(ask(child.client.get(), "check"), "ok");
}

TEST_F(SnapshotProgramTest, OneTemplateGivesAHundredEqualChildren) {
  park();
  give_equal_children(100);
}

TEST_F(SnapshotProgramTest, SoakOneTemplateGivesAThousandEqualChildren) {
  park();
  give_equal_children(1000);
}

// With all its threads at work, and no time between one's end and the next one's birth.
TEST_F(SnapshotProgramTest, TheThreadIdsOfAKilledChildAreFreeForTheNext) {
  park();
  for (int i = 0; i < 500; ++i) {
    Child child = fork();
    ASSERT_EQ(ask(child.client.get(), "fd"), std::to_string(server_fd_))
        << i << ": " << template_->last_words();
    child.process->kill();
  }
}

TEST_F(SnapshotProgramTest, WhatAChildHasWrittenToIsKnown) {
  park();
  Child child = fork();
  const auto pages = [&] {
    uint64_t bytes = 0;
    for (const PageRun& run : own_pages(child.process->pid())) bytes += run.bytes;
    return bytes;
  };
  ASSERT_EQ(ask(child.client.get(), "fd"), std::to_string(server_fd_));
  const uint64_t before = pages();
  EXPECT_GT(before, 0u);
  ASSERT_EQ(ask(child.client.get(), "check"), "ok");
  EXPECT_GT(pages(), before + (uint64_t{256} << 10));  // it fills half a MiB
}

TEST_F(SnapshotProgramTest, NewConnectionsWorkInAChild) {
  park();
  Child child = fork();
  EXPECT_EQ(ask(child.client.get(), "fd"), std::to_string(server_fd_));
  const UniqueFd second =
      connect_to(fmt::format("/proc/self/fd/{}/0/socket", enclosure_.store_fd()));
  ASSERT_TRUE(second);
  EXPECT_NE(ask(second.get(), "fd"), std::to_string(server_fd_));
}

TEST_F(SnapshotProgramTest, AParkedProcessCanGoOnItself) {
  park();
  template_->resume();
  EXPECT_EQ(ask(client_.get(), "check"), "ok");
}

}  // namespace
}  // namespace esox
