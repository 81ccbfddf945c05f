// SPDX-License-Identifier: Apache-2.0
// Snapshots of a small program: its children are right, however many there are.
#include <gtest/gtest.h>

#include "tests/integration/snapshot_fixture.h"

namespace esox {
namespace {

class SnapshotProgramTest : public SnapshotProgramFixture {
 protected:
  void give_equal_children(int count) {
    for (int i = 0; i < count; ++i) {
      Child child = fork();
      ASSERT_EQ(ask(child.client.get(), "check"), "ok") << i << ": " << template_->last_words();
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
