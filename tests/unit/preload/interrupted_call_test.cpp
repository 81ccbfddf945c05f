// SPDX-License-Identifier: Apache-2.0
#include <errno.h>
#include <gtest/gtest.h>
#include <sys/syscall.h>

#include <vector>

#include "preload/snapshot/context.h"

namespace esox {
namespace {

// A thread that a signal interrupted behind `code`, whose end is the instruction "syscall".
class InterruptedCallTest : public testing::Test {
 protected:
  Interruption rewind(std::vector<uint8_t> code) {
    code.insert(code.begin(), 8, 0x90);  // what lies before is read, too
    code.insert(code.end(), {0x0f, 0x05});
    behind_ = reinterpret_cast<greg_t>(code.data() + code.size());
    registers()[REG_RIP] = behind_;
    registers()[REG_RAX] = -EINTR;
    return rewind_interrupted(context_, record_);
  }
  greg_t* registers() { return context_.uc_mcontext.gregs; }
  void expect_made_again(long number) {
    EXPECT_EQ(registers()[REG_RIP], behind_ - 2);
    EXPECT_EQ(registers()[REG_RAX], number);
    EXPECT_EQ(record_.number, number);
  }

  ucontext_t context_{};
  SyscallRecord record_;
  greg_t behind_ = 0;
};

TEST_F(InterruptedCallTest, IsToldByTheNumberThatTheCodeLoads) {
  ASSERT_EQ(rewind({0xb8, SYS_poll, 0, 0, 0}), Interruption::kRewound);
  expect_made_again(SYS_poll);
}

TEST_F(InterruptedCallTest, IsReadWhereTheCodeLoadsZero) {
  ASSERT_EQ(rewind({0x31, 0xc0}), Interruption::kRewound);
  expect_made_again(SYS_read);
}

TEST_F(InterruptedCallTest, IsUnknownWhereTheNumberComesFromElsewhere) {
  EXPECT_EQ(rewind({0x44, 0x89, 0xc0}), Interruption::kUnknown);               // mov %r8d, %eax
  EXPECT_EQ(rewind({0x41, 0xb8, SYS_poll, 0, 0, 0}), Interruption::kUnknown);  // mov $7, %r8d
  EXPECT_EQ(registers()[REG_RIP], behind_);
}

}  // namespace
}  // namespace esox
