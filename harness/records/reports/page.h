// SPDX-License-Identifier: Apache-2.0
// The pages of the HTML report: the files of page/, mustache templates that are compiled in, so
// that an installed esox needs no other file; and what they show, as plain values: every text as it
// is read, nothing escaped yet.
//
// Names are those of the templates. A list `x` comes with `some_x` where the template shows
// something around it; an empty text counts as absent.
#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>

#include "harness/records/reports/report_data.h"

namespace esox {

extern const char* const kPage;         // page.html, of the whole report
extern const char* const kFindingPage;  // finding.html, of one finding
extern const char* const kCausePage;    // cause.html, of all findings of one cause
extern const char* const kPageStyle;    // style.css
extern const char* const kPageScript;   // behaviour.js

// Findings and inputs beyond these get a line that says how many there are more.
inline constexpr size_t kMostFindings = 5000;
inline constexpr size_t kMostInputs = 2000;

// One finding; `number` is as it is shown: "3" stands for its cause, "3.2" is the next of it.
nlohmann::json finding_view(const ReportData& data, const FindingDetails& finding,
                            const std::string& number, const std::filesystem::path& place);

// All else; the findings are left to the caller: `groups[i].families` are their indices.
nlohmann::json page_view(const ReportData& data);

}  // namespace esox
