// SPDX-License-Identifier: Apache-2.0
// A bounded queue for many producers and consumers: each place has a turn number, which says whose
// turn it is; a turn is claimed by moving the common index on.
//
// Seeded bug: a consumer claims by a store, not by a compare-and-exchange. Two that saw the same
// turn both take the item. One preemption, between two atomic operations.
#include <atomic>

#include "tests/programs/lock_free/lock_free.h"

namespace {

constexpr unsigned kPlaces = 4;
constexpr int kItems = 3;
constexpr int kTries = 3;

struct Place {
  std::atomic<unsigned> turn;
  int item;
};

Place g_places[kPlaces];
std::atomic<unsigned> g_put{0};
std::atomic<unsigned> g_taken{0};
std::atomic<int> g_times_taken[kItems];

bool put(int item) {
  unsigned at = g_put.load();
  Place* place = &g_places[at % kPlaces];
  while (place->turn.load() == at) {
    if (g_put.compare_exchange_strong(at, at + 1)) {
      place->item = item;
      place->turn.store(at + 1);
      return true;
    }
    place = &g_places[at % kPlaces];
  }
  return false;
}

template <bool kSeeded>
bool claim(unsigned* at) {
  if (!kSeeded) return g_taken.compare_exchange_strong(*at, *at + 1);
  g_taken.store(*at + 1);
  return true;
}

template <bool kSeeded>
bool take(int* item) {
  unsigned at = g_taken.load();
  Place* place = &g_places[at % kPlaces];
  while (place->turn.load() == at + 1) {
    if (claim<kSeeded>(&at)) {
      *item = place->item;
      place->turn.store(at + kPlaces);
      return true;
    }
    place = &g_places[at % kPlaces];
  }
  return false;
}

void* produce(void*) {
  for (int item = 0; item < kItems; ++item) {
    if (!put(item)) lock_free::show_bug("shared_queue", "full at", item);
  }
  return nullptr;
}

template <bool kSeeded>
void* consume(void*) {
  for (int i = 0; i < kTries; ++i) {
    int item = 0;
    if (!take<kSeeded>(&item)) continue;
    if (g_times_taken[item].fetch_add(1) != 0) {
      lock_free::show_bug("shared_queue", "taken twice:", item);
    }
  }
  return nullptr;
}

template <bool kSeeded>
struct SharedQueue {
  static int run(int) {
    for (unsigned i = 0; i < kPlaces; ++i) g_places[i].turn.store(i);
    lock_free::run_threads({produce, consume<kSeeded>, consume<kSeeded>});
    return 0;
  }
};

}  // namespace

int main(int argc, char** argv) {
  return lock_free::run_as_told<SharedQueue>(argc, argv);
}
