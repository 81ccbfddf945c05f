// SPDX-License-Identifier: Apache-2.0
// See process_tree.h.
#include "harness/nights/night/process_tree.h"

#include <fmt/format.h>

#include <charconv>
#include <filesystem>
#include <fstream>
#include <map>
#include <string>
#include <system_error>

#include "harness/engine/memory.h"

namespace esox {
namespace {

namespace fs = std::filesystem;

// "123 (name, which may hold anything) S PARENT ..."; 0 if the process is gone.
pid_t parent_of(pid_t pid) {
  std::ifstream file(fmt::format("/proc/{}/stat", pid));
  std::string line;
  std::getline(file, line, '\0');
  const size_t name_end = line.rfind(')');
  if (name_end == std::string::npos || name_end + 4 >= line.size()) return 0;
  pid_t parent = 0;
  std::from_chars(line.data() + name_end + 4, line.data() + line.size(), parent);
  return parent;
}

std::multimap<pid_t, pid_t> children_by_parent() {
  std::multimap<pid_t, pid_t> children;
  std::error_code error;
  for (fs::directory_iterator one("/proc", error), end; !error && one != end;
       one.increment(error)) {
    const std::string name = one->path().filename().string();
    pid_t pid = 0;
    const auto [stop, bad] = std::from_chars(name.data(), name.data() + name.size(), pid);
    if (bad != std::errc() || stop != name.data() + name.size()) continue;
    children.emplace(parent_of(pid), pid);
  }
  return children;
}

}  // namespace

std::vector<pid_t> process_tree(pid_t root) {
  const std::multimap<pid_t, pid_t> children = children_by_parent();
  std::vector<pid_t> tree = {root};
  for (size_t i = 0; i < tree.size(); ++i) {
    const auto [first, last] = children.equal_range(tree[i]);
    for (auto one = first; one != last; ++one) tree.push_back(one->second);
  }
  return tree;
}

uint64_t memory_of_tree_kib(pid_t root) {
  uint64_t sum_kib = 0;
  for (const pid_t pid : process_tree(root)) sum_kib += proportional_memory_kib(pid);
  return sum_kib;
}

}  // namespace esox
