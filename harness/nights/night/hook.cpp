// SPDX-License-Identifier: Apache-2.0
#include "harness/nights/night/hook.h"

#include <fmt/format.h>
#include <signal.h>
#include <unistd.h>

#include "base/process/log_file.h"
#include "base/process/process.h"
#include "base/process/server_error.h"

namespace esox {

HookResult run_hook(const std::string& command, std::chrono::milliseconds limit,
                    const std::filesystem::path& folder,
                    const std::vector<std::string>& environment) {
  HookResult result;
  try {
    ProcessPlan plan;
    plan.program = "/bin/sh";
    plan.arguments = {"-c", command};
    plan.environment = own_environment();
    plan.environment.insert(plan.environment.end(), environment.begin(), environment.end());
    plan.folder = folder;
    plan.log = folder / "hook.log";
    Process process(plan);
    result.ran = true;
    const auto ended = process.wait(limit);
    if (!ended) {
      result.trouble =
          fmt::format("it was still running after {} s and was killed", limit.count() / 1000);
      // Its session is its own (process.h), and so is its group; not yet reaped, the number is too.
      ::kill(-process.pid(), SIGKILL);
    } else if (ended->signal != 0 || ended->code != 0) {
      const std::string said = tail_of(plan.log, 1);
      result.trouble = text_of(*ended) + (said.empty() ? "" : ": " + said);
    }
  } catch (const ServerError& error) {
    result.trouble = error.what();
  }
  return result;
}

}  // namespace esox
