// SPDX-License-Identifier: Apache-2.0
// The night's time: seconds of work, whatever becomes of the wall clock.
//
// Time is the kernel's since boot (CLOCK_BOOTTIME), which nobody can set and which goes on while
// the machine sleeps. Over a reboot it begins anew; what was spent by then is kept in nights.db.
#pragma once

#include <chrono>
#include <functional>
#include <string>

namespace esox {

// A moment that can be told from a later one, whatever becomes of the wall clock, as long as the
// machine was not booted anew.
struct Moment {
  std::string boot;   // which; empty: not known
  double boot_s = 0;  // seconds since then
  std::string utc;    // "2026-11-22T02:00:00Z"
};

inline double seconds(std::chrono::milliseconds time) {
  return std::chrono::duration<double>(time).count();
}
// Since boot.
double boot_seconds();
Moment moment_now();
// Seconds from one to the other: by the kernel's clock within a boot, else by the wall's. Never
// less than 0.
double seconds_between(const Moment& then, const Moment& now);

class NightClock {
 public:
  // `spent_s`: by earlier launches. `now` is for tests.
  explicit NightClock(double spent_s = 0, std::function<double()> now = boot_seconds);

  // Of all launches; never falls.
  double spent_s();
  double now_s() const { return now_(); }

 private:
  std::function<double()> now_;
  double spent_s_;
  double last_s_;
};

}  // namespace esox
