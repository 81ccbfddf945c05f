// SPDX-License-Identifier: Apache-2.0
// A list of what a function gives of each element of another one.
#pragma once

#include <functional>
#include <iterator>
#include <vector>

namespace esox {

// `make`: a function or a member; T: of the new list.
template <class T>
std::vector<T> mapped(const auto& all, const auto& make) {
  std::vector<T> made;
  made.reserve(std::size(all));
  for (const auto& one : all) made.push_back(std::invoke(make, one));
  return made;
}

}  // namespace esox
