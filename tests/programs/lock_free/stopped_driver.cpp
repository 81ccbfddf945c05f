// SPDX-License-Identifier: Apache-2.0
// A driver counts who is inside; it has stopped when it was told to and nobody is. (The pattern is
// that of the Bluetooth driver in which Qadeer and Wu found it, PLDI 2004.)
//
// Seeded bug: who enters looks first whether the driver is to stop, and is counted then. Whoever is
// stopped between the two works in a driver that has stopped. One preemption.
#include <atomic>

#include "tests/programs/lock_free/lock_free.h"

namespace {

std::atomic<int> g_inside{1};  // the driver itself, until it is told to stop
std::atomic<bool> g_to_stop{false};
std::atomic<bool> g_stopped{false};

void leave() {
  if (g_inside.fetch_sub(1) == 1) g_stopped.store(true);
}

template <bool kSeeded>
bool enter() {
  if (kSeeded && g_to_stop.load()) return false;
  g_inside.fetch_add(1);
  if (kSeeded || !g_to_stop.load()) return true;
  leave();
  return false;
}

template <bool kSeeded>
void* work(void*) {
  if (!enter<kSeeded>()) return nullptr;
  if (g_stopped.load()) lock_free::show_bug("stopped_driver", "still inside:", g_inside.load());
  leave();
  return nullptr;
}

void* stop(void*) {
  g_to_stop.store(true);
  leave();
  return nullptr;
}

template <bool kSeeded>
struct StoppedDriver {
  static int run(int) {
    lock_free::run_threads({work<kSeeded>, stop});
    return 0;
  }
};

}  // namespace

int main(int argc, char** argv) {
  return lock_free::run_as_told<StoppedDriver>(argc, argv);
}
