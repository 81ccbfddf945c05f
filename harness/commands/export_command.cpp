// SPDX-License-Identifier: Apache-2.0
// esox export: a finding as a folder for a bug tracker.
#include <fmt/format.h>

#include <filesystem>

#include "harness/commands/command.h"
#include "harness/commands/finding_bench.h"
#include "harness/commands/output.h"
#include "harness/findings/export/export_folder.h"
#include "harness/records/finding_file.h"

namespace esox {
namespace {

constexpr const char* kExportExamples = R"(
Examples:
  esox export esox-out/2025-11-21-101500/findings/0123456789abcdef --to bundle
  tar czf bundle.tar.gz bundle

The folder explains itself (README.md) and tells nothing of this machine. What was made of the
finding is taken along, so run esox diagnose, esox reproduce and esox affected first.

Exit status: 0 written, 2 wrong use or bad input, 3 esox itself failed.)";

struct ExportOptions {
  std::string finding;
  std::string to;
};

int export_finding(const ExportOptions& options) {
  const std::filesystem::path file = finding_file(options.finding);
  const Finding finding = read_finding(file);
  const auto files = exported_files(finding, company_of(file));
  write_export(options.to, files);
  put_line(fmt::format("{}: {} files; begin with README.md", options.to, files.size()));
  return kNothingFound;
}

}  // namespace

void add_export_command(Command& app, Chosen& chosen) {
  const auto [command, options] = define<ExportOptions>(
      app, chosen, {"export", "a finding as a folder for a bug tracker", kExportExamples},
      export_finding);
  add_finding_argument(command, options.finding);
  command.add_option("--to", options.to, "the folder to make; it must not be there")->required();
}

}  // namespace esox
