// SPDX-License-Identifier: Apache-2.0
// esox report: what a hunt found, as a page, a text, or for other tools; of a night, its summary.
// Nothing is executed.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cstdio>

#include "base/process/paths.h"
#include "harness/commands/command.h"
#include "harness/commands/output.h"
#include "harness/nights/night/night_report.h"
#include "harness/nights/night/night_summary.h"
#include "harness/nights/night/night_summary_files.h"
#include "harness/records/out_folder.h"
#include "harness/records/reports/reports.h"

namespace esox {
namespace {

namespace fs = std::filesystem;

constexpr const char* kReportExamples = R"(
Examples:
  esox report esox-out/2025-11-21-101500                        report.html, in that folder
  esox report esox-out/2025-11-21-101500 --format html,junit,sarif
  esox report esox-out/2025-11-21-101500 --format junit --out test-results/esox.xml
  esox report esox-out/2025-11-21-101500 --format text --out -
  esox report nightly/nights/2026-11-22T02-00-00Z                the summary of a night, anew

A report is made of OUT/hunt.json and OUT/findings/ alone, so that it can be made again after
`esox diagnose` has added to them. How to read it: docs/reports.md. Of a night of a hunt file, the
formats are html and text, and all of the night's summary is made anew: docs/night-summaries.md.

Exit status: 0 written, 2 wrong use or bad input, 3 esox itself failed.)";

struct ReportOptions {
  std::string hunt;
  std::string formats = "html";
  std::string out;
};

// Throws OutError.
void put_whole(const std::string& text) {
  if (std::fwrite(text.data(), 1, text.size(), stdout) != text.size() || std::fflush(stdout)) {
    throw OutError("cannot write the report to the standard output; name a file by --out");
  }
}

// To one file, or to the standard output.
void write_to(const ReportData& data, ReportFormat format, const std::string& out) {
  if (out == "-") return put_whole(render_report(data, format, data.out));
  const fs::path file(out);
  write_whole_file(file, render_report(data, format, fs::absolute(file).parent_path()));
}

// ---- a night

int report_night(const ReportOptions& options) {
  const fs::path folder = fs::absolute(options.hunt).lexically_normal();
  const fs::path night = folder.has_filename() ? folder : folder.parent_path();
  const fs::path file = night.parent_path().parent_path() / "findings.db";
  if (!is_there(file)) {
    throw UsageError(
        fmt::format("the night's triage store {} is not there; a night lies in "
                    "OUT/nights beside OUT/findings.db",
                    file.string()));
  }
  if (options.formats != "html" && options.formats != "text") {
    throw UsageError(
        fmt::format("--format {}: a night's summary is html or text; its stages, in {}, "
                    "are hunts with reports in all formats",
                    options.formats, night.string()));
  }
  Store store(file);
  const NightSummary summary = gather_night_summary(read_night(night), night, store);
  if (options.out.empty()) {
    write_night_summary(summary, night);
    for (const char* name : {"summary.txt", "summary.html", "changes.json", "esox.prom"}) {
      put_whole((night / name).string() + "\n");
    }
    return kNothingFound;
  }
  const std::string text =
      options.formats == "html" ? night_summary_html(summary) : night_summary_text(summary);
  options.out == "-" ? put_whole(text) : write_whole_file(options.out, text);
  return kNothingFound;
}

int report(const ReportOptions& options) {
  if (is_file(fs::path(options.hunt) / kNightFile)) return report_night(options);
  const std::vector<ReportFormat> formats = report_formats(options.formats);
  if (!options.out.empty() && formats.size() > 1) {
    throw UsageError("--out names one file; give one --format with it");
  }
  const ReportData data = read_report_data(options.hunt);
  for (const std::string& line : data.damages()) warn("WARNING: " + line);
  if (!options.out.empty()) {
    write_to(data, formats.front(), options.out);
    return kNothingFound;
  }
  for (const fs::path& file : write_reports(data, formats)) put_line(file.string());
  return kNothingFound;
}

// "html (report.html), text (report.txt), ..."
std::string formats_and_files() {
  std::vector<std::string> all;
  for (const std::string_view name : report_format_names()) {
    const ReportFormat format = report_formats(std::string(name)).front();
    all.push_back(fmt::format("{} ({})", name, report_file_name(format)));
  }
  return fmt::format("{}", fmt::join(all, ", "));
}

}  // namespace

void add_report_command(Command& app, Chosen& chosen) {
  const auto [command, options] = define<ReportOptions>(
      app, chosen, {"report", "a hunt's report, for people and for programs", kReportExamples},
      report);
  command.add_option("OUT", options.hunt, "the folder that a hunt made, or of a night")->required();
  command.add_defaulted("--format", options.formats, "which, with commas: " + formats_and_files());
  command
      .add_option("--out", options.out,
                  "the file to write, of one format; - is the standard output (default: in OUT)")
      ->type_name("FILE");
}

}  // namespace esox
