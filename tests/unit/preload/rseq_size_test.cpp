// SPDX-License-Identifier: Apache-2.0
#include "preload/snapshot/rseq_size.h"

#include <gtest/gtest.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>

extern "C" {
extern const ptrdiff_t __rseq_offset __attribute__((weak));
extern const unsigned int __rseq_size __attribute__((weak));
}

namespace esox {
namespace {

TEST(RseqSize, TheSizeIsTheOneThatTheKernelSaysIsTaken) {
  for (const long size : {32L, 36L, 64L, 1024L}) {
    EXPECT_EQ(registered_rseq_bytes([&](long bytes) { return bytes == size ? -EBUSY : -EINVAL; }),
              size);
  }
}

TEST(RseqSize, AnAreaOfNoSuchSizeIsNotFound) {
  for (const long answer : {-EINVAL, -EPERM, -ENOSYS}) {
    EXPECT_EQ(registered_rseq_bytes([&](long) { return answer; }), 0);
  }
}

// Asked of the kernel, and asked again: nothing was changed by it.
TEST(RseqSize, OfThisLibraryItIsFound) {
  if (&__rseq_size == nullptr || __rseq_size == 0) GTEST_SKIP() << "none is registered";
  char* const area = static_cast<char*>(__builtin_thread_pointer()) + __rseq_offset;
  constexpr unsigned kSignature = 0x53053053;
  const auto ask = [&](long bytes) -> long {
    return syscall(SYS_rseq, area, bytes, 0, kSignature) == 0 ? 0 : -errno;
  };
  const long found = registered_rseq_bytes(ask);
  EXPECT_GE(found, kFewestRseqBytes);
  EXPECT_GE(found, static_cast<long>(__rseq_size));
  EXPECT_EQ(registered_rseq_bytes(ask), found);
}

}  // namespace
}  // namespace esox
