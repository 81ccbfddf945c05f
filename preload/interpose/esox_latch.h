/* SPDX-License-Identifier: Apache-2.0
 * esox_latch.h: tells esox of locks that a server makes itself. For C and C++.
 *
 * esox switches threads at calls of the C library. A lock of atomics that asks the kernel only
 * where somebody waits makes no call while it is free, so that all between two calls is one piece
 * to esox. A server that says where it takes and leaves such locks has scheduling points there:
 *
 *     esox_latch_share(latch);    // just before it is taken together with others
 *     esox_latch_take(latch);     // just before it is taken alone
 *     esox_latch_left(latch);     // just after it was given back, by either
 *
 * Who has to wait must do so by futex(), in the end. Without esox each is one branch: the symbol is
 * weak, and nothing is to be linked. The code must be position independent (-fPIE or -fPIC, the
 * default of most systems). Any thread may call at any time; the address is all that is looked at.
 */
#ifndef ESOX_LATCH_H
#define ESOX_LATCH_H

enum esox_latch_use { ESOX_LATCH_SHARE = 1, ESOX_LATCH_TAKE = 2, ESOX_LATCH_LEFT = 3 };

#ifdef __cplusplus
extern "C" {
#endif

/* The preloaded library's own side. */
__attribute__((weak)) void esox_latch(int use, const void* latch);

static inline void esox_latch_share(const void* latch) {
  if (esox_latch) esox_latch(ESOX_LATCH_SHARE, latch);
}

static inline void esox_latch_take(const void* latch) {
  if (esox_latch) esox_latch(ESOX_LATCH_TAKE, latch);
}

static inline void esox_latch_left(const void* latch) {
  if (esox_latch) esox_latch(ESOX_LATCH_LEFT, latch);
}

#ifdef __cplusplus
}
#endif
#endif
