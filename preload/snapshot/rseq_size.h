// SPDX-License-Identifier: Apache-2.0
// How large the C library has registered a thread's area for restartable sequences (rseq(2)).
//
// It does not tell: __rseq_size is what of the area has a meaning, and glibc registers 32 bytes at
// least, more where the kernel knows more (since 2.41). With another size a thread that is made
// anew would lack part of it, and one that is rewound could not be registered again. But the kernel
// tells an area that is registered already, of just that size, from all others: EBUSY. Nothing is
// changed by asking.
#pragma once

#include <errno.h>

namespace esox {

inline constexpr long kFewestRseqBytes = 32;  // ORIG_RSEQ_SIZE
inline constexpr long kMostRseqBytes = 1024;

// `register_area(bytes)` is the system call for the calling thread's area, which is registered. 0:
// of none of these sizes.
long registered_rseq_bytes(auto register_area) {
  for (long bytes = kFewestRseqBytes; bytes <= kMostRseqBytes; bytes += 4) {
    if (register_area(bytes) == -EBUSY) return bytes;
  }
  return 0;
}

}  // namespace esox
