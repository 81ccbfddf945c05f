// SPDX-License-Identifier: Apache-2.0
// No bug: prints all that the machine tells a thread (machine_facts.h), beside another one that
// asks, too.
//
// Depth: none.
#include <stdio.h>

#include <mutex>
#include <thread>

#include "tests/programs/machine_facts.h"

int main() {
  std::mutex mutex;
  machine::make_files();
  std::thread other([&] {
    const std::lock_guard lock(mutex);
    machine::all_facts();
  });
  mutex.lock();
  const machine::Facts facts = machine::all_facts();
  mutex.unlock();
  other.join();
  for (const auto& [name, value] : facts) printf("%s %s\n", name.c_str(), value.c_str());
}
