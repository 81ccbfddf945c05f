// SPDX-License-Identifier: Apache-2.0
// See counts.h.
#include "inputs/import/counts.h"

namespace esox {
namespace {

void add_all(const std::map<std::string, size_t>& more, std::map<std::string, size_t>& counts) {
  for (const auto& [name, count] : more) counts[name] += count;
}

}  // namespace

void ImportCounts::add(const ImportCounts& more) {
  add_all(more.stages, stages);
  add_all(more.rejected, rejected);
}

}  // namespace esox
