// SPDX-License-Identifier: Apache-2.0
// While one lives, the thread that made it takes the core from nobody: awakened, it waits until
// whoever runs there has to wait (sched(7), SCHED_BATCH).
//
// A server that answers many statements at once sends one reply after the other. Its client, on the
// same core, would be awakened by each, and take turns with it: a dozen switches where two do.
#pragma once

namespace esox {

class Unhurried {
 public:
  Unhurried();
  ~Unhurried();
  Unhurried(const Unhurried&) = delete;
  Unhurried& operator=(const Unhurried&) = delete;

 private:
  bool changed_;
};

}  // namespace esox
