// SPDX-License-Identifier: Apache-2.0
#include "targets/registry.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <stdexcept>

#include "base/process/server_error.h"
#include "base/text/spelling.h"
#include "targets/mariadb/target.h"
#include "targets/memcached/target.h"

namespace esox {
namespace {

std::vector<const Target*>& list() {
  static const MariadbTarget mariadb;
  static const MemcachedTarget memcached;
  static std::vector<const Target*> all = {&mariadb, &memcached};
  return all;
}

std::vector<std::string> names() {
  std::vector<std::string> names;
  for (const Target* target : list()) names.push_back(target->name());
  return names;
}

}  // namespace

std::span<const Target* const> targets() {
  return list();
}

const Target& default_target() {
  return *list().front();
}

const Target* find_target(std::string_view name) {
  const auto found = std::find_if(list().begin(), list().end(),
                                  [&](const Target* target) { return target->name() == name; });
  return found == list().end() ? nullptr : *found;
}

const Target& target_named(std::string_view name) {
  if (const Target* target = find_target(name); target != nullptr) return *target;
  const std::vector<std::string> all = names();
  const std::vector<std::string_view> known(all.begin(), all.end());
  throw ServerError(
      fmt::format("this esox knows no server '{}'{}", name, spelling_hint(name, known)));
}

const Target& target_of(const std::string& program) {
  const std::string name = std::filesystem::path(program).filename();
  const auto is_called_so = [&](const Target* target) {
    const std::vector<std::string> known = target->places().names;
    return std::find(known.begin(), known.end(), name) != known.end();
  };
  const auto found = std::find_if(list().begin(), list().end(), is_called_so);
  return found == list().end() ? default_target() : **found;
}

std::string target_names() {
  return fmt::format("{}", fmt::join(names(), ", "));
}

void add_target(const Target& target) {
  if (find_target(target.name()) != nullptr) {
    throw std::logic_error(fmt::format("there is a target {} already", target.name()));
  }
  list().push_back(&target);
}

}  // namespace esox
