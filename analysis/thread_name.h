// SPDX-License-Identifier: Apache-2.0
// What a controlled thread is called where people read of it.
#pragma once

#include <fmt/format.h>

#include <string>
#include <vector>

#include "analysis/finding.h"  // client_names()
#include "preload/protocol/trace_event.h"

namespace esox {

// A client's thread bears the client's name; others, of a program or the server's own, their number
// (client_names() gives `names`).
inline std::string thread_name(const std::vector<std::string>& names, ThreadId thread) {
  return thread < names.size() ? names[thread] : fmt::format("T{}", thread);
}

}  // namespace esox
