// SPDX-License-Identifier: Apache-2.0
// Which data choices (docs/data-choices.md) a kept finding needs: what a reader asks before
// anything else, for without them its schedule alone does not bring it about.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

namespace esox {

// Of a finding's folder: those that its diagnosis could not do without; before it was diagnosed,
// those of its execution (analysis/report/taken_choices.h). Empty: none. Nothing if it cannot be
// read.
std::optional<std::string> needed_choices(const std::filesystem::path& folder);

}  // namespace esox
