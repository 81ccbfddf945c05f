// SPDX-License-Identifier: Apache-2.0
// Where the data that comes with esox lies: inputs, rules.
#pragma once

#include <filesystem>
#include <string>

namespace esox {

// "inputs/NAME", "filters/NAME.yaml": beside an installed esox (PREFIX/bin/esox ->
// PREFIX/share/esox), else in the source tree it was built from. Throws InputError if it is in
// neither.
std::filesystem::path shipped(const std::string& what);

}  // namespace esox
