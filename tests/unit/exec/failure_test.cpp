// SPDX-License-Identifier: Apache-2.0
// What the end of an execution is.
#include "harness/programs/failure.h"

#include <gtest/gtest.h>
#include <signal.h>

namespace esox {
namespace {

TEST(FailureClassOf, AGoodEndIsNone) {
  ProgramEnd end;
  EXPECT_FALSE(failure_class(end, true));
  end.live_threads = 2;
  EXPECT_FALSE(failure_class(end, false));
  EXPECT_EQ(failure_class(end, true), FailureClass::kThreadLeak);
}

TEST(FailureClassOf, AnEndByItselfIsItsStatus) {
  ProgramEnd end;
  end.status.code = 1;
  end.live_threads = 2;
  EXPECT_EQ(failure_class(end, true), FailureClass::kExitStatus);
  end.status = {SIGSEGV, 0};
  EXPECT_EQ(failure_class(end, true), FailureClass::kCrash);
  end.status = {SIGABRT, 0};
  EXPECT_EQ(failure_class(end, true), FailureClass::kAbort);
}

// Its process is ended by us, whatever its status says.
TEST(FailureClassOf, AnEndByTheSchedulerGoesBeforeTheStatus) {
  ProgramEnd end;
  end.status = {SIGKILL, 0};
  end.ending = ControlEnding::kDeadlock;
  EXPECT_EQ(failure_class(end, false), FailureClass::kDeadlock);
  end.ending = ControlEnding::kHang;
  EXPECT_EQ(failure_class(end, false), FailureClass::kHang);
  end.ending = ControlEnding::kNone;
  end.out_of_time = true;
  EXPECT_EQ(failure_class(end, false), FailureClass::kHang);
}

TEST(Failure, NamesComeBack) {
  for (const FailureClass one :
       {FailureClass::kCrash, FailureClass::kAssertion, FailureClass::kAbort,
        FailureClass::kExitStatus, FailureClass::kDeadlock, FailureClass::kHang,
        FailureClass::kThreadLeak}) {
    EXPECT_EQ(failure_from_name(failure_name(one)), one);
  }
  EXPECT_FALSE(failure_from_name("boredom"));
}

TEST(DoubtsAbout, AreNoneOfAControlledExecution) {
  ProgramEnd end;
  EXPECT_TRUE(doubts_about(end).empty());
  end.degraded = kDegradedTraceFull | kDegradedUnsupported;
  end.replaced = true;
  EXPECT_EQ(doubts_about(end).size(), 3u);
}

}  // namespace
}  // namespace esox
