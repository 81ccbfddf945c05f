// SPDX-License-Identifier: Apache-2.0
// What all commands share: how one is chosen, and what its exit status means.
//
// A command is one file: it adds its subcommand with its options to the app; if the command line
// names it, `chosen` is set to what it does. command_line.cpp registers each with one line.
#pragma once

#include <exception>
#include <functional>
#include <memory>
#include <stdexcept>

#include "harness/commands/cli.h"

namespace esox {

inline constexpr int kNothingFound = 0;
inline constexpr int kFound = 1;
inline constexpr int kBadInput = 2;    // wrong use, bad input, or a machine that cannot
inline constexpr int kEsoxFailed = 3;  // a fault of esox

class ServerError;

// Wrong use of the command line. what() is one line that says what to do instead.
class UsageError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

using Chosen = std::function<int()>;  // gives the exit status; may throw

struct CommandWords {
  const char* name;
  const char* what;         // in the list of commands
  const char* footer = "";  // examples, exit status
};

// A command, and what the line says of its options.
template <class Options>
struct DefinedCommand {
  Command& command;
  Options& options;
};

// Adds a command to the one above it: what the line names last is chosen, to be run with its
// options.
template <class Options, class Run>
DefinedCommand<Options> define(Command& above, Chosen& chosen, const CommandWords& words, Run run) {
  Command& command = *above.add_subcommand(words.name, words.what);
  auto options = std::make_shared<Options>();
  command.footer(words.footer);
  command.callback([&chosen, &command, options, run] {
    if (!command.has_parsed_subcommand()) chosen = [options, run] { return run(*options); };
  });
  return {command, *options};
}

// The whole of it: every command, and what concerns all. Parsing a line by root.app() afterwards
// runs nothing; failures are the caller's to tell.
void define_command_line(Command& root, Chosen& chosen);

void add_hunt_command(Command& app, Chosen& chosen);
void add_night_command(Command& app, Chosen& chosen);
void add_nights_command(Command& app, Chosen& chosen);
void add_init_command(Command& app, Chosen& chosen);
void add_import_command(Command& app, Chosen& chosen);
void add_generate_command(Command& app, Chosen& chosen);
void add_grammar_command(Command& app, Chosen& chosen);
void add_run_command(Command& app, Chosen& chosen);
void add_exec_command(Command& app, Chosen& chosen);
void add_replay_command(Command& app, Chosen& chosen);
void add_verify_command(Command& app, Chosen& chosen);
void add_affected_command(Command& app, Chosen& chosen);
void add_export_command(Command& app, Chosen& chosen);
void add_diagnose_command(Command& app, Chosen& chosen);
void add_report_command(Command& app, Chosen& chosen);
void add_minimise_command(Command& app, Chosen& chosen);
void add_reproduce_command(Command& app, Chosen& chosen);
void add_bench_command(Command& app, Chosen& chosen);
void add_structures_command(Command& app, Chosen& chosen);
void add_filters_command(Command& app, Chosen& chosen);
void add_merge_command(Command& app, Chosen& chosen);
void add_slurm_command(Command& app, Chosen& chosen);
void add_kubernetes_command(Command& app, Chosen& chosen);
void add_triage_command(Command& app, Chosen& chosen);
void add_doctor_command(Command& app, Chosen& chosen);
// Those that tell of all commands.
void add_completion_command(Command& app, Chosen& chosen);
void add_manual_command(Command& app, Chosen& chosen);  // hidden

// One line on the standard error output, with the end of the server's log where there is one; gives
// the exit status that fits.
int tell_error(const std::exception_ptr& error);
// The same of this one; `log` is what its details are called.
int tell_server_error(const ServerError& error, const char* log);

}  // namespace esox
