// SPDX-License-Identifier: Apache-2.0
// Every step of a snapshot fails once: it is said in words, nothing is left behind, and what can go
// on does.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/syscall.h>

#include <fstream>
#include <functional>

#include "harness/engine/snapshot/refused.h"
#include "tests/integration/descriptor_limit.h"
#include "tests/integration/snapshot_fixture.h"

namespace esox {
namespace {

using testing::HasSubstr;
using namespace std::chrono_literals;

constexpr auto kLimit = 20s;

std::string refusal_of(const std::function<void()>& action) {
  try {
    action();
  } catch (const SnapshotRefused& refused) {
    return refused.what();
  }
  return "(not refused)";
}

void die(const SnapshotProcess& process) {
  ASSERT_GE(process.pidfd(), 0);
  ASSERT_EQ(syscall(SYS_pidfd_send_signal, process.pidfd(), SIGKILL, nullptr, 0), 0);
  ASSERT_TRUE(process.wait(kLimit));
}

class SnapshotFailuresTest : public SnapshotProgramFixture {
 protected:
  using SnapshotProgramFixture::SnapshotProgramFixture;

  void expect_a_right_child() {
    copy_->become({folder_.path(), {}});
    Child child = fork();
    EXPECT_EQ(ask(child.client.get(), "check"), "ok") << template_->last_words();
  }

  // A child that ends before it comes to life, and says so; the next one is right.
  void expect_stillbirth(SnapshotStep step, const char* words) {
    park();
    {
      Child child = fork(step);
      ASSERT_TRUE(child.process->wait(kLimit));
      EXPECT_THAT(template_->last_words(), HasSubstr(words));
      EXPECT_EQ(template_->reap(0).code, 126);
    }
    expect_a_right_child();
  }

  void limit_template(rlim_t descriptors) {
    rlimit limit{};
    ASSERT_EQ(prlimit(template_->pid(), RLIMIT_NOFILE, nullptr, &limit), 0);
    limit.rlim_cur = std::min(descriptors, limit.rlim_max);
    ASSERT_EQ(prlimit(template_->pid(), RLIMIT_NOFILE, &limit, nullptr), 0);
  }
};

TEST_F(SnapshotFailuresTest, AServerThatCannotBeForkedIsSaidAndTheNextForkWorks) {
  park();
  EXPECT_THAT(refusal_of([&] { fork(SnapshotStep::kForkProcess); }),
              HasSubstr("the server cannot be forked (clone3): Resource temporarily unavailable"));
  expect_a_right_child();
}

TEST_F(SnapshotFailuresTest, DescriptorsThatCannotBeMadeAnewEndTheChildAlone) {
  expect_stillbirth(SnapshotStep::kDescriptors, "descriptors cannot be made anew");
}

TEST_F(SnapshotFailuresTest, AThreadThatCannotBeMadeAnewEndsTheChildAlone) {
  expect_stillbirth(SnapshotStep::kThreads,
                    "cannot be made anew: Resource temporarily unavailable");
}

TEST_F(SnapshotFailuresTest, AFileThatIsGoneIsNamedByTheChild) {
  park();
  ASSERT_TRUE(std::filesystem::remove(copy_->folder() / "position"));
  {
    Child child = fork();
    ASSERT_TRUE(child.process->wait(kLimit));
    EXPECT_THAT(template_->last_words(), HasSubstr("position: No such file or directory"));
  }
  expect_a_right_child();
}

TEST_F(SnapshotFailuresTest, AChildKilledAtBirthLeavesRoomForTheNext) {
  park();
  {
    Child child = fork();
    die(*child.process);
    EXPECT_EQ(ask(child.client.get(), "check"), "(cannot send)");
    EXPECT_EQ(template_->reap(0).signal, SIGKILL);
  }
  expect_a_right_child();
}

TEST_F(SnapshotFailuresTest, ASecondChildIsRefusedWhileTheFirstOneLives) {
  park();
  Child child = fork();
  EXPECT_THAT(refusal_of([&] { fork(); }), HasSubstr("the nest's last child still lives"));
  EXPECT_EQ(ask(child.client.get(), "check"), "ok");
}

TEST_F(SnapshotFailuresTest, AChildThatDiesAsATemplateIsRefusedAndItsParentGoesOn) {
  park();
  auto [channel, end] = SnapshotChannel::make_pair();
  auto [client, socket] = socket_pair();
  SnapshotProcess::Fork second;
  second.sockets = {socket.get()};
  second.channel = end.get();
  template_->begin_fork(second);
  {
    SnapshotProcess child(template_->end_fork(), SnapshotChannel(std::move(channel)));
    end.reset();
    child.await_life();
    PlanRequest request;
    request.root = folder_.path().string();
    request.sockets[server_fd_] = 0;
    child.park(request);
    die(child);
    NestPlan nest;
    EXPECT_THAT(refusal_of([&] { child.add_nest(nest); }),
                testing::AnyOf(HasSubstr("does not listen any more"), HasSubstr("has ended")));
  }
  expect_a_right_child();
}

TEST_F(SnapshotFailuresTest, ATemplateThatDiesTakesItsChildrenAlongAndIsRefused) {
  park();
  Child child = fork();
  die(*template_);
  EXPECT_TRUE(child.process->wait(kLimit));
  EXPECT_THAT(refusal_of([&] { fork(); }),
              testing::AnyOf(HasSubstr("does not listen any more"), HasSubstr("has ended")));
  EXPECT_THAT(refusal_of([&] { template_->reap(0); }),
              testing::AnyOf(HasSubstr("does not listen any more"), HasSubstr("has ended")));
}

TEST_F(SnapshotFailuresTest, WithFewDescriptorsATemplateForksRightlyOrSaysWhyNot) {
  park();
  int refused = 0;
  int right = 0;
  const rlim_t used = entries_in("/proc/" + std::to_string(template_->pid()) + "/fd");
  for (rlim_t limit = 0; limit < used + 4; ++limit) {
    SCOPED_TRACE(limit);
    copy_->become({folder_.path(), {}});
    limit_template(limit);
    Child child;
    const std::string refusal = refusal_of([&] { child = fork(); });
    if (child.process == nullptr) {
      EXPECT_THAT(refusal, HasSubstr("open files"));
      ++refused;
      continue;
    }
    const std::string reply = ask(child.client.get(), "check");
    if (reply == "ok") {
      ++right;
      continue;
    }
    ASSERT_TRUE(child.process->wait(kLimit));
    EXPECT_THAT(template_->last_words(), HasSubstr("cannot be made anew"));
    ++refused;
  }
  EXPECT_GT(refused, 0);
  limit_template(RLIM_INFINITY);
  expect_a_right_child();
  RecordProperty("refused", refused);
  RecordProperty("right", right);
}

TEST_F(SnapshotFailuresTest, MoreConnectionsThanFitAreRefusedBeforeAnythingIsDone) {
  park();
  SnapshotProcess::Fork many;
  many.sockets.assign(kMaxPassedSockets + 1, client_.get());
  EXPECT_THAT(refusal_of([&] { template_->begin_fork(many); }),
              HasSubstr("17 connections are more than a snapshot can hold (16)"));
  expect_a_right_child();
}

// One of them would be lost.
TEST_F(SnapshotFailuresTest, ADescriptorWithTwoLocksIsRefusedAndTheServerCanGoOn) {
  ASSERT_EQ(ask(client_.get(), "lock"), "locked");
  EXPECT_THAT(refusal_of([&] { park(); }), HasSubstr("holds more than one lock"));
  template_->resume();
  EXPECT_EQ(ask(client_.get(), "check"), "ok");
}

TEST_F(SnapshotFailuresTest, AFileWithTwoNamesIsRefusedAsACopyWouldMakeTwoFiles) {
  const std::filesystem::path file = folder_.path() / "position";
  std::filesystem::create_hard_link(file, folder_.path() / "other-name");
  EXPECT_THAT(refusal_of([&] { park(); }), HasSubstr("2 names (hard links)"));
  std::filesystem::remove(folder_.path() / "other-name");
}

TEST_F(SnapshotFailuresTest, AFolderThatIsNotThereMakesNoNestAndTheTemplateGoesOn) {
  park();
  NestPlan nest;
  nest.number = 1;
  nest.from = (store_.path() / "nowhere").string();
  nest.onto = nest.folder = folder_.path().string();
  EXPECT_THAT(refusal_of([&] { template_->add_nest(nest); }),
              HasSubstr("a child's files cannot be put at " + nest.onto));
  expect_a_right_child();
}

TEST_F(SnapshotFailuresTest, AChildWhoseDescriptorDoesNotFitIsEndedAndTheNextOneIsRight) {
  park();
  auto [ours, theirs] = socket_pair();
  SnapshotProcess::Fork fork;
  fork.sockets = {theirs.get()};
  template_->begin_fork(fork);
  const std::string refusal = refusal_of([&] {
    const DescriptorLimit limit(0);
    template_->end_fork();
  });
  EXPECT_THAT(refusal, HasSubstr("no room for the descriptor of a forked server"));
  theirs.reset();
  EXPECT_NE(ask(ours.get(), "check"), "ok") << "it still lives";
  expect_a_right_child();
}

// With any number of free descriptors: what was asked for, or a refusal.
class SnapshotDescriptorsTest : public SnapshotFailuresTest,
                                public testing::WithParamInterface<int> {};

TEST_P(SnapshotDescriptorsTest, WithFewDescriptorsOfOurOwnAChildIsRightOrRefused) {
  auto sockets = socket_pair();
  Child child;
  const std::string refusal = refusal_of([&] {
    const DescriptorLimit limit(GetParam());
    park();
    child = fork_with(std::move(sockets));
  });
  if (child.process == nullptr) {
    EXPECT_THAT(refusal, HasSubstr("open files"));
  } else {
    EXPECT_EQ(ask(child.client.get(), "check"), "ok") << template_->last_words();
  }
  if (GetParam() == 0) {
    EXPECT_EQ(child.process, nullptr);
  }
  if (GetParam() == 20) {
    EXPECT_NE(child.process, nullptr) << refusal;
  }
}

INSTANTIATE_TEST_SUITE_P(Free, SnapshotDescriptorsTest,
                         testing::Values(0, 1, 2, 3, 4, 5, 6, 7, 8, 20));

TEST_F(SnapshotFailuresTest, AChildCanBeParkedAsSoonAsItLives) {
  park();
  for (int i = 0; i < 10; ++i) {
    copy_->become({folder_.path(), {}});
    auto [channel, end] = SnapshotChannel::make_pair();
    auto [client, socket] = socket_pair();
    SnapshotProcess::Fork fork;
    fork.sockets = {socket.get()};
    fork.channel = end.get();
    template_->begin_fork(fork);
    SnapshotProcess child(template_->end_fork(), SnapshotChannel(std::move(channel)));
    child.await_life();
    PlanRequest request;
    request.root = folder_.path().string();
    request.sockets[server_fd_] = 0;
    child.park(request);
    child.resume();
    ASSERT_EQ(ask(client.get(), "check"), "ok") << i;
  }
}

class SnapshotSmallStoreTest : public SnapshotFailuresTest {
 protected:
  SnapshotSmallStoreTest() : SnapshotFailuresTest(256 * 1024) {}

  void write_big(size_t bytes) {
    std::ofstream(folder_.path() / "big", std::ios::trunc) << std::string(bytes, 'x');
  }
};

TEST_F(SnapshotSmallStoreTest, FilesThatDoNotFitAreRefusedAndTheServerCanGoOn) {
  write_big(1 << 20);
  EXPECT_THAT(refusal_of([&] { park(); }),
              HasSubstr("No space left on device; its children write more than fits into memory"));
  template_->resume();
  EXPECT_EQ(ask(client_.get(), "check"), "ok");
}

TEST_F(SnapshotSmallStoreTest, FilesThatDidNotFitAreMadeWholeWhenTheyDo) {
  write_big(8'000);
  park();
  const FileState grown{folder_.path(), {{"big"}}, 77};
  write_big(1 << 20);
  EXPECT_THAT(refusal_of([&] { copy_->become(grown); }), HasSubstr("No space left on device"));
  write_big(9'000);
  copy_->become(grown);
  std::ifstream copied(copy_->folder() / "big");
  EXPECT_EQ(std::string(std::istreambuf_iterator<char>(copied), {}), std::string(9'000, 'x'));
  expect_a_right_child();
}

// The number of no process, as a failed fork would leave it, reaches no signal.
TEST(SnapshotProcessTest, AProcessThatWasNeverMadeIsNeitherSignalledNorForked) {
  SnapshotProcess none{UniqueFd(), SnapshotChannel()};
  none.kill();
  EXPECT_TRUE(none.ended());
  EXPECT_EQ(none.pid(), -1);
  EXPECT_THAT(refusal_of([&] { none.park({}); }), HasSubstr("cannot be looked at"));
  EXPECT_THAT(refusal_of([&] { none.begin_fork({}); }), HasSubstr("does not listen any more"));
}

}  // namespace
}  // namespace esox
