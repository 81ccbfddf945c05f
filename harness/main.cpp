// SPDX-License-Identifier: Apache-2.0
// esox: finds concurrency bugs in unmodified database servers. See README.md and `esox --help`.
#include <signal.h>

#include <cstdio>
#include <string>

#include "harness/commands/command.h"
#include "harness/commands/completion_command.h"
#include "harness/commands/nights_command.h"
#include "harness/manual/help_format.h"
#include "harness/version/build_facts.h"

namespace {

constexpr const char* kDescription =
    "esox runs one server thread at a time by a schedule of its choice, plays concurrent clients,\n"
    "and tells when what they see - or the state left behind - fits no serial order of their "
    "requests.";

constexpr const char* kExamples = R"(
Examples:
  esox doctor                 can this machine do it?
  esox init mariadb           a hunt file for every night, to be run by esox hunt --config FILE
  esox hunt --budget 2m       look for bugs with the inputs that come with esox
  esox run my.yaml            one input: which outcomes are there?
  esox replay esox-out/2025-11-21-101500/findings/0123456789abcdef --times 20
  esox diagnose esox-out/2025-11-21-101500/findings/0123456789abcdef   why did it happen?
  esox verify esox-out/2025-11-21-101500/findings/0123456789abcdef --server NEW   is it fixed?
  esox exec -- ./my_test      any pthread program: under which schedules does it fail?

Exit status: 0 nothing found, 1 findings, 2 wrong use or bad input, 3 esox itself failed.)";

std::string error_line(const CLI::App* app, const CLI::Error& error) {
  std::string name = app->get_name();
  for (const CLI::App* command : app->get_subcommands()) name += " " + command->get_name();
  return "esox: " + std::string(error.what()) + "; see " + name + " --help\n";
}

int run_command_line(int argc, char** argv) {
  // Neither a reader of our output that goes away nor a limit on file sizes may end a hunt without
  // a word; both are errors of the write, which are looked at where they matter.
  signal(SIGPIPE, SIG_IGN);
  signal(SIGXFSZ, SIG_IGN);

  CLI::App app(kDescription, "esox");
  app.set_version_flag("--version", esox::version_text, "version, and what this esox was made of");
  app.require_subcommand(1);
  app.footer(kExamples);
  app.failure_message(error_line);
  app.formatter(std::make_shared<esox::HelpFormatter>());
  esox::Chosen chosen;
  esox::add_hunt_command(app, chosen);
  esox::add_init_command(app, chosen);
  esox::add_run_command(app, chosen);
  esox::add_exec_command(app, chosen);
  esox::add_replay_command(app, chosen);
  esox::add_diagnose_command(app, chosen);
  esox::add_report_command(app, chosen);
  esox::add_minimise_command(app, chosen);
  esox::add_nights_command(app, chosen);
  esox::add_triage_command(app, chosen);
  esox::add_merge_command(app, chosen);
  esox::add_slurm_command(app, chosen);
  esox::add_kubernetes_command(app, chosen);
  esox::add_verify_command(app, chosen);
  esox::add_export_command(app, chosen);
  esox::add_doctor_command(app, chosen);
  esox::add_bench_command(app, chosen);
  esox::add_filters_command(app, chosen);
  esox::add_structures_command(app, chosen);
  esox::add_import_command(app, chosen);
  esox::add_completion_command(app, chosen);
  esox::add_manual_command(app, chosen);
  esox::name_values(app);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? esox::kNothingFound : esox::kBadInput;
  }
  return chosen();
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return run_command_line(argc, argv);
  } catch (...) {
    return esox::tell_error(std::current_exception());
  }
}
