// SPDX-License-Identifier: Apache-2.0
// What a program's or library's file says to the loader: which libraries it needs, which symbols it
// gives and asks for.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace esox {

struct DynamicSymbol {
  std::string name;
  bool defined = false;  // it gives it; else it asks for it
};

struct DynamicPart {
  std::vector<std::string> needed;  // "libtsan.so.2"
  std::vector<DynamicSymbol> symbols;
};

// Empty for whatever is no such file.
DynamicPart dynamic_part(const std::filesystem::path& file);

}  // namespace esox
