// SPDX-License-Identifier: Apache-2.0
// The files in a night's folder that are its summary:
//
//   summary.txt  summary.html   for people, one page
//   changes.json                for programs
//   esox.prom                   for Prometheus, by node_exporter's textfile collector
#pragma once

#include <filesystem>
#include <string>

#include "harness/nights/night/night_summary.h"

namespace esox {

// `metrics`: a file for those besides, unless empty. Throws OutError.
void write_night_summary(const NightSummary& summary, const std::filesystem::path& folder,
                         const std::filesystem::path& metrics = {});

std::string changes_json(const NightSummary& summary);

}  // namespace esox
