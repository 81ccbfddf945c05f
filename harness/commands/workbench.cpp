// SPDX-License-Identifier: Apache-2.0
#include "harness/commands/workbench.h"

#include <fmt/format.h>

#include <cstdio>
#include <mutex>
#include <stdexcept>

#include "harness/commands/command.h"
#include "harness/engine/data_choice_list.h"
#include "harness/engine/known_servers.h"
#include "inputs/reader.h"
#include "targets/registry.h"

namespace esox {
namespace {

Isolation isolation_of(const std::string& name) {
  for (const Isolation one : {Isolation::kSnapshot, Isolation::kRestart}) {
    if (name == isolation_name(one)) return one;
  }
  return Isolation::kAuto;
}

// Once, whichever worker is the first.
void tell_fallback(const std::string& reason) {
  static std::once_flag told;
  std::call_once(told, [&] {
    std::fprintf(stderr,
                 "esox: no snapshots here, so the server is restarted for each execution, which "
                 "takes some sixty times as long; see esox doctor. Why: %s\n",
                 reason.c_str());
  });
}

}  // namespace

const Target& target_wanted(const std::string& name, const std::string& program) {
  return name.empty() ? target_of(program) : target_named(name);
}

Input trial_input(const Target& target) {
  const std::string own = target.trial_input();
  Input input = own.empty() ? read_inputs(target.hunted_inputs(), languages()).at(0)
                            : parse_inputs(own, "trial", languages()).at(0);
  adapt_input(input, target);
  return input;
}

Workbench make_workbench(const CommonOptions& options, const std::string& kind) {
  Workbench bench;
  bench.executor.control.data_choices = options.data_choices.empty()
                                            ? DataChoiceModes{}
                                            : data_choices_given(options, DataChoiceUse::kServer);
  bench.executor.preload_library = find_preload(options.preload);
  bench.executor.base = temporary_base();
  bench.executor.isolation = isolation_of(options.isolation);
  bench.executor.on_fallback = tell_fallback;
  const Target& target = target_named(kind);
  bench.server =
      target.make_server({options.server, options.server_options, {}, bench.executor.base});
  bench.server->prepare();
  bench.description = {target.version_name(bench.server->version()),
                       bench.server->program().string(), options.server_options};
  bench.not_summarised = target.state_gap(*bench.server, options.server_options).what;
  return bench;
}

std::string server_kind(const std::vector<ConcreteInput>& inputs) {
  const std::string kind = inputs.front().input.server();
  for (const ConcreteInput& input : inputs) {
    if (input.input.server() == kind) continue;
    throw UsageError(fmt::format("{} is for {}, {} for {}; run them apart", inputs.front().input.id,
                                 kind, input.input.id, input.input.server()));
  }
  return kind;
}

}  // namespace esox
