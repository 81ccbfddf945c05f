// SPDX-License-Identifier: Apache-2.0
// The files in a night's folder that are its summary, each a pure function of it:
//
//   summary.txt  summary.html   for people, one page
//   changes.json                for programs
//   esox.prom                   for Prometheus, by node_exporter's textfile collector
#pragma once

#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "harness/nights/night/night_summary.h"

namespace esox {

extern const char* const kNightPage;  // page/night.html, compiled in

// "2 new, 1 regressed, 5 still there, 1 gone; nothing missing"
std::string night_summary_headline(const NightSummary& summary);
// What both pages say (night_summary_view.cpp).
nlohmann::json night_summary_view(const NightSummary& summary);

std::string night_summary_text(const NightSummary& summary);
std::string night_summary_html(const NightSummary& summary);
std::string changes_json(const NightSummary& summary);
// All are gauges: they are of the last night, and begin anew with the next.
std::string night_metrics(const NightSummary& summary);

// Writes all; `metrics`: a file for those besides, unless empty. Throws OutError.
void write_night_summary(const NightSummary& summary, const std::filesystem::path& folder,
                         const std::filesystem::path& metrics = {});

}  // namespace esox
