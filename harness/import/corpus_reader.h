// SPDX-License-Identifier: Apache-2.0
// The inputs of a corpus, for a hunt: the best-ranked ones, in rank order.
#pragma once

#include <cstddef>
#include <filesystem>
#include <vector>

#include "inputs/input.h"

namespace esox {

// A folder that an import has filled.
bool is_corpus(const std::filesystem::path& path);

// At most `most` of them; only their files are read. Throws OutError: no such corpus, of another
// version, or an import is at work in it; InputError: a file was changed and is no longer right, or
// an input is gone from it.
std::vector<Input> read_corpus(const std::filesystem::path& folder, size_t most);

}  // namespace esox
