// SPDX-License-Identifier: Apache-2.0
// Where a thread stands in the middle of a system call, and how to make it stand there again.
//
// A signal interrupts a blocking call: the saved context then lies just behind the `syscall`
// instruction with -EINTR in RAX, and a program that is not prepared for it would see EINTR out of
// the blue. So the context is wound back to the instruction, with the call's number in RAX: the
// thread makes the same call again when it goes on. The number is found on the stack where it is
// known to lie there (call_number.h); else in /proc/self/task/TID/syscall, read before the signal
// is sent; of a thread that entered the call after that, in the code. Where that fails parking is
// refused, to be tried again, and the thread sees EINTR.
#pragma once

#include <signal.h>
#include <sys/types.h>
#include <ucontext.h>

#include <cstdint>

namespace esox {

struct SyscallRecord {
  int64_t number = -1;  // -1: not in a system call, or not known
  uint64_t arguments[6] = {};
  uint64_t pc = 0;  // just behind the instruction
};

// Of a thread of this process; false if it runs in user space or cannot be read.
bool read_syscall(uint32_t tid, SyscallRecord& record);

// What a saved context says.
enum class Interruption {
  kNone,     // no call was interrupted: nothing to be done
  kRewound,  // the call will be made again
  kUnknown,  // a call was interrupted, but which one is not known
};
Interruption rewind_interrupted(ucontext_t& context, SyscallRecord& record);

// The absolute time until which an interrupted call waits, for a call that has one: then the clock
// and the place in memory where the kernel will read it. Null: no such call.
timespec* absolute_deadline(const ucontext_t& context, int64_t number, int& clock);

// A point of a thread's execution, as by setjmp: the registers that a called function preserves.
struct RestorePoint {
  uint64_t rbx, rbp, r12, r13, r14, r15, rsp, rip;
};

}  // namespace esox

// Returns 0 when the point is set, and 1 when a thread is made to go on from it. The calling
// function must not have returned by then.
extern "C" __attribute__((visibility("hidden"), returns_twice)) int esox_mark_point(
    esox::RestorePoint* point);
