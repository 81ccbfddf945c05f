// SPDX-License-Identifier: Apache-2.0
// Whether threads of the server's own are scheduled beside its clients' (docs/background.md).
#pragma once

#include <cstdint>
#include <string>

#include "base/text/enum_names.h"

namespace esox {

// kAuto: of an input whose serial orders show work of theirs that meets the clients.
enum class Background : uint8_t { kOff = 0, kOn = 1, kAuto = 2 };

inline constexpr const char* kBackgroundNames[] = {"off", "on", "auto"};

// Of a name that was checked to be one.
inline Background background_of(const std::string& name) {
  return value_in<Background>(kBackgroundNames, name).value_or(Background::kOff);
}

}  // namespace esox
