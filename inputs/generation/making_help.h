// SPDX-License-Identifier: Apache-2.0
// What the caller of a Maker knows and the maker does not.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "inputs/input.h"

namespace esox {

struct MakingHelp {
  const Input* other = nullptr;  // kSplice: an input over another setup
  std::string request;           // kComplete: what reaches a place that few requests reach
  // How much a pair of kinds of requests, of different clients, is wanted: 0 to 1, as
  // 1 / (1 + how often it was tried). Empty: all alike.
  std::function<double(std::string_view, std::string_view)> wanted;
};

}  // namespace esox
