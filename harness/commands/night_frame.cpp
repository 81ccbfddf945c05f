// SPDX-License-Identifier: Apache-2.0
// See night_frame.h.
#include "harness/commands/night_frame.h"

#include <fmt/format.h>

#include <cstdio>
#include <stdexcept>

#include "base/process/server_error.h"
#include "harness/commands/command.h"
#include "harness/nights/hunt_file/server_place.h"
#include "harness/nights/night/morning_files.h"
#include "harness/nights/night/recheck.h"
#include "targets/registry.h"

namespace esox {
namespace {

namespace fs = std::filesystem;

fs::path store_of(const Supervisor& supervisor) {
  return supervisor.order().file.out / "findings.db";
}

// A server that is not there is told of by its legs.
std::vector<RecheckTarget> targets_of(const Supervisor& supervisor) {
  const HuntFile& file = supervisor.order().file;
  std::vector<RecheckTarget> targets;
  for (const Leg& leg : supervisor.legs()) {
    try {
      targets.push_back({leg.server.name,
                         program_of(leg.server, target_named(file.server_kind).places()),
                         leg.options.server_options});
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

Morning morning_of(Supervisor& supervisor, const fs::path& metrics) {
  Store store(store_of(supervisor));
  Morning morning = gather_morning(supervisor.report(), supervisor.folder(), store);
  write_morning(morning, supervisor.folder(), metrics);
  return morning;
}

}  // namespace

void recheck_first(Supervisor& supervisor, const std::atomic<bool>& stop, double budget_s) {
  RecheckOrder order;
  order.night = supervisor.report().id;
  order.esox = supervisor.order().esox;
  order.targets = targets_of(supervisor);
  order.budget = std::chrono::milliseconds(static_cast<int64_t>(budget_s * 1000));
  order.isolation = supervisor.order().file.isolation;
  order.folder = supervisor.folder();
  try {
    Store store(store_of(supervisor));
    const RecheckAccount account =
        recheck_known(order, store, stop, [&](const Rechecked& one) { tell(supervisor, one); });
    supervisor.log().write("known findings were tried again", "",
                           {{"tried", account.tried.size()},
                            {"no_time_for", account.left},
                            {"no_file_of", account.no_file},
                            {"seconds", account.seconds}});
    morning_of(supervisor, {});
  } catch (const std::runtime_error& error) {
    supervisor.report().missing.push_back(
        fmt::format("known findings could not be tried again: {}", error.what()));
  }
}

std::optional<Morning> end_in_the_morning(Supervisor& supervisor) {
  try {
    return morning_of(supervisor, supervisor.order().file.outputs.metrics);
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
