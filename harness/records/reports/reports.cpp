// SPDX-License-Identifier: Apache-2.0
#include "harness/records/reports/reports.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>

#include "base/mapped.h"
#include "harness/records/lines.h"
#include "harness/records/out_folder.h"
#include "harness/records/reports/report_error.h"
#include "harness/records/summary_text.h"

namespace esox {
namespace {

namespace fs = std::filesystem;

std::string text(const ReportData& data) {
  return summary_text(data.hunt, data.hunt.findings.size());
}

// Of a format that links to no file.
template <std::string (*kReport)(const ReportData&)>
std::string anywhere(const ReportData& data, const fs::path& /*place*/) {
  return kReport(data);
}

struct Writer {
  ReportFormat format;
  std::string_view name;
  const char* file;
  std::string (*render)(const ReportData&, const fs::path&);
};

constexpr Writer kWriters[] = {
    {ReportFormat::kHtml, "html", "report.html", report_html},
    {ReportFormat::kText, "text", "report.txt", anywhere<text>},
    {ReportFormat::kJson, "json", "report.json", anywhere<report_whole_json>},
    {ReportFormat::kJunit, "junit", "junit.xml", anywhere<report_junit>},
    {ReportFormat::kSarif, "sarif", "report.sarif", anywhere<report_sarif>}};

const Writer& writer_of(ReportFormat format) {
  return *std::ranges::find(kWriters, format, &Writer::format);
}

std::string known_formats() {
  return fmt::format("{}", fmt::join(report_format_names(), ", "));
}

}  // namespace

std::string finding_text(const FindingDetails& finding) {
  std::string text;
  const auto add = [&](std::string_view label, const std::string& value) {
    if (!value.empty()) text += fmt::format("{}: {}\n", label, value);
  };
  for (const NamedText& request : finding.requests) add(request.name, request.text);
  add("wrong", finding.wrong);
  add("expected", finding.expected);
  add("seen", finding.seen);
  if (finding.diagnosis) add("critical switch", finding.diagnosis->sentence);
  return text;
}

std::vector<std::string_view> report_format_names() {
  return mapped<std::string_view>(kWriters, &Writer::name);
}

std::vector<ReportFormat> report_formats(const std::string& list) {
  std::vector<ReportFormat> formats;
  for (const std::string& name : parts_of(list, ',')) {
    const auto found = std::ranges::find(kWriters, name, &Writer::name);
    if (found == std::end(kWriters)) {
      throw ReportError(
          fmt::format("'{}' is not a format of reports; write {}", name, known_formats()));
    }
    if (std::ranges::find(formats, found->format) == formats.end()) {
      formats.push_back(found->format);
    }
  }
  if (formats.empty()) throw ReportError("no format of reports; write " + known_formats());
  return formats;
}

const char* report_file_name(ReportFormat format) {
  return writer_of(format).file;
}

std::string render_report(const ReportData& data, ReportFormat format, const fs::path& place) {
  return writer_of(format).render(data, place);
}

std::vector<fs::path> write_reports(const ReportData& data,
                                    const std::vector<ReportFormat>& formats) {
  std::vector<fs::path> written;
  for (const ReportFormat format : formats) {
    const fs::path file = data.out / report_file_name(format);
    write_whole_file(file, render_report(data, format, data.out));
    written.push_back(file);
  }
  return written;
}

}  // namespace esox
