// SPDX-License-Identifier: Apache-2.0
#include "targets/sql/import/access.h"

#include <algorithm>
#include <tuple>

namespace esox {
namespace {

// Whether `met` holds for the modes of an object that both have.
bool any_common(const Accesses& a, const Accesses& b, const auto& met) {
  auto left = a.begin();
  auto right = b.begin();
  while (left != a.end() && right != b.end()) {
    const int order = left->object.compare(right->object);
    if (order == 0 && !is_private(*left) && met(left->mode, right->mode)) return true;
    if (order <= 0) ++left;
    if (order >= 0) ++right;
  }
  return false;
}

}  // namespace

void sort_accesses(Accesses& accesses) {
  std::ranges::sort(accesses, [](const Access& a, const Access& b) {
    return std::tie(a.object, b.mode) < std::tie(b.object, a.mode);
  });
  const auto same = [](const Access& a, const Access& b) { return a.object == b.object; };
  accesses.erase(std::unique(accesses.begin(), accesses.end(), same), accesses.end());
}

bool modes_conflict(AccessMode a, AccessMode b) {
  return a == AccessMode::kWrite || b == AccessMode::kWrite || a != b;
}

bool share_object(const Accesses& a, const Accesses& b) {
  return any_common(a, b, [](AccessMode, AccessMode) { return true; });
}

bool conflict(const Accesses& a, const Accesses& b) {
  return any_common(a, b, modes_conflict);
}

bool is_private(const Access& access) {
  return access.object.starts_with("variable:") || access.object.starts_with("prepared:");
}

bool is_table(const Access& access) {
  return access.object.starts_with("table:");
}

}  // namespace esox
