// SPDX-License-Identifier: Apache-2.0
// See night_clock.h.
#include "harness/night/night_clock.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <ctime>
#include <utility>

namespace esox {

double boot_seconds() {
  timespec now{};
  clock_gettime(CLOCK_BOOTTIME, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) / 1e9;
}

std::string utc_now() {
  const std::time_t now = std::time(nullptr);
  std::tm utc{};
  gmtime_r(&now, &utc);
  return fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", utc);
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
