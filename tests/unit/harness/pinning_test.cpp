// SPDX-License-Identifier: Apache-2.0
// Workers of one esox and of several take the cores that fewest of them have.
#include "harness/hunt/pinning.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <string>

namespace esox {
namespace {

constexpr std::array<size_t, 3> kCores = {2, 3, 7};

class CoreClaims : public testing::Test {
 protected:
  CoreClaim claim(size_t start) const { return claim_core(kCores, start, name_); }

  // So that tests that run beside each other have claims of their own.
  const std::string name_ = fmt::format("esox test {}", getpid());
};

TEST_F(CoreClaims, BeginWhereTheyAreTold) {
  EXPECT_EQ(claim(1).core, 3u);
  EXPECT_EQ(claim(2).core, 7u);
  EXPECT_EQ(claim(4).core, 3u);
}

TEST_F(CoreClaims, AvoidWhatIsClaimed) {
  const CoreClaim first = claim(0);
  const CoreClaim second = claim(0);
  const CoreClaim third = claim(1);
  EXPECT_EQ(first.core, 2u);
  EXPECT_EQ(second.core, 3u);
  EXPECT_EQ(third.core, 7u);
}

TEST_F(CoreClaims, FillCoresEvenlyOnceAllAreClaimed) {
  const std::array<CoreClaim, 3> once = {claim(0), claim(0), claim(0)};
  const std::array<CoreClaim, 2> twice = {claim(2), claim(2)};
  EXPECT_EQ(twice[0].core, 7u);
  EXPECT_EQ(twice[1].core, 2u);
}

TEST_F(CoreClaims, AreGivenBack) {
  { const CoreClaim gone = claim(0); }
  EXPECT_EQ(claim(0).core, 2u);
}

// Also by a process that is killed, and no program that it started holds them.
TEST_F(CoreClaims, AreThoseOfAllProcesses) {
  std::array<int, 2> pipe_ends{};
  ASSERT_EQ(pipe(pipe_ends.data()), 0);
  const pid_t child = fork();
  if (child == 0) {
    const CoreClaim held = claim(0);
    if (!held.claim) _exit(1);
    const char ready = 1;
    if (write(pipe_ends[1], &ready, 1) != 1) _exit(1);
    for (;;) pause();
  }
  ASSERT_GT(child, 1);
  char ready = 0;
  ASSERT_EQ(read(pipe_ends[0], &ready, 1), 1);
  EXPECT_EQ(claim(0).core, 3u);
  ASSERT_EQ(kill(child, SIGKILL), 0);
  ASSERT_EQ(waitpid(child, nullptr, 0), child);
  EXPECT_EQ(claim(0).core, 2u);
  close(pipe_ends[0]);
  close(pipe_ends[1]);
}

}  // namespace
}  // namespace esox
