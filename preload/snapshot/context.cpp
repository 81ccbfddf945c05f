// SPDX-License-Identifier: Apache-2.0
#include "preload/snapshot/context.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>

#include "preload/core/raw.h"
#include "preload/snapshot/call_number.h"
#include "preload/snapshot/line_writer.h"

// esox_resume_point (thread_image.cpp jumps there): RDI is the point.
asm(R"(
    .text
    .hidden esox_mark_point
    .globl esox_mark_point
    .type esox_mark_point, @function
esox_mark_point:
    movq %rbx, 0(%rdi)
    movq %rbp, 8(%rdi)
    movq %r12, 16(%rdi)
    movq %r13, 24(%rdi)
    movq %r14, 32(%rdi)
    movq %r15, 40(%rdi)
    leaq 8(%rsp), %rdx
    movq %rdx, 48(%rdi)
    movq (%rsp), %rdx
    movq %rdx, 56(%rdi)
    xorl %eax, %eax
    ret
    .size esox_mark_point, . - esox_mark_point

    .hidden esox_resume_point
    .globl esox_resume_point
    .type esox_resume_point, @function
esox_resume_point:
    movq 0(%rdi), %rbx
    movq 8(%rdi), %rbp
    movq 16(%rdi), %r12
    movq 24(%rdi), %r13
    movq 32(%rdi), %r14
    movq 40(%rdi), %r15
    movq 48(%rdi), %rsp
    movl $1, %eax
    jmpq *56(%rdi)
    .size esox_resume_point, . - esox_resume_point
)");

namespace esox {
namespace {

// Reads a decimal or 0x number and moves `at` behind it and the blank.
bool read_field(const char*& at, uint64_t& value) {
  while (*at == ' ') ++at;
  const bool hexadecimal = at[0] == '0' && at[1] == 'x';
  if (hexadecimal) at += 2;
  const char* first = at;
  value = 0;
  for (;; ++at) {
    uint64_t digit;
    if (*at >= '0' && *at <= '9') {
      digit = static_cast<uint64_t>(*at - '0');
    } else if (hexadecimal && *at >= 'a' && *at <= 'f') {
      digit = static_cast<uint64_t>(*at - 'a') + 10;
    } else {
      break;
    }
    value = value * (hexadecimal ? 16 : 10) + digit;
  }
  return at != first;
}

bool is_of(const SyscallRecord& record, const ucontext_t& context) {
  constexpr int kArguments[] = {REG_RDI, REG_RSI, REG_RDX, REG_R10, REG_R8, REG_R9};
  const greg_t* registers = context.uc_mcontext.gregs;
  if (record.number < 0 || record.pc != static_cast<uint64_t>(registers[REG_RIP])) return false;
  for (int i = 0; i < 6; ++i) {
    if (record.arguments[i] != static_cast<uint64_t>(registers[kArguments[i]])) return false;
  }
  return true;
}

}  // namespace

bool read_syscall(uint32_t tid, SyscallRecord& record) {
  record = SyscallRecord{};
  char path[64];
  LineWriter(path, sizeof path).text("/proc/self/task/").number(tid).text("/syscall");
  const long fd = raw::call(SYS_openat, AT_FDCWD, raw::address(path), O_RDONLY | O_CLOEXEC);
  if (fd < 0) return false;
  char text[256];
  const long size = raw::call(SYS_read, fd, raw::address(text), sizeof text - 1);
  raw::call(SYS_close, fd);
  if (size <= 0) return false;
  text[size] = '\0';
  // "nr a b c d e f sp pc", "running", or "-1 sp pc" (blocked outside a system call).
  const char* at = text;
  uint64_t number;
  if (!read_field(at, number)) return false;
  for (uint64_t& argument : record.arguments) {
    if (!read_field(at, argument)) return false;
  }
  uint64_t sp;
  if (!read_field(at, sp) || !read_field(at, record.pc)) return false;
  record.number = static_cast<int64_t>(number);
  return true;
}

Interruption rewind_interrupted(ucontext_t& context, SyscallRecord& record) {
  greg_t* registers = context.uc_mcontext.gregs;
  if (registers[REG_RAX] != -EINTR) return Interruption::kNone;
  const auto* instruction = reinterpret_cast<const uint8_t*>(registers[REG_RIP]) - 2;
  if (instruction[0] != 0x0f || instruction[1] != 0x05) return Interruption::kNone;
  int64_t number = number_on_stack(context);
  if (number < 0 && is_of(record, context)) number = record.number;
  if (number < 0) number = number_in_code(context);
  if (number < 0) return Interruption::kUnknown;
  record.number = number;
  registers[REG_RIP] -= 2;
  registers[REG_RAX] = record.number;
  return Interruption::kRewound;
}

timespec* absolute_deadline(const ucontext_t& context, int64_t number, int& clock) {
  const greg_t* registers = context.uc_mcontext.gregs;
  if (number == SYS_futex) {
    const auto operation = static_cast<int>(registers[REG_RSI]);
    const int command = operation & FUTEX_CMD_MASK;
    if (command != FUTEX_WAIT_BITSET && command != FUTEX_LOCK_PI) return nullptr;
    const bool realtime = command == FUTEX_LOCK_PI || (operation & FUTEX_CLOCK_REALTIME) != 0;
    clock = realtime ? CLOCK_REALTIME : CLOCK_MONOTONIC;
    return reinterpret_cast<timespec*>(registers[REG_R10]);
  }
  if (number == SYS_clock_nanosleep && (registers[REG_RSI] & TIMER_ABSTIME) != 0) {
    clock = static_cast<int>(registers[REG_RDI]);
    if (clock != CLOCK_REALTIME && clock != CLOCK_MONOTONIC) return nullptr;
    return reinterpret_cast<timespec*>(registers[REG_RDX]);
  }
  return nullptr;
}

}  // namespace esox
