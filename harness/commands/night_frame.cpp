// SPDX-License-Identifier: Apache-2.0
// See night_frame.h.
#include "harness/commands/night_frame.h"

#include <fmt/format.h>

#include <cstdio>
#include <stdexcept>

#include "base/process/server_error.h"
#include "harness/commands/command.h"
#include "harness/nights/hunt_file/server_place.h"
#include "harness/nights/night/night_summary_files.h"
#include "harness/nights/night/recheck.h"
#include "targets/registry.h"

namespace esox {
namespace {

namespace fs = std::filesystem;

fs::path store_of(const Supervisor& supervisor) {
  return supervisor.spec().file.out / "findings.db";
}

// A server that is not there is told of by its stages.
std::vector<RecheckTarget> targets_of(const Supervisor& supervisor) {
  const HuntFile& file = supervisor.spec().file;
  std::vector<RecheckTarget> targets;
  for (const Stage& stage : supervisor.stages()) {
    try {
      targets.push_back({stage.server.name,
                         program_of(stage.server, target_named(file.server_kind).places()),
                         stage.options.server_options});
    } catch (const ServerError&) {
      continue;
    }
  }
  return targets;
}

void tell(Supervisor& supervisor, const Rechecked& one) {
  if (one.regressed) {
    std::fputs(fmt::format("regressed on {}: {} ({})\n", one.server_name, one.headline, one.finding)
                   .c_str(),
               stderr);
  }
  supervisor.log().write_through("known finding tried again", "",
                                 {{"finding", one.finding},
                                  {"server", one.server_name},
                                  {"result", recheck_name(one.result)},
                                  {"why", one.why},
                                  {"regressed", one.regressed}});
}

NightSummary summary_of(Supervisor& supervisor, const fs::path& metrics) {
  Store store(store_of(supervisor));
  NightSummary summary = gather_night_summary(supervisor.report(), supervisor.folder(), store);
  write_night_summary(summary, supervisor.folder(), metrics);
  return summary;
}

}  // namespace

void recheck_first(Supervisor& supervisor, const std::atomic<bool>& stop, double budget_s) {
  RecheckSpec spec;
  spec.night = supervisor.report().id;
  spec.esox = supervisor.spec().esox;
  spec.targets = targets_of(supervisor);
  spec.budget = std::chrono::milliseconds(static_cast<int64_t>(budget_s * 1000));
  spec.isolation = supervisor.spec().file.isolation;
  spec.folder = supervisor.folder();
  try {
    Store store(store_of(supervisor));
    const RecheckAccount account =
        recheck_known(spec, store, stop, [&](const Rechecked& one) { tell(supervisor, one); });
    supervisor.log().write("known findings were tried again", "",
                           {{"tried", account.tried.size()},
                            {"no_time_for", account.left},
                            {"no_file_of", account.no_file},
                            {"seconds", account.seconds}});
    summary_of(supervisor, {});
  } catch (const std::runtime_error& error) {
    supervisor.report().missing.push_back(
        fmt::format("known findings could not be tried again: {}", error.what()));
  }
}

std::optional<NightSummary> end_with_summary(Supervisor& supervisor) {
  try {
    return summary_of(supervisor, supervisor.spec().file.outputs.metrics);
  } catch (...) {
    tell_error(std::current_exception());
    std::fputs(fmt::format("esox: esox report {} makes the night's summary later\n",
                           supervisor.folder().string())
                   .c_str(),
               stderr);
    return std::nullopt;
  }
}

}  // namespace esox
