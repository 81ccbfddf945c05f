// SPDX-License-Identifier: Apache-2.0
#include "preload/snapshot/thread_image.h"

#include <asm/prctl.h>
#include <errno.h>
#include <linux/sched.h>
#include <sched.h>
#include <stddef.h>
#include <string.h>
#include <sys/prctl.h>

#include "preload/core/raw.h"
#include "preload/snapshot/rseq_size.h"

// glibc 2.35 and later; absent before, then nothing is registered.
extern "C" {
extern const ptrdiff_t __rseq_offset __attribute__((weak));
extern const unsigned int __rseq_size __attribute__((weak));
}

namespace esox {
namespace {

constexpr long kRseqSignature = 0x53053053;  // RSEQ_SIG of x86
long g_rseq_bytes = 0;                       // rseq_size.h; 0: not found, or not registered

bool restartable_sequences() {
  return &__rseq_size != nullptr && __rseq_size != 0;
}

long rseq_area(const ThreadImage& image) {
  return static_cast<long>(image.fs_base) + static_cast<long>(__rseq_offset);
}

long register_area(const ThreadImage& image, long bytes, long flags) {
  return raw::call(SYS_rseq, rseq_area(image), bytes, flags, kRseqSignature);
}

// A rewound thread is registered, but its area was overwritten.
void register_rseq(const ThreadImage& image) {
  constexpr long kUnregister = 1;  // RSEQ_FLAG_UNREGISTER
  if (register_area(image, g_rseq_bytes, 0) != -EBUSY) return;
  register_area(image, g_rseq_bytes, kUnregister);
  register_area(image, g_rseq_bytes, 0);
}

}  // namespace

void capture_thread(ThreadImage& image) {
  raw::call(SYS_arch_prctl, ARCH_GET_FS, raw::address(&image.fs_base));
  raw::call(SYS_get_robust_list, 0, raw::address(&image.robust_list),
            raw::address(&image.robust_bytes));
  raw::call(SYS_prctl, PR_GET_TID_ADDRESS, raw::address(&image.clear_at_end));
  raw::call(SYS_prctl, PR_GET_NAME, raw::address(image.name));
  // There is no asking; but glibc tells in the area itself (cpu_id below 0: not registered).
  image.restartable =
      restartable_sequences() &&
      *reinterpret_cast<const int32_t*>(rseq_area(image) + static_cast<long>(sizeof(int32_t))) >= 0;
}

bool can_be_recreated(const ThreadImage& main) {
  if (!main.restartable) return true;
  g_rseq_bytes =
      registered_rseq_bytes([&main](long bytes) { return register_area(main, bytes, 0); });
  return g_rseq_bytes != 0;
}

long recreate_thread(const ThreadImage& image) {
  const pid_t tid = static_cast<pid_t>(image.tid);
  clone_args arguments{};
  arguments.flags = CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND | CLONE_THREAD |
                    CLONE_SYSVSEM | CLONE_SETTLS | CLONE_CHILD_CLEARTID;
  arguments.child_tid = image.clear_at_end;
  arguments.tls = image.fs_base;
  arguments.set_tid = reinterpret_cast<uint64_t>(&tid);
  arguments.set_tid_size = 1;
  // Never used as such: the new thread takes its stack pointer from the point. But the kernel wants
  // one, and the thread's own stack is the only one that nobody else uses.
  constexpr uint64_t kBelow = 4096;
  arguments.stack = image.point.rsp - kBelow;
  arguments.stack_size = 16;
  long result;
  asm volatile(
      "syscall\n\t"
      "testq %%rax, %%rax\n\t"
      "jnz 1f\n\t"
      "movq %[point], %%rdi\n\t"
      "jmp esox_resume_point\n"
      "1:"
      : "=a"(result)
      : "a"(SYS_clone3), "D"(&arguments), "S"(sizeof arguments), [point] "r"(&image.point)
      : "rcx", "r11", "memory");
  return result < 0 ? result : 0;
}

void register_thread(const ThreadImage& image, bool forked) {
  raw::call(SYS_set_robust_list, static_cast<long>(image.robust_list),
            static_cast<long>(image.robust_bytes));
  if (forked) {
    raw::call(SYS_set_tid_address, static_cast<long>(image.clear_at_end));
    return;  // the kernel keeps restartable sequences and the name over a fork
  }
  if (image.restartable) register_rseq(image);
  char name[kThreadNameBytes];
  raw::call(SYS_prctl, PR_GET_NAME, raw::address(name));
  if (memcmp(name, image.name, sizeof name) != 0) {
    raw::call(SYS_prctl, PR_SET_NAME, raw::address(image.name));
  }
}

}  // namespace esox
