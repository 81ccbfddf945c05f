// SPDX-License-Identifier: Apache-2.0
// What all commands share: how one is chosen, and what its exit status means.
//
// A command is one file: it adds its subcommand with its options to the app; if the command line
// names it, `chosen` is set to what it does. command_line.cpp registers each with one line.
#pragma once

#include <exception>
#include <functional>
#include <stdexcept>

#include "harness/commands/cli.h"

namespace esox {

inline constexpr int kNothingFound = 0;
inline constexpr int kFound = 1;
inline constexpr int kBadInput = 2;    // wrong use, bad input, or a machine that cannot
inline constexpr int kEsoxFailed = 3;  // a fault of esox

// Wrong use of the command line. what() is one line that says what to do instead.
class UsageError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

using Chosen = std::function<int()>;  // gives the exit status; may throw

// The whole of it: every command, and what concerns all. Parsing a line by root.app() afterwards
// runs nothing; failures are the caller's to tell.
void define_command_line(Command& root, Chosen& chosen);

void add_hunt_command(Command& app, Chosen& chosen);
void add_night_command(Command& app, Chosen& chosen);
void add_nights_command(Command& app, Chosen& chosen);
void add_init_command(Command& app, Chosen& chosen);
void add_import_command(Command& app, Chosen& chosen);
void add_run_command(Command& app, Chosen& chosen);
void add_exec_command(Command& app, Chosen& chosen);
void add_replay_command(Command& app, Chosen& chosen);
void add_verify_command(Command& app, Chosen& chosen);
void add_export_command(Command& app, Chosen& chosen);
void add_diagnose_command(Command& app, Chosen& chosen);
void add_report_command(Command& app, Chosen& chosen);
void add_minimise_command(Command& app, Chosen& chosen);
void add_bench_command(Command& app, Chosen& chosen);
void add_structures_command(Command& app, Chosen& chosen);
void add_filters_command(Command& app, Chosen& chosen);
void add_merge_command(Command& app, Chosen& chosen);
void add_slurm_command(Command& app, Chosen& chosen);
void add_kubernetes_command(Command& app, Chosen& chosen);
void add_triage_command(Command& app, Chosen& chosen);
void add_doctor_command(Command& app, Chosen& chosen);

// One line on the standard error output, with the end of the server's log where there is one; gives
// the exit status that fits.
int tell_error(const std::exception_ptr& error);

}  // namespace esox
