// SPDX-License-Identifier: Apache-2.0
#include "harness/records/reports/reports.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

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
  const char* file;
  std::string (*render)(const ReportData&, const fs::path&);
};

// By ReportFormat.
constexpr std::array kWriters = {
    Writer{"report.html", report_html}, Writer{"report.txt", anywhere<text>},
    Writer{"report.json", anywhere<report_whole_json>}, Writer{"junit.xml", anywhere<report_junit>},
    Writer{"report.sarif", anywhere<report_sarif>}};
static_assert(kWriters.size() == kReportFormats.size());

const Writer& writer_of(ReportFormat format) {
  return kWriters.at(static_cast<size_t>(format));
}

std::string known_formats() {
  return fmt::format("{}", fmt::join(kReportFormats, ", "));
}

}  // namespace

std::vector<ReportFormat> report_formats(const std::string& list) {
  std::vector<ReportFormat> formats;
  for (const std::string& name : parts_of(list, ',')) {
    const auto found = std::find(kReportFormats.begin(), kReportFormats.end(), name);
    if (found == kReportFormats.end()) {
      throw ReportError(
          fmt::format("'{}' is not a format of reports; write {}", name, known_formats()));
    }
    const auto format = static_cast<ReportFormat>(found - kReportFormats.begin());
    if (std::find(formats.begin(), formats.end(), format) == formats.end()) {
      formats.push_back(format);
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
