// SPDX-License-Identifier: Apache-2.0
// Programs with a sanitizer's own runtime in them. It stands before the same functions as esox
// does, and keeps threads and memory by rules of its own: under esox such a program fails though
// nothing is wrong with it, or tells no accesses though it was built to.
#pragma once

#include <filesystem>
#include <string>

namespace esox {

// Why it cannot be run, and what to do, in one line; empty: it has none.
std::string sanitizer_refusal(const std::filesystem::path& program);

}  // namespace esox
