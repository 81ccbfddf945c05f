// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <unistd.h>

#include "preload/core/real.h"

namespace esox {
namespace {

ESOX_REAL(getpid);
constinit Real<decltype(&::getppid)> unlisted_getppid{"getppid"};

TEST(RealFunction, IsTheOneOfTheLibrary) {
  EXPECT_EQ(real_getpid(), getpid());
}

// Whenever it were called first it would be looked up, with whatever locks its caller holds.
TEST(RealFunctionDeathTest, OneThatIsNotListedEndsTheProcessAtItsFirstCall) {
  EXPECT_EXIT(unlisted_getppid(), testing::ExitedWithCode(127),
              "the hook of getppid does not list its function");
}

}  // namespace
}  // namespace esox
