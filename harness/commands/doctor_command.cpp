// SPDX-License-Identifier: Apache-2.0
// esox doctor: can this machine hunt, and if not, what to do.
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>

#include "harness/commands/command.h"
#include "harness/commands/doctor_checks.h"
#include "harness/commands/stop_signals.h"
#include "harness/commands/workbench.h"
#include "targets/registry.h"

namespace esox {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kExamples = R"(
Examples:
  esox doctor
  esox doctor memcached
  esox doctor --server /opt/mariadb/sbin/mariadbd --json

Exit status: 0 hunting is possible, 2 it is not (or wrong use), 3 esox itself failed.)";

std::string results_text(const std::vector<CheckResult>& results, bool possible) {
  std::string text;
  for (const CheckResult& result : results) {
    text +=
        fmt::format("{:<8} {:<22} {}\n", health_name(result.health), result.name, result.finding);
    if (!result.remedy.empty()) text += fmt::format("{:31} -> {}\n", "", result.remedy);
  }
  return text + (possible ? "\nHunting is possible. Try: esox hunt --budget 2m\n"
                          : "\nHunting is not possible yet: see the problems above.\n");
}

std::string results_json(const std::vector<CheckResult>& results, bool possible) {
  Json json = {{"version", kEsoxVersion}, {"possible", possible}, {"checks", Json::array()}};
  for (const CheckResult& result : results) {
    json["checks"].push_back({{"name", result.name},
                              {"health", health_name(result.health)},
                              {"finding", result.finding},
                              {"remedy", result.remedy}});
  }
  return json_text(json);
}

struct DoctorOptions {
  std::string target;  // empty: the one whose program --server names
  CommonOptions common;
};

int doctor(const DoctorOptions& options) {
  const StopSignals signals;
  const std::vector<CheckResult> results = examine_machine(
      options.target.empty() ? target_of(options.common.server) : target_named(options.target),
      options.common);
  const bool possible = std::none_of(results.begin(), results.end(), [](const CheckResult& result) {
    return result.health == Health::kBad;
  });
  put_report(options.common.json, results_text(results, possible), results_json(results, possible));
  return possible ? kNothingFound : kBadInput;
}

}  // namespace

void add_doctor_command(Command& app, Chosen& chosen) {
  Command* command = app.add_subcommand("doctor", "what this machine can and cannot do for esox");
  auto options = std::make_shared<DoctorOptions>();
  command->add_option("SERVER", options->target,
                      "for which server: " + target_names() + " (default: as --server's program)");
  add_common_options(*command, options->common);
  command->footer(kExamples);
  command->callback([&chosen, options] { chosen = [options] { return doctor(*options); }; });
}

}  // namespace esox
