// SPDX-License-Identifier: Apache-2.0
// See pinning.h.
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
}

CorePin::~CorePin() {
  if (bound_) sched_setaffinity(0, sizeof before_, &before_);
}

}  // namespace esox
