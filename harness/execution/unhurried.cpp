// SPDX-License-Identifier: Apache-2.0
// See unhurried.h. An optimisation: where it is not granted, so be it.
#include "harness/execution/unhurried.h"

#include <sched.h>

namespace esox {
namespace {

bool change_policy(int from, int to) {
  const sched_param none{};
  return sched_getscheduler(0) == from && sched_setscheduler(0, to, &none) == 0;
}

}  // namespace

Unhurried::Unhurried() : changed_(change_policy(SCHED_OTHER, SCHED_BATCH)) {}

Unhurried::~Unhurried() {
  if (changed_) change_policy(SCHED_BATCH, SCHED_OTHER);
}

}  // namespace esox
