// SPDX-License-Identifier: Apache-2.0
// A file's text, within the limits.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>

#include "base/text/input_error.h"

namespace esox {

// Throws InputError: not there, no regular file, not readable. Of a file beyond the limit one byte
// more than that is read, for what reads the text to refuse it. `kind` is for messages.
std::string file_text(const std::filesystem::path& path, size_t max_bytes, std::string_view kind);

// Of a YAML file: kMaxFileBytes.
std::string file_text(const std::filesystem::path& path);

}  // namespace esox
