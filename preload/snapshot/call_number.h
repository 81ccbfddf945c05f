// SPDX-License-Identifier: Apache-2.0
// Which system call a signal has interrupted. The context of a signal does not say: the kernel
// keeps the number to itself. In the C library it is found
//   in the code, where the instruction before the call loads it, as in most wrappers;
//   on the stack, where one function makes all calls that can be cancelled (glibc from 2.41 on: one
//   place for threads that can be cancelled just then, one for others) and was given the number.
// Where on the stack is not assumed but tried out: this process makes two such calls, of different
// numbers, that a waiting signal interrupts at once, and looks at what their contexts have in
// common.
#pragma once

#include <ucontext.h>

#include <cstdint>

namespace esox {

// By the main thread in its handler of kParkSignal, where all signals are blocked. Calls that
// handler anew, which gives what it has interrupted to is_trial().
void try_out_calls();
// True: the context is that of a trial, and there is nothing else to be done.
bool is_trial(const ucontext_t& context);

// Of the call that ends at the context's instruction; -1: not known.
int64_t number_on_stack(const ucontext_t& context);
// As "mov $number, %eax", or "xor %eax, %eax" for read, loads it. A prefix (0x40 to 0x4f) would
// make it another register; a byte before that looks like one makes it unknown.
int64_t number_in_code(const ucontext_t& context);

}  // namespace esox
