// SPDX-License-Identifier: Apache-2.0
// A stack of nodes from a pool (Treiber, 1986): the head is exchanged for the node below it.
//
// Seeded bug (ABA): the head is the node alone. While one thread is between reading the node below
// and the exchange, another takes both nodes and puts the first one back: the exchange succeeds,
// and the node that is in use becomes the head. Correctly the head also counts its changes. One
// preemption, in which another thread does three whole operations.
#include <atomic>

#include "tests/programs/lock_free/lock_free.h"

namespace {

constexpr unsigned kNodes = 3;  // 1 .. kNodes; 0 is none
constexpr unsigned kNodeBits = 8;

std::atomic<unsigned> g_below[kNodes + 1];
std::atomic<unsigned> g_head{1};
std::atomic<int> g_in_use[kNodes + 1];

unsigned node_of(unsigned head) {
  return head & ((1u << kNodeBits) - 1);
}

template <bool kSeeded>
unsigned with_node(unsigned head, unsigned node) {
  return kSeeded ? node : ((head >> kNodeBits) + 1) << kNodeBits | node;
}

template <bool kSeeded>
unsigned take() {
  unsigned head = g_head.load();
  while (node_of(head) != 0) {
    const unsigned node = node_of(head);
    const unsigned below = g_below[node].load();
    if (!g_head.compare_exchange_strong(head, with_node<kSeeded>(head, below))) continue;
    if (g_in_use[node].exchange(1) != 0) lock_free::show_bug("aba_stack", "taken twice:", node);
    return node;
  }
  return 0;
}

template <bool kSeeded>
void put(unsigned node) {
  if (node == 0) return;
  g_in_use[node].store(0);
  unsigned head = g_head.load();
  do {
    g_below[node].store(node_of(head));
  } while (!g_head.compare_exchange_strong(head, with_node<kSeeded>(head, node)));
}

// Each takes two and puts the first of them back.
template <bool kSeeded>
void* use(void*) {
  const unsigned first = take<kSeeded>();
  take<kSeeded>();
  put<kSeeded>(first);
  return nullptr;
}

template <bool kSeeded>
struct AbaStack {
  static int run(int) {
    for (unsigned node = 1; node < kNodes; ++node) g_below[node].store(node + 1);
    lock_free::run_threads({use<kSeeded>, use<kSeeded>});
    return 0;
  }
};

}  // namespace

int main(int argc, char** argv) {
  return lock_free::run_as_told<AbaStack>(argc, argv);
}
