// SPDX-License-Identifier: Apache-2.0
// esox structures check: whether a description of a server's structures fits a program, and what is
// read by it of a running process.
#include <fmt/format.h>

#include "analysis/rows.h"
#include "base/process/find_program.h"
#include "base/yaml/file_text.h"
#include "harness/commands/command.h"
#include "harness/commands/output.h"
#include "harness/engine/structures.h"
#include "summaries/frozen/errors.h"
#include "summaries/frozen/frozen_state.h"
#include "summaries/frozen/program_image.h"
#include "summaries/frozen/structure_reader.h"

namespace esox {
namespace {

constexpr const char* kStructuresExamples = R"(
Examples:
  esox structures check memcached.yaml --server build/memcached/plain/memcached
  esox structures check mine.yaml --pid 4711 --list 100

With --pid all threads of the process stand still while it is read, some milliseconds, and then go
on; a thread in epoll_wait is told EINTR by that, as by a debugger.

Exit status: 0 all components fit, 1 some do not, 2 wrong use or bad input.)";

constexpr pid_t kMostPid = 1 << 22;  // proc(5), pid_max

struct StructuresOptions {
  std::string file;
  std::string server;
  pid_t pid = 0;
  size_t list = 20;
};

void put_elements(const Component& component, size_t most) {
  size_t shown = 0;
  for (const Element& element : component.elements) {
    if (shown++ == most) break;
    const std::string& value = element.value;  // fit for a terminal: structure_reader.cpp
    put_line(element.key.empty() ? "  " + value : fmt::format("  {} = {}", element.key, value));
  }
  if (component.count > shown) put_line(fmt::format("  and {} more", component.count - shown));
}

// True if all could be taken.
bool put_components(const std::vector<Component>& components, bool with_elements, size_t most) {
  bool all = true;
  for (const Component& component : components) {
    if (!component.unavailable.empty()) {
      all = false;
      put_line(
          fmt::format("{}: NOT AVAILABLE: {}", component.name, printable(component.unavailable)));
      continue;
    }
    if (!with_elements) {
      put_line(fmt::format("{}: a {}, fits", component.name, name_of(component.kind)));
      continue;
    }
    put_line(
        fmt::format("{}: a {} of {}", component.name, name_of(component.kind), component.count));
    put_elements(component, most);
  }
  return all;
}

// What a program found by name or path has to say; a wrong one is wrong use.
ProgramImage image_of(const std::string& program) {
  const auto path = find_program({program,
                                  {"a server's program"},
                                  "/usr/sbin:/usr/bin:/usr/local/bin",
                                  "give the path of a server's program by --server"});
  try {
    return ProgramImage::of_file(path.string());
  } catch (const FrozenError& error) {
    throw UsageError(fmt::format("--server: {}", error.what()));
  }
}

int check(const StructuresOptions& options) {
  if (options.server.empty() == (options.pid == 0)) {
    throw UsageError("structures check: give either --server PROGRAM or --pid NUMBER");
  }
  Input input;
  input.structures.push_back({options.file, file_text(options.file)});
  const auto descriptions = structures_of(input);
  bool all = false;
  if (options.pid != 0) {
    FrozenState state([&] { return options.pid; }, descriptions);
    all = put_components(state.take(), true, options.list);
  } else {
    ProgramImage program = image_of(options.server);
    all = put_components(check_structures(*descriptions.front(), program), false, 0);
  }
  return all ? kNothingFound : kFound;
}

}  // namespace

void add_structures_command(Command& app, Chosen& chosen) {
  Command* above =
      app.add_subcommand("structures", "descriptions of what is read of a server's memory");
  above->require_subcommand(1, 1);
  const auto [command, options] = define<StructuresOptions>(
      *above, chosen, {"check", "does a description fit a program?", kStructuresExamples}, check);
  command.add_option("FILE", options.file, "the description, a YAML file")->required();
  command.add_option("--server", options.server, "the server's program, a path or a name");
  command.add_option("--pid", options.pid, "a running process to read it of")
      ->check(within(2, kMostPid));
  command.add_defaulted("--list", options.list, "show so many elements of each component");
}

}  // namespace esox
