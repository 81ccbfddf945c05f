// SPDX-License-Identifier: Apache-2.0
// The reports of a hunt, by format: what `esox report` and the end of a hunt write.
//
//   OUT/hunt.json, OUT/findings/  ->  report_data  ->  html | text | json | junit | sarif
//
// To add a format: a file with a function of ReportData; it and a value here; a line in the table
// of reports.cpp, which all else follows.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "harness/records/reports/report_data.h"

namespace esox {

// The texts (html.cpp, json.cpp, ...). `place`: the folder in which the page will lie; links to
// files are relative to it.
std::string report_html(const ReportData& data, const std::filesystem::path& place);
std::string report_whole_json(const ReportData& data);
std::string report_junit(const ReportData& data);
std::string report_sarif(const ReportData& data);

// Its requests, and what is wrong: a line each.
std::string finding_text(const FindingDetails& finding);

enum class ReportFormat { kHtml, kText, kJson, kJunit, kSarif };

// All of them, by their names: "html", "text", ...
std::vector<std::string_view> report_format_names();

// "html,junit". Throws ReportError for a name that is none; never empty.
std::vector<ReportFormat> report_formats(const std::string& list);

// "report.html", "junit.xml", ...: its name in OUT.
const char* report_file_name(ReportFormat format);

// `place`: the folder in which the text will lie.
std::string render_report(const ReportData& data, ReportFormat format,
                          const std::filesystem::path& place);

// Writes each into OUT; gives their paths. Throws OutError.
std::vector<std::filesystem::path> write_reports(const ReportData& data,
                                                 const std::vector<ReportFormat>& formats);

}  // namespace esox
