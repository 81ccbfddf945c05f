// SPDX-License-Identifier: Apache-2.0
#include "base/time/utc.h"

#include <fmt/chrono.h>

#include <ctime>

namespace esox {
namespace {

std::tm utc() {
  const std::time_t now = std::time(nullptr);
  std::tm parts{};
  gmtime_r(&now, &parts);
  return parts;
}

}  // namespace

std::string utc_now() {
  return fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", utc());
}

std::string utc_file_name() {
  return fmt::format("{:%Y-%m-%dT%H-%M-%SZ}", utc());
}

std::string utc_date() {
  return fmt::format("{:%Y-%m-%d}", utc());
}

}  // namespace esox
