// SPDX-License-Identifier: Apache-2.0
#include "harness/commands/esox_main.h"

#include <fcntl.h>
#include <signal.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "harness/commands/command.h"
#include "harness/commands/json_option.h"

namespace esox {
namespace {

std::string error_line(const CLI::App* app, const CLI::Error& error) {
  std::string name = app->get_name();
  for (const CLI::App* command : app->get_subcommands()) name += " " + command->get_name();
  return "esox: " + std::string(error.what()) + "; see " + name + " --help\n";
}

// Whoever starts us without one of them would get our next file or socket in its place, and we
// would take that for the terminal.
void open_standard_descriptors() {
  for (int fd = 0; fd <= 2; ++fd) {
    if (fcntl(fd, F_GETFD) < 0) open("/dev/null", O_RDWR);  // takes the lowest free number
  }
}

int run_command_line(int argc, char** argv) {
  // Neither a reader of our output that goes away nor a limit on file sizes may end a hunt without
  // a word; both are errors of the write, which are looked at where they matter.
  signal(SIGPIPE, SIG_IGN);
  signal(SIGXFSZ, SIG_IGN);

  Command root;
  CLI::App& app = root.app();
  Chosen chosen;
  app.failure_message(error_line);
  define_command_line(root, chosen);
  try {
    std::vector<std::string> arguments = with_json_values({argv + 1, argv + argc});
    std::ranges::reverse(arguments);  // as CLI11 wants them
    app.parse(std::move(arguments));
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? kNothingFound : kBadInput;
  }
  return chosen();
}

}  // namespace

int esox_main(int argc, char** argv) {
  open_standard_descriptors();
  try {
    return run_command_line(argc, argv);
  } catch (...) {
    return tell_error(std::current_exception());
  }
}

}  // namespace esox
