// SPDX-License-Identifier: Apache-2.0
// Plain accesses. The call comes just before the access, which the program does itself.
#include "preload/tsan/tell.h"

using esox::OpKind;
using esox::tell_plain;

#define ESOX_TSAN_PLAIN(name, kind, bytes)                  \
  ESOX_TSAN void __tsan_##name(void* object) {              \
    tell_plain(OpKind::kind, object, bytes, ESOX_CALLER()); \
  }

// Both directions and, by clang on demand, one call for a read that a write follows.
#define ESOX_TSAN_DIRECTIONS(prefix, bytes)                \
  ESOX_TSAN_PLAIN(prefix##read##bytes, kMemoryRead, bytes) \
  ESOX_TSAN_PLAIN(prefix##write##bytes, kMemoryWrite, bytes)

#define ESOX_TSAN_BOTH(prefix, bytes)                               \
  ESOX_TSAN void __tsan_##prefix##read_write##bytes(void* object) { \
    tell_plain(OpKind::kMemoryRead, object, bytes, ESOX_CALLER());  \
    tell_plain(OpKind::kMemoryWrite, object, bytes, ESOX_CALLER()); \
  }

#define ESOX_TSAN_SIZES(each, prefix) \
  each(prefix, 1) each(prefix, 2) each(prefix, 4) each(prefix, 8) each(prefix, 16)

ESOX_TSAN_SIZES(ESOX_TSAN_DIRECTIONS, )
ESOX_TSAN_SIZES(ESOX_TSAN_DIRECTIONS, unaligned_)
ESOX_TSAN_SIZES(ESOX_TSAN_DIRECTIONS, volatile_)
ESOX_TSAN_SIZES(ESOX_TSAN_DIRECTIONS, unaligned_volatile_)
ESOX_TSAN_SIZES(ESOX_TSAN_BOTH, )
ESOX_TSAN_SIZES(ESOX_TSAN_BOTH, unaligned_)

// Objects that are copied whole.
ESOX_TSAN void __tsan_read_range(void* object, unsigned long bytes) {
  tell_plain(OpKind::kMemoryRead, object, bytes, ESOX_CALLER());
}
ESOX_TSAN void __tsan_write_range(void* object, unsigned long bytes) {
  tell_plain(OpKind::kMemoryWrite, object, bytes, ESOX_CALLER());
}

// The pointer to an object's virtual functions. Destructors write the one that is there already.
ESOX_TSAN void __tsan_vptr_read(void** object) {
  tell_plain(OpKind::kMemoryRead, object, sizeof(void*), ESOX_CALLER());
}
ESOX_TSAN void __tsan_vptr_update(void** object, void* value) {
  if (*object == value) return;
  tell_plain(OpKind::kMemoryWrite, object, sizeof(void*), ESOX_CALLER());
}
