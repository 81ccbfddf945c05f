// SPDX-License-Identifier: Apache-2.0
#include "harness/hunt/pinning.h"

#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <vector>

namespace esox {
namespace {

std::vector<size_t> allowed_cores() {
  cpu_set_t set;
  CPU_ZERO(&set);
  std::vector<size_t> cores;
  if (sched_getaffinity(0, sizeof set, &set) != 0) return cores;
  for (size_t core = 0; core < CPU_SETSIZE; ++core) {
    if (CPU_ISSET(core, &set)) cores.push_back(core);
  }
  return cores;
}

// Of the calling thread; its processes have it from then on. Neither needs a privilege (sched(7)).
void set_policy(int policy) {
  const sched_param priority = {};
  sched_setscheduler(0, policy, &priority);
}

}  // namespace

size_t usable_cores() {
  return std::max<size_t>(1, allowed_cores().size());
}

// An optimisation: if it fails, so be it.
CorePin::CorePin(size_t worker, size_t workers) {
  const std::vector<size_t> cores = allowed_cores();
  if (cores.size() < workers || sched_getaffinity(0, sizeof before_, &before_) != 0) return;
  cpu_set_t one;
  CPU_ZERO(&one);
  CPU_SET(cores[(static_cast<size_t>(getpid()) + worker) % cores.size()], &one);
  bound_ = sched_setaffinity(0, sizeof one, &one) == 0;
  if (bound_) set_policy(SCHED_BATCH);
}

CorePin::~CorePin() {
  if (!bound_) return;
  set_policy(SCHED_OTHER);
  sched_setaffinity(0, sizeof before_, &before_);
}

}  // namespace esox
