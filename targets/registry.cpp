// SPDX-License-Identifier: Apache-2.0
#include "targets/registry.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <stdexcept>

#include "base/mapped.h"
#include "base/process/find_program.h"
#include "base/process/paths.h"
#include "base/process/server_error.h"
#include "base/text/spelling.h"
#include "targets/mariadb/target.h"
#include "targets/memcached/target.h"
#include "targets/mysql/target.h"

namespace esox {
namespace {

std::vector<const Target*>& list() {
  static const MariadbTarget mariadb;
  static const MysqlTarget mysql;
  static const MemcachedTarget memcached;
  static std::vector<const Target*> all = {&mariadb, &mysql, &memcached};
  return all;
}

std::vector<std::string> names() {
  return mapped<std::string>(list(), [&](const Target* target) { return target->name(); });
}

// The targets that such a program, or one in such a folder, may be of.
std::vector<const Target*> candidates(const std::string& program) {
  std::vector<const Target*> found;
  for (const Target* target : list()) {
    const ProgramPlaces places = target->places();
    const std::filesystem::path path(program);
    const bool named =
        std::ranges::find(places.names, path.filename().string()) != places.names.end();
    if (named || (!find_in_tree(path, places.tree_folders, places.names).empty()))
      found.push_back(target);
  }
  return found;
}

}  // namespace

std::span<const Target* const> targets() {
  return list();
}

const Target& default_target() {
  return *list().front();
}

const Target* find_target(std::string_view name) {
  const auto found =
      std::ranges::find_if(list(), [&](const Target* target) { return target->name() == name; });
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
  const std::vector<const Target*> found = candidates(program);
  if (found.empty()) return default_target();
  if (found.size() == 1) return *found.front();
  const ProgramPlaces places = found.front()->places();
  try {
    const auto path = find_program(search_for(program, places));
    for (const Target* target : found) {
      if (target->is_server_of(path)) return *target;
    }
  } catch (const ServerError&) {  // which is said when the server is made
  }
  return *found.front();
}

std::vector<std::string> server_places(const std::string& place, std::string_view family) {
  if (!is_folder(place) || !candidates(place).empty()) return {place};
  std::vector<std::string> places;
  for (const std::filesystem::path& entry : entries_of(place)) {
    const std::string one = entry.string();
    const auto found = is_folder(one) ? candidates(one) : std::vector<const Target*>();
    if (std::ranges::any_of(found,
                            [&](const Target* target) { return target->family() == family; })) {
      places.push_back(one);
    }
  }
  return places;
}

void adapt_input(Input& input, const Target& target) {
  if (target.family() == target_named(input.server()).family()) input.language = &target.language();
}

void adapt_inputs(std::span<Input> inputs, const std::string& program) {
  if (program.empty() || inputs.empty()) return;
  const Target& target = target_of(program);
  for (Input& input : inputs) adapt_input(input, target);
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
