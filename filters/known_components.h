// SPDX-License-Identifier: Apache-2.0
// Which components the state of a server can have, so that a rule for one that there never is is
// told from one that matches nothing yet (docs/mariadb-state.md, docs/memcached.md).
#pragma once

#include <span>
#include <string_view>

namespace esox {

struct KnownComponent {
  std::string_view name;  // a wildcard: "rows:*"
  bool has_keys = false;  // it may be a map or a cache
  bool ordered = false;   // it may be a sequence
};

// `server` as Input::server; empty for a kind that is not known.
std::span<const KnownComponent> known_components(std::string_view server);

}  // namespace esox
