// SPDX-License-Identifier: Apache-2.0
// See duration.h.
#include "harness/commands/duration.h"

#include <fmt/format.h>

#include "harness/commands/command.h"

namespace esox {

std::chrono::milliseconds duration_given(const char* option, const std::string& text) {
  if (const auto duration = parse_duration(text)) return *duration;
  throw UsageError(fmt::format("{} {}: not a duration; write 90s, 2m or 1h30m", option, text));
}

}  // namespace esox
