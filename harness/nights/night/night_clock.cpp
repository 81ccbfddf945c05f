// SPDX-License-Identifier: Apache-2.0
#include "harness/nights/night/night_clock.h"

#include <algorithm>
#include <ctime>
#include <fstream>
#include <utility>

#include "base/time/utc.h"

namespace esox {

double boot_seconds() {
  timespec now{};
  clock_gettime(CLOCK_BOOTTIME, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) / 1e9;
}

Moment moment_now() {
  Moment now{"", boot_seconds(), utc_now()};
  std::ifstream boot("/proc/sys/kernel/random/boot_id");
  std::getline(boot, now.boot);
  return now;
}

double seconds_between(const Moment& then, const Moment& now) {
  if (!then.boot.empty() && then.boot == now.boot) return std::max(0.0, now.boot_s - then.boot_s);
  const auto wall = [](const Moment& moment, std::tm& utc) {
    return strptime(moment.utc.c_str(), "%Y-%m-%dT%H:%M:%SZ", &utc) != nullptr;
  };
  std::tm from{};
  std::tm to{};
  if (!wall(then, from) || !wall(now, to)) return 0;
  return std::max(0.0, std::difftime(timegm(&to), timegm(&from)));
}

NightClock::NightClock(double spent_s, std::function<double()> now)
    : now_(std::move(now)), spent_s_(spent_s), last_s_(now_()) {}

double NightClock::spent_s() {
  const double now = now_();
  spent_s_ += std::max(0.0, now - last_s_);
  last_s_ = now;
  return spent_s_;
}

}  // namespace esox
