// SPDX-License-Identifier: Apache-2.0
// Atomic operations: the compilers leave them to the runtime altogether.
//
// The order that the program asks for matters only where nobody listens; there a plain store is
// much cheaper than a sequentially consistent one. Loads cost the same in every order here, and so
// do updates (x86-64).
#include "preload/tsan/tell.h"

namespace esox {
namespace {

template <class Value>
struct Atomic {
  static Value load(const volatile Value* object) {
    return __atomic_load_n(object, __ATOMIC_SEQ_CST);
  }
  static void store(volatile Value* object, Value value, int order) {
    if (order == __ATOMIC_SEQ_CST) {
      __atomic_store_n(object, value, __ATOMIC_SEQ_CST);
    } else {
      __atomic_store_n(object, value, __ATOMIC_RELEASE);
    }
  }
  static Value exchange(volatile Value* object, Value value) {
    return __atomic_exchange_n(object, value, __ATOMIC_SEQ_CST);
  }
  // Returns what was there: `expected` if and only if it succeeded.
  static Value compare_exchange(volatile Value* object, Value expected, Value desired) {
    __atomic_compare_exchange_n(object, &expected, desired, /*weak=*/false, __ATOMIC_SEQ_CST,
                                __ATOMIC_SEQ_CST);
    return expected;
  }
};

// Of 16 bytes there is one instruction, which compares and exchanges. (The __atomic builtins would
// call libatomic, which a program need not have.)
using Wide = unsigned __int128;

template <>
struct Atomic<Wide> {
  static Wide compare_exchange(volatile Wide* object, Wide expected, Wide desired) {
    return __sync_val_compare_and_swap(object, expected, desired);
  }
  static Wide load(const volatile Wide* object) {
    return compare_exchange(const_cast<volatile Wide*>(object), 0, 0);
  }
  static Wide exchange(volatile Wide* object, Wide value) {
    Wide seen = load(object);
    while (true) {
      const Wide found = compare_exchange(object, seen, value);
      if (found == seen) return seen;
      seen = found;
    }
  }
  static void store(volatile Wide* object, Wide value, int) { exchange(object, value); }
};

// By compare-and-exchange only where there is nothing better: 16 bytes, and nand.
template <class Value, class Change>
Value change(volatile Value* object, Change&& changed) {
  Value seen = Atomic<Value>::load(object);
  while (true) {
    const Value found = Atomic<Value>::compare_exchange(object, seen, changed(seen));
    if (found == seen) return seen;
    seen = found;
  }
}

template <class Value>
bool try_exchange(volatile Value* object, Value* expected, Value desired) {
  const Value wanted = *expected;
  const Value found = Atomic<Value>::compare_exchange(object, wanted, desired);
  *expected = found;
  return found == wanted;
}

using Bits8 = uint8_t;
using Bits16 = uint16_t;
using Bits32 = uint32_t;
using Bits64 = uint64_t;
using Bits128 = Wide;

}  // namespace
}  // namespace esox

using namespace esox;

#define ESOX_TELL(kind) tell_atomic(OpKind::kind, object, sizeof *object, ESOX_CALLER())

// gcc's, which says whether it succeeded; clang's (_val) tells what was there.
#define ESOX_TSAN_COMPARE(bits, strength)                                                \
  ESOX_TSAN int __tsan_atomic##bits##_compare_exchange_##strength(                       \
      volatile Bits##bits* object, Bits##bits* expected, Bits##bits desired, int, int) { \
    ESOX_TELL(kAtomicUpdate);                                                            \
    return try_exchange(object, expected, desired) ? 1 : 0;                              \
  }

#define ESOX_TSAN_ATOMIC(bits)                                                              \
  ESOX_TSAN Bits##bits __tsan_atomic##bits##_load(const volatile Bits##bits* object, int) { \
    ESOX_TELL(kAtomicLoad);                                                                 \
    return Atomic<Bits##bits>::load(object);                                                \
  }                                                                                         \
  ESOX_TSAN void __tsan_atomic##bits##_store(volatile Bits##bits* object, Bits##bits value, \
                                             int order) {                                   \
    ESOX_TELL(kAtomicStore);                                                                \
    Atomic<Bits##bits>::store(object, value, order);                                        \
  }                                                                                         \
  ESOX_TSAN Bits##bits __tsan_atomic##bits##_exchange(volatile Bits##bits* object,          \
                                                      Bits##bits value, int) {              \
    ESOX_TELL(kAtomicUpdate);                                                               \
    return Atomic<Bits##bits>::exchange(object, value);                                     \
  }                                                                                         \
  ESOX_TSAN_COMPARE(bits, strong)                                                           \
  ESOX_TSAN_COMPARE(bits, weak)                                                             \
  ESOX_TSAN Bits##bits __tsan_atomic##bits##_compare_exchange_val(                          \
      volatile Bits##bits* object, Bits##bits expected, Bits##bits desired, int, int) {     \
    ESOX_TELL(kAtomicUpdate);                                                               \
    return Atomic<Bits##bits>::compare_exchange(object, expected, desired);                 \
  }

#define ESOX_TSAN_FETCH(bits, name, how)                                               \
  ESOX_TSAN Bits##bits __tsan_atomic##bits##_fetch_##name(volatile Bits##bits* object, \
                                                          Bits##bits operand, int) {   \
    ESOX_TELL(kAtomicUpdate);                                                          \
    return how;                                                                        \
  }

#define ESOX_BY_INSTRUCTION(name) __atomic_fetch_##name(object, operand, __ATOMIC_SEQ_CST)
#define ESOX_BY_LOOP(bits, changed) \
  change(object, [operand](Bits##bits seen) { return static_cast<Bits##bits>(changed); })

#define ESOX_TSAN_NARROW(bits)                         \
  ESOX_TSAN_ATOMIC(bits)                               \
  ESOX_TSAN_FETCH(bits, add, ESOX_BY_INSTRUCTION(add)) \
  ESOX_TSAN_FETCH(bits, sub, ESOX_BY_INSTRUCTION(sub)) \
  ESOX_TSAN_FETCH(bits, and, ESOX_BY_INSTRUCTION(and)) \
  ESOX_TSAN_FETCH(bits, or, ESOX_BY_INSTRUCTION(or))   \
  ESOX_TSAN_FETCH(bits, xor, ESOX_BY_INSTRUCTION(xor)) \
  ESOX_TSAN_FETCH(bits, nand, ESOX_BY_LOOP(bits, ~(seen & operand)))

ESOX_TSAN_NARROW(8)
ESOX_TSAN_NARROW(16)
ESOX_TSAN_NARROW(32)
ESOX_TSAN_NARROW(64)

ESOX_TSAN_ATOMIC(128)
ESOX_TSAN_FETCH(128, add, ESOX_BY_LOOP(128, seen + operand))
ESOX_TSAN_FETCH(128, sub, ESOX_BY_LOOP(128, seen - operand))
ESOX_TSAN_FETCH(128, and, ESOX_BY_LOOP(128, seen& operand))
ESOX_TSAN_FETCH(128, or, ESOX_BY_LOOP(128, seen | operand))
ESOX_TSAN_FETCH(128, xor, ESOX_BY_LOOP(128, seen ^ operand))
ESOX_TSAN_FETCH(128, nand, ESOX_BY_LOOP(128, ~(seen& operand)))

// A fence changes nothing that another thread could see, where memory is sequentially consistent.
ESOX_TSAN void __tsan_atomic_thread_fence(int) {
  __atomic_thread_fence(__ATOMIC_SEQ_CST);
}
ESOX_TSAN void __tsan_atomic_signal_fence(int) {
  __atomic_signal_fence(__ATOMIC_SEQ_CST);
}
