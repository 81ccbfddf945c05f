// SPDX-License-Identifier: Apache-2.0
#include "harness/nights/night/retention.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <system_error>

#include "base/process/file_tree.h"
#include "base/process/paths.h"
#include "base/process/server_error.h"

namespace esox {
namespace {

namespace fs = std::filesystem;

bool is_own_folder(const fs::path& path) {
  std::error_code error;
  return fs::symlink_status(path, error).type() == fs::file_type::directory && !error;
}

// "2026-11-22T02-00-00Z", "...-2": nothing that leads elsewhere.
bool is_night_id(const std::string& id) {
  return id.size() >= 20 && std::isdigit(static_cast<unsigned char>(id.front())) &&
         std::ranges::all_of(id, [](unsigned char c) { return std::isalnum(c) || c == '-'; });
}

bool stays(const std::string& name) {
  static const std::set<std::string> kStay = {"night.json", "changes.json", "summary.txt",
                                              "summary.html", "esox.prom"};
  return kStay.contains(name);
}

void remove(const fs::path& path, Pruned& pruned) {
  try {
    if (is_own_folder(path)) {
      pruned.bytes += tree_size(path).bytes;
      remove_tree(path);
      return;
    }
    std::error_code error;
    const auto bytes = fs::is_regular_file(fs::symlink_status(path, error))
                           ? fs::file_size(path, error)
                           : uintmax_t{0};
    fs::remove(path, error);  // of a link, the link itself
    if (error)
      throw ServerError(fmt::format("cannot remove {}: {}", path.string(), error.message()));
    pruned.bytes += bytes;
  } catch (const ServerError& error) {
    pruned.trouble.emplace_back(error.what());
  }
}

// Whether anything was removed.
bool prune_night(const fs::path& folder, Pruned& pruned) {
  const uint64_t before = pruned.bytes;
  if (!is_own_folder(folder)) return false;
  for (const fs::path& entry : entries_of(folder)) {
    if (stays(entry.filename().string())) continue;
    if (!is_own_folder(entry)) {
      remove(entry, pruned);
      continue;
    }
    for (const fs::path& below : entries_of(entry)) {
      if (below.filename() != "findings") remove(below, pruned);
    }
  }
  return pruned.bytes != before;
}

void prune(const fs::path& out, const std::string& id, Pruned& pruned) {
  if (is_night_id(id) && is_own_folder(out / "nights") &&
      prune_night(out / "nights" / id, pruned)) {
    pruned.nights.push_back(id);
  }
}

}  // namespace

uint64_t nights_bytes(const fs::path& out) {
  try {
    return is_own_folder(out / "nights") ? tree_size(out / "nights").bytes : 0;
  } catch (const ServerError&) {
    return 0;  // something went while we looked
  }
}

Pruned prune_nights(const fs::path& out, const std::vector<std::string>& nights,
                    const Retention& policy, size_t spared) {
  Pruned pruned;
  for (size_t i = std::max<size_t>(spared, policy.nights); i < nights.size(); ++i) {
    prune(out, nights[i], pruned);
  }
  if (!policy.bytes) return pruned;
  const Pruned more =
      prune_oldest(out, nights, spared, [&] { return nights_bytes(out) <= *policy.bytes; });
  pruned.bytes += more.bytes;
  pruned.nights.insert(pruned.nights.end(), more.nights.begin(), more.nights.end());
  pruned.trouble.insert(pruned.trouble.end(), more.trouble.begin(), more.trouble.end());
  return pruned;
}

Pruned prune_oldest(const fs::path& out, const std::vector<std::string>& nights, size_t spared,
                    const std::function<bool()>& enough) {
  Pruned pruned;
  for (size_t i = nights.size(); i > spared && !enough(); --i) prune(out, nights[i - 1], pruned);
  return pruned;
}

}  // namespace esox
