// SPDX-License-Identifier: Apache-2.0
// The report as one HTML file: no network, no other file, no script needed to read it.
//
// The pages in page/ are mustache templates, compiled in. Everything that comes from a server or an
// input goes through the template's escaping; only finished parts of the page (a finding, the
// style, the script) go in as they are, and a content security policy lets no other script run.
#pragma once

#include <filesystem>
#include <string>

#include "harness/records/reports/report_data.h"

namespace esox {

// Findings and inputs beyond these get a line that says how many there are more.
inline constexpr size_t kMostFindings = 5000;
inline constexpr size_t kMostInputs = 2000;

// `place`: the folder in which the page will lie; links to files are relative to it.
std::string report_html(const ReportData& data, const std::filesystem::path& place);

}  // namespace esox
