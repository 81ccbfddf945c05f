// SPDX-License-Identifier: Apache-2.0
// The files in a night's folder that say what its morning is like:
//
//   summary.txt  summary.html   for people, one page
//   changes.json                for programs
//   esox.prom                   for Prometheus, by node_exporter's textfile collector
#pragma once

#include <filesystem>
#include <string>

#include "harness/nights/night/morning.h"

namespace esox {

// `metrics`: a file for those besides, unless empty. Throws OutError.
void write_morning(const Morning& morning, const std::filesystem::path& folder,
                   const std::filesystem::path& metrics = {});

std::string changes_json(const Morning& morning);

}  // namespace esox
