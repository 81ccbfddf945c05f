// SPDX-License-Identifier: Apache-2.0
// esox report: what a hunt found, as a page, a text, or for other tools. Nothing is executed.
#include <fmt/format.h>

#include <cstdio>
#include <memory>

#include "harness/commands/command.h"
#include "harness/hunt/out_folder.h"
#include "harness/reports/reports.h"

namespace esox {
namespace {

namespace fs = std::filesystem;

constexpr const char* kExamples = R"(
Examples:
  esox report esox-out/2025-11-21-101500                        report.html, in that folder
  esox report esox-out/2025-11-21-101500 --format html,junit,sarif
  esox report esox-out/2025-11-21-101500 --format junit --out test-results/esox.xml
  esox report esox-out/2025-11-21-101500 --format text --out -

Formats: html (report.html), text (report.txt), json (report.json), junit (junit.xml), sarif
(report.sarif). A report is made of OUT/hunt.json and OUT/findings/ alone, so that it can be made
again after `esox diagnose` has added to them. How to read it: docs/reports.md.

Exit status: 0 written, 2 wrong use or bad input, 3 esox itself failed.)";

struct ReportOptions {
  std::string hunt;
  std::string formats = "html";
  std::string out;
};

void warn(const ReportData& data) {
  for (const std::string& line : data.damages()) {
    std::fputs(fmt::format("esox: WARNING: {}\n", line).c_str(), stderr);
  }
}

// To one file, or to the standard output.
void write_to(const ReportData& data, ReportFormat format, const std::string& out) {
  if (out == "-") {
    const std::string text = render_report(data, format, data.out);
    if (std::fwrite(text.data(), 1, text.size(), stdout) != text.size() || std::fflush(stdout)) {
      throw OutError("cannot write the report to the standard output; name a file by --out");
    }
    return;
  }
  const fs::path file(out);
  write_whole_file(file, render_report(data, format, fs::absolute(file).parent_path()));
}

int report(const ReportOptions& options) {
  const std::vector<ReportFormat> formats = report_formats(options.formats);
  if (!options.out.empty() && formats.size() > 1) {
    throw UsageError("--out names one file; give one --format with it");
  }
  const ReportData data = read_report_data(options.hunt);
  warn(data);
  if (!options.out.empty()) {
    write_to(data, formats.front(), options.out);
    return kNothingFound;
  }
  for (const fs::path& file : write_reports(data, formats)) {
    std::fputs((file.string() + "\n").c_str(), stdout);
  }
  return kNothingFound;
}

}  // namespace

void add_report_command(CLI::App& app, Chosen& chosen) {
  CLI::App* command =
      app.add_subcommand("report", "a hunt's report: HTML, text, JSON, JUnit, SARIF");
  auto options = std::make_shared<ReportOptions>();
  command->add_option("OUT", options->hunt, "the folder that a hunt made")->required();
  command->add_option("--format", options->formats, "html, text, json, junit, sarif; with commas")
      ->capture_default_str();
  command->add_option("--out", options->out,
                      "the file to write, of one format; - is the standard output (default: in "
                      "OUT)");
  command->footer(kExamples);
  command->callback([&chosen, options] { chosen = [options] { return report(*options); }; });
}

}  // namespace esox
