// SPDX-License-Identifier: Apache-2.0
// See known_components.h. What is annotated or described by the tester may be of any kind.
#include "filters/known_components.h"

#include <array>

#include "inputs/input.h"

namespace esox {
namespace {

constexpr std::array<KnownComponent, 22> kOfMariadb{{{"tables", false, false},
                                                     {"definition:*", true, false},
                                                     {"rows:*", false, false},
                                                     {"check:*", false, true},
                                                     {"observation:*", false, false},
                                                     {"index:*", false, false},
                                                     {"answer:*", true, false},
                                                     {"query-cache:*", true, false},
                                                     {"query-cache-entries", false, false},
                                                     {"binlog", false, true},
                                                     {"replayed-binlog", false, false},
                                                     {"replayed-binlog:*", false, false},
                                                     {"open-tables", false, false},
                                                     {"transactions", false, false},
                                                     {"key-blocks", true, false},
                                                     {"metadata-locks", false, false},
                                                     {"triggers", true, false},
                                                     {"routines", true, false},
                                                     {"events", true, false},
                                                     {"files", false, false},
                                                     {"annotated:*", true, true},
                                                     {"frozen:*", true, true}}};

constexpr std::array<KnownComponent, 5> kOfMemcached{{{"items", true, false},
                                                      {"counters", true, false},
                                                      {"observation:*", false, true},
                                                      {"annotated:*", true, true},
                                                      {"frozen:*", true, true}}};

}  // namespace

std::span<const KnownComponent> known_components(std::string_view server) {
  if (server == kMariadb) return kOfMariadb;
  if (server == kMemcached) return kOfMemcached;
  return {};
}

}  // namespace esox
