// SPDX-License-Identifier: Apache-2.0
// No bug: every kind of access that the compilers tell, with results that are known. Two threads do
// the same on memory of their own, so that each is told; who finds a wrong value exits with 42.
#include <atomic>

#include "tests/programs/lock_free/lock_free.h"

namespace {

using Wide = unsigned __int128;

struct Virtual {
  virtual ~Virtual() = default;
  virtual int number() const { return 1; }
};
struct Derived : Virtual {
  int number() const override { return 2; }
};

struct Block {
  char bytes[1000];
};

struct __attribute__((packed)) Unaligned {
  char before;
  short two;
  int four;
  long eight;
};

struct Memory {
  std::atomic<unsigned char> one{0};
  std::atomic<unsigned short> two{0};
  std::atomic<unsigned> four{0};
  std::atomic<unsigned long> eight{0};
  std::atomic<bool> flag{false};
  alignas(16) Wide wide = 0;
  alignas(16) Wide plain_wide = 0;
  Unaligned unaligned{};
  Block from{};
  Block to{};
  volatile int changing = 0;
  double fraction = 0;
};

void check(bool right, long line) {
  if (!right) lock_free::show_bug("every_access", "wrong in line", line);
}
#define CHECK(right) check(right, __LINE__)

template <class Value>
void try_atomic(std::atomic<Value>& object) {
  object.store(5, std::memory_order_release);
  CHECK(object.exchange(6) == 5);
  CHECK(object.fetch_add(3) == 6);
  CHECK(object.fetch_sub(1) == 9);
  CHECK(object.fetch_or(3) == 8);
  CHECK(object.fetch_and(14) == 11);
  CHECK(object.fetch_xor(1) == 10);
  CHECK(object.load(std::memory_order_acquire) == 11);
  Value expected = 1;
  CHECK(!object.compare_exchange_strong(expected, 2));
  CHECK(expected == 11);
  CHECK(object.compare_exchange_strong(expected, 2));
  expected = 2;
  while (!object.compare_exchange_weak(expected, 4)) expected = 2;
  object.store(7);
  CHECK(object.load() == 7);
}

void try_builtins(Memory& m) {
  unsigned long word = 12;
  CHECK(__atomic_fetch_nand(&word, 10, __ATOMIC_SEQ_CST) == 12);
  CHECK(word == ~8ul);
  m.flag.store(false);
  CHECK(!__atomic_test_and_set(&m.flag, __ATOMIC_SEQ_CST));
  CHECK(m.flag.load());
  CHECK(__sync_val_compare_and_swap(&m.wide, 0, Wide{1} << 100) == 0);
  CHECK(__sync_val_compare_and_swap(&m.wide, 0, 7) == Wide{1} << 100);
  CHECK(m.wide == Wide{1} << 100);
  std::atomic_thread_fence(std::memory_order_seq_cst);
  std::atomic_signal_fence(std::memory_order_seq_cst);
}

void try_plain(Memory& m) {
  m.plain_wide = m.wide + 1;
  CHECK(m.plain_wide == (Wide{1} << 100) + 1);
  m.unaligned.two = 2;
  m.unaligned.four = 4;
  m.unaligned.eight = m.unaligned.four + m.unaligned.two;
  CHECK(m.unaligned.eight == 6);
  m.changing = 8;
  CHECK(m.changing == 8);
  m.fraction = 0.5;
  m.fraction += 0.25;
  CHECK(m.fraction == 0.75);
}

void try_blocks(Memory& m, volatile unsigned long* bytes) {
  const unsigned long all = *bytes;
  memset(m.from.bytes, 3, all);
  m.to = m.from;
  CHECK(m.to.bytes[0] == 3 && m.to.bytes[all - 1] == 3);
  for (unsigned long i = 0; i < all; ++i) m.from.bytes[i] = static_cast<char>(i);
  memcpy(m.to.bytes, m.from.bytes, all);
  memmove(m.to.bytes + 1, m.to.bytes, all - 1);
  CHECK(m.to.bytes[0] == 0 && m.to.bytes[1] == 0 && m.to.bytes[100] == 99);
  memmove(m.to.bytes, m.to.bytes + 1, all - 1);
  CHECK(m.to.bytes[0] == 0 && m.to.bytes[1] == 1 && m.to.bytes[100] == 100);
}

void* access_all(void*) {
  auto* memory = new Memory;
  volatile unsigned long bytes = sizeof(Block);
  try_atomic(memory->one);
  try_atomic(memory->two);
  try_atomic(memory->four);
  try_atomic(memory->eight);
  try_builtins(*memory);
  try_plain(*memory);
  try_blocks(*memory, &bytes);
  const Virtual* object = new Derived;
  CHECK(object->number() == 2);
  delete object;
  delete memory;
  return nullptr;
}

template <bool kSeeded>
struct EveryAccess {
  static int run(int) {
    lock_free::run_threads({access_all, access_all});
    return 0;
  }
};

}  // namespace

int main(int argc, char** argv) {
  return lock_free::run_as_told<EveryAccess>(argc, argv);
}
