// SPDX-License-Identifier: Apache-2.0
#include "harness/records/reports/reports.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

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
  const char* name;
  const char* file;
  std::string (*render)(const ReportData&, const fs::path&);
};

constexpr std::array kWriters = {
    Writer{ReportFormat::kHtml, "html", "report.html", report_html},
    Writer{ReportFormat::kText, "text", "report.txt", anywhere<text>},
    Writer{ReportFormat::kJson, "json", "report.json", anywhere<report_whole_json>},
    Writer{ReportFormat::kJunit, "junit", "junit.xml", anywhere<report_junit>},
    Writer{ReportFormat::kSarif, "sarif", "report.sarif", anywhere<report_sarif>}};

const Writer& writer_of(ReportFormat format) {
  return *std::find_if(kWriters.begin(), kWriters.end(),
                       [&](const Writer& one) { return one.format == format; });
}

}  // namespace

std::vector<ReportFormat> report_formats(const std::string& list) {
  std::vector<ReportFormat> formats;
  for (const std::string& name : parts_of(list, ',')) {
    const auto found = std::find_if(kWriters.begin(), kWriters.end(),
                                    [&](const Writer& one) { return one.name == name; });
    if (found == kWriters.end()) {
      throw ReportError(fmt::format(
          "'{}' is not a format of reports; write html, text, json, junit or sarif", name));
    }
    if (std::find(formats.begin(), formats.end(), found->format) == formats.end()) {
      formats.push_back(found->format);
    }
  }
  if (formats.empty()) {
    throw ReportError("no format of reports; write html, text, json, junit or sarif");
  }
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
