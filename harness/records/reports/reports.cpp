// SPDX-License-Identifier: Apache-2.0
// See reports.h.
#include "harness/records/reports/reports.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <sstream>

#include "harness/records/out_folder.h"
#include "harness/records/reports/html.h"
#include "harness/records/reports/json.h"
#include "harness/records/reports/junit.h"
#include "harness/records/reports/report_error.h"
#include "harness/records/reports/sarif.h"
#include "harness/records/summary_text.h"

namespace esox {
namespace {

namespace fs = std::filesystem;

std::string html(const ReportData& data, const fs::path& place) {
  return report_html(data, place);
}
std::string text(const ReportData& data, const fs::path& /*place*/) {
  return summary_text(data.hunt, data.hunt.findings.size());
}
std::string json(const ReportData& data, const fs::path& /*place*/) {
  return report_whole_json(data);
}
std::string junit(const ReportData& data, const fs::path& /*place*/) {
  return report_junit(data);
}
std::string sarif(const ReportData& data, const fs::path& /*place*/) {
  return report_sarif(data);
}

struct Writer {
  ReportFormat format;
  const char* name;
  const char* file;
  std::string (*render)(const ReportData&, const fs::path&);
};

constexpr std::array kWriters = {Writer{ReportFormat::kHtml, "html", "report.html", html},
                                 Writer{ReportFormat::kText, "text", "report.txt", text},
                                 Writer{ReportFormat::kJson, "json", "report.json", json},
                                 Writer{ReportFormat::kJunit, "junit", "junit.xml", junit},
                                 Writer{ReportFormat::kSarif, "sarif", "report.sarif", sarif}};

const Writer& writer_of(ReportFormat format) {
  return *std::find_if(kWriters.begin(), kWriters.end(),
                       [&](const Writer& one) { return one.format == format; });
}

}  // namespace

std::vector<ReportFormat> report_formats(const std::string& list) {
  std::vector<ReportFormat> formats;
  std::istringstream names(list);
  for (std::string name; std::getline(names, name, ',');) {
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
