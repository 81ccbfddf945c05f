// SPDX-License-Identifier: Apache-2.0
// What a server holds after a setup, as far as requests can name it: tables and their columns,
// keys of a cache. The target asks the server (Target::holdings_questions); what is made by the
// generator names these things (generation/).
#pragma once

#include <string>
#include <vector>

namespace esox {

struct Holding {
  std::string type;    // in the target's words: "table", "column", "index", "key"
  std::string name;    // as requests write it
  std::string of;      // what it is a part of, by name: a column's table; else empty
  std::string detail;  // words: of a column its data type, "primary"; of a table its engine
  bool operator==(const Holding&) const = default;
};
using Holdings = std::vector<Holding>;

}  // namespace esox
