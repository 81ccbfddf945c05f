// SPDX-License-Identifier: Apache-2.0
// esox's whole command line: what there is, and one line for each command.
#include "harness/commands/command.h"
#include "harness/commands/completion_command.h"
#include "harness/commands/manual/help_format.h"
#include "harness/commands/version/build_facts.h"

namespace esox {
namespace {

constexpr const char* kDescription =
    "esox runs one server thread at a time by a schedule of its choice, plays concurrent clients,\n"
    "and tells when what they see - or the state left behind - fits no serial order of their "
    "requests.";

constexpr const char* kExamples = R"(
Examples:
  esox doctor                 can this machine do it?
  esox init mariadb           a hunt file for every night, to be run by esox night FILE
  esox hunt --budget 2m       look for bugs with the inputs that come with esox
  esox run my.yaml            one input: which outcomes are there?
  esox replay esox-out/2025-11-21-101500/findings/0123456789abcdef --times 20
  esox diagnose esox-out/2025-11-21-101500/findings/0123456789abcdef   why did it happen?
  esox verify esox-out/2025-11-21-101500/findings/0123456789abcdef --server NEW   is it fixed?
  esox exec -- ./my_test      any pthread program: under which schedules does it fail?

Exit status: 0 nothing found, 1 findings, 2 wrong use or bad input, 3 esox itself failed.)";

}  // namespace

void define_command_line(CLI::App& app, Chosen& chosen) {
  app.name("esox");
  app.description(kDescription);
  app.set_version_flag("--version", version_text, "version, and what this esox was made of");
  app.require_subcommand(1);
  app.footer(kExamples);
  app.formatter(std::make_shared<HelpFormatter>());  // of all commands added after it
  add_hunt_command(app, chosen);
  add_init_command(app, chosen);
  add_run_command(app, chosen);
  add_exec_command(app, chosen);
  add_replay_command(app, chosen);
  add_diagnose_command(app, chosen);
  add_report_command(app, chosen);
  add_minimise_command(app, chosen);
  add_night_command(app, chosen);
  add_nights_command(app, chosen);
  add_triage_command(app, chosen);
  add_merge_command(app, chosen);
  add_slurm_command(app, chosen);
  add_kubernetes_command(app, chosen);
  add_verify_command(app, chosen);
  add_export_command(app, chosen);
  add_doctor_command(app, chosen);
  add_bench_command(app, chosen);
  add_filters_command(app, chosen);
  add_structures_command(app, chosen);
  add_import_command(app, chosen);
  add_completion_command(app, chosen);
  add_manual_command(app, chosen);
  name_values(app);
}

}  // namespace esox
