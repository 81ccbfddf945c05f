// SPDX-License-Identifier: Apache-2.0
// esox's whole command line: what there is, and one line for each command.
#include <CLI/CLI.hpp>

#include "harness/commands/command.h"
#include "harness/commands/manual/help_format.h"
#include "harness/commands/version/build_facts.h"

namespace esox {
namespace {

constexpr const char* kDescription =
    "esox runs one server thread at a time by a schedule of its choice, plays concurrent clients,\n"
    "and tells when what they see - or the state left behind - fits no serial order of their "
    "requests.";

constexpr const char* kCommandLineExamples = R"(
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

void define_command_line(Command& root, Chosen& chosen) {
  CLI::App& app = root.app();
  app.name("esox");
  app.description(kDescription);
  app.set_version_flag("--version", version_text, "version, and what this esox was made of");
  app.require_subcommand(1);
  app.footer(kCommandLineExamples);
  format_help(app);
  add_hunt_command(root, chosen);
  add_init_command(root, chosen);
  add_generate_command(root, chosen);
  add_grammar_command(root, chosen);
  add_run_command(root, chosen);
  add_exec_command(root, chosen);
  add_replay_command(root, chosen);
  add_diagnose_command(root, chosen);
  add_report_command(root, chosen);
  add_minimise_command(root, chosen);
  add_night_command(root, chosen);
  add_nights_command(root, chosen);
  add_triage_command(root, chosen);
  add_merge_command(root, chosen);
  add_slurm_command(root, chosen);
  add_kubernetes_command(root, chosen);
  add_verify_command(root, chosen);
  add_affected_command(root, chosen);
  add_reproduce_command(root, chosen);
  add_export_command(root, chosen);
  add_doctor_command(root, chosen);
  add_bench_command(root, chosen);
  add_filters_command(root, chosen);
  add_structures_command(root, chosen);
  add_import_command(root, chosen);
  add_completion_command(root, chosen);
  add_manual_command(root, chosen);
  name_values(app);
}

}  // namespace esox
