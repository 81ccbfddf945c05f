// SPDX-License-Identifier: Apache-2.0
// Where the rules that come with esox are.
#pragma once

#include <filesystem>
#include <optional>
#include <string_view>

namespace esox {

// The shipped rules for a kind of server: beside an installed esox (PREFIX/share/esox/filters),
// else in the source tree it was built from. nullopt: none are shipped for it.
std::optional<std::filesystem::path> shipped_filters(std::string_view server);

}  // namespace esox
