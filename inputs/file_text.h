// SPDX-License-Identifier: Apache-2.0
// A file's text, within the limits.
#pragma once

#include <filesystem>
#include <string>

#include "inputs/input_error.h"

namespace esox {

// Throws InputError: not there, no regular file, not readable. Of a file beyond kMaxFileBytes one
// byte more than that is read, which parse_documents refuses.
std::string file_text(const std::filesystem::path& path);

}  // namespace esox
