// SPDX-License-Identifier: Apache-2.0
// The command that a night runs at its end, for mail or chat. It is told what there is to tell by
// its environment; what becomes of it never changes what became of the night.
#pragma once

#include <chrono>
#include <filesystem>
#include <string>
#include <vector>

namespace esox {

struct HookResult {
  bool ran = false;
  std::string trouble;  // empty: it ended with status 0
};

// By sh -c, in `folder`, its output in folder/hook.log; killed with all it started once the limit
// is over. `environment`: "NAME=value", beside esox's own. Never throws.
HookResult run_hook(const std::string& command, std::chrono::milliseconds limit,
                    const std::filesystem::path& folder,
                    const std::vector<std::string>& environment);

}  // namespace esox
