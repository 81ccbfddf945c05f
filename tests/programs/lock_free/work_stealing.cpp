// SPDX-License-Identifier: Apache-2.0
// A work-stealing deque (Chase and Lev, SPAA 2005): the owner puts and takes at the bottom, a thief
// steals at the top.
//
// Seeded bug: for the last item the owner does not compete with the thief by compare-and-exchange.
// Two preemptions: the thief has looked at both ends and goes on when the owner has looked at the
// top.
#include <atomic>

#include "tests/programs/lock_free/lock_free.h"

namespace {

constexpr long kPlaces = 4;
constexpr int kItems = 2;
constexpr int kThefts = 2;

std::atomic<int> g_places[kPlaces];
std::atomic<long> g_top{0};
std::atomic<long> g_bottom{0};
std::atomic<int> g_times_had[kItems];

void have(int item) {
  if (g_times_had[item].fetch_add(1) != 0) {
    lock_free::show_bug("work_stealing", "had twice:", item);
  }
}

void put(int item) {
  const long bottom = g_bottom.load();
  g_places[bottom % kPlaces].store(item);
  g_bottom.store(bottom + 1);
}

template <bool kSeeded>
bool win_last(long top) {
  if (!kSeeded) return g_top.compare_exchange_strong(top, top + 1);
  g_top.store(top + 1);
  return true;
}

template <bool kSeeded>
bool take(int* item) {
  const long bottom = g_bottom.load() - 1;
  g_bottom.store(bottom);
  const long top = g_top.load();
  if (top > bottom) {
    g_bottom.store(bottom + 1);
    return false;
  }
  *item = g_places[bottom % kPlaces].load();
  if (top < bottom) return true;
  const bool won = win_last<kSeeded>(top);
  g_bottom.store(bottom + 1);
  return won;
}

bool steal(int* item) {
  long top = g_top.load();
  if (top >= g_bottom.load()) return false;
  *item = g_places[top % kPlaces].load();
  return g_top.compare_exchange_strong(top, top + 1);
}

template <bool kSeeded>
void* own(void*) {
  for (int item = 0; item < kItems; ++item) put(item);
  int item = 0;
  while (take<kSeeded>(&item)) have(item);
  return nullptr;
}

void* be_thief(void*) {
  for (int i = 0; i < kThefts; ++i) {
    int item = 0;
    if (steal(&item)) have(item);
  }
  return nullptr;
}

template <bool kSeeded>
struct WorkStealing {
  static int run(int) {
    lock_free::run_threads({own<kSeeded>, be_thief});
    return 0;
  }
};

}  // namespace

int main(int argc, char** argv) {
  return lock_free::run_as_told<WorkStealing>(argc, argv);
}
