// SPDX-License-Identifier: Apache-2.0
// How long a server may take to start.
#include "targets/running_process.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "base/process/paths.h"
#include "base/process/private_directory.h"

namespace esox {
namespace {

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

class Starting : public testing::Test {
 protected:
  // What came of it, with a server that becomes ready after so long.
  std::string waited(std::chrono::milliseconds limit, std::chrono::milliseconds ready_after,
                     bool says_something) {
    RunningProcess process({"/bin/sleep", {"1000"}, {}, folder_.path(), log_}, "socket");
    std::ofstream log(log_, std::ios::app);
    const auto begin = Clock::now();
    try {
      process.wait_until(
          [&] {
            if (says_something) log << "scanning" << std::endl;
            return Clock::now() >= begin + ready_after;
          },
          limit);
      return "ready";
    } catch (const ServerError& error) {
      return error.what();
    }
  }

  PrivateDirectory folder_{temporary_base()};
  std::filesystem::path log_ = folder_.path() / "log";
};

TEST_F(Starting, MayTakeLongerThanItsLimitWhileItGoesOn) {
  EXPECT_EQ(waited(100ms, 300ms, true), "ready");
}

TEST_F(Starting, EndsByItsLimitIfItSaysNothing) {
  EXPECT_THAT(waited(100ms, 1h, false), testing::HasSubstr("was not ready within 100 ms"));
}

TEST_F(Starting, EndsAfterTenLimitsWhateverItSays) {
  EXPECT_THAT(waited(10ms, 1h, true), testing::HasSubstr("was not ready within 10 ms"));
}

}  // namespace
}  // namespace esox
