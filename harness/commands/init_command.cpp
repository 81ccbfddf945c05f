// SPDX-License-Identifier: Apache-2.0
// esox init: writes a hunt file that works at once.
#include <fmt/format.h>

#include <filesystem>
#include <system_error>

#include "harness/commands/command.h"
#include "harness/commands/output.h"
#include "harness/nights/hunt_file/hunt_file_reader.h"
#include "harness/records/out_folder.h"
#include "inputs/input.h"
#include "targets/registry.h"

namespace esox {
namespace {

struct InitOptions {
  std::string server;
  std::string out = "nightly.yaml";
};

constexpr const char* kInitExamples = R"(
Examples:
  esox init mariadb                     writes nightly.yaml
  esox init memcached --out cache.yaml

Then:
  esox night nightly.yaml --check    what a night would do
  esox night nightly.yaml            one night

A file that is there already is left alone. All its keys: docs/nights.md.

Exit status: 0 written, 2 wrong use, or a file that is there, 3 esox itself failed.)";

int init(const InitOptions& options) {
  std::error_code error;
  if (std::filesystem::exists(std::filesystem::symlink_status(options.out, error))) {
    throw UsageError(
        fmt::format("{} is there already; name another file by --out, or remove it", options.out));
  }
  write_whole_file(options.out, starter_hunt_file(target_named(options.server), options.out));
  put(
      fmt::format("wrote {0}\n  esox night {0} --check    what a night would do\n  "
                  "esox night {0}            one night\n",
                  options.out));
  return kNothingFound;
}

}  // namespace

void add_init_command(Command& app, Chosen& chosen) {
  const auto [command, options] = define<InitOptions>(
      app, chosen, {"init", "write a hunt file, for a hunt each night", kInitExamples}, init);
  command.add_option("SERVER", options.server, target_names())->required();
  command.add_defaulted("--out", options.out, "the file to write")->type_name("FILE");
}

}  // namespace esox
