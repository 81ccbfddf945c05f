// SPDX-License-Identifier: Apache-2.0
// A sequence lock: odd while somebody writes; a reader whose sequence stayed the same, and even,
// has read what belongs together.
//
// Seeded bug: the reader does not look whether the sequence is even. If all of its reading falls
// between two of the writer's writes, the sequence is the same before and after. One preemption, at
// a plain write.
#include <atomic>

#include "tests/programs/lock_free/lock_free.h"

namespace {

constexpr int kWrites = 2;
constexpr int kReads = 2;

struct Pair {
  long one = 0;
  long other = 0;
};

std::atomic<unsigned> g_sequence{0};
Pair g_pair;

void write_pair(long value) {
  g_sequence.fetch_add(1);
  g_pair.one = value;
  g_pair.other = value;
  g_sequence.fetch_add(1);
}

template <bool kSeeded>
bool read_pair(Pair* seen) {
  const unsigned before = g_sequence.load();
  if (!kSeeded && before % 2 != 0) return false;
  seen->one = g_pair.one;
  seen->other = g_pair.other;
  return g_sequence.load() == before;
}

void* write_some(void*) {
  for (int value = 1; value <= kWrites; ++value) write_pair(value);
  return nullptr;
}

template <bool kSeeded>
void* read_some(void*) {
  for (int i = 0; i < kReads; ++i) {
    Pair seen;
    if (!read_pair<kSeeded>(&seen) || seen.one == seen.other) continue;
    lock_free::show_bug("seqlock", "halves differ by", seen.one - seen.other);
  }
  return nullptr;
}

template <bool kSeeded>
struct Seqlock {
  static int run(int) {
    lock_free::run_threads({write_some, read_some<kSeeded>});
    return 0;
  }
};

}  // namespace

int main(int argc, char** argv) {
  return lock_free::run_as_told<Seqlock>(argc, argv);
}
