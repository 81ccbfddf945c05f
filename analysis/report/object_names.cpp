// SPDX-License-Identifier: Apache-2.0
#include "analysis/report/object_names.h"

#include <fmt/format.h>

#include "analysis/operation_text.h"

namespace esox {
namespace {

// The last two parts of a path: "test/t1.MAD".
std::string short_path(const std::string& path) {
  size_t slash = path.rfind('/');
  if (slash == std::string::npos || slash == 0) return path;
  slash = path.rfind('/', slash - 1);
  return slash == std::string::npos ? path : path.substr(slash + 1);
}

}  // namespace

ObjectNames::ObjectNames(const ExecutionRecord& record, const Symbols& symbols) {
  std::map<std::string, size_t> count;
  for (const TraceEvent& event : record.trace) {
    const std::string kind = object_kind(event.kind);
    if (event.object == 0 || kind.empty()) continue;
    const auto [at, is_new] = names_.try_emplace({kind, event.object});
    if (!is_new) continue;
    const size_t number = ++count[kind];
    const auto path = record.names.find(event.object);
    at->second =
        path == record.names.end() ? fmt::format("{}#{}", kind, number) : short_path(path->second);
    entries_.push_back({at->second, meaning(event.object, record, symbols)});
  }
}

std::string ObjectNames::meaning(uint64_t object, const ExecutionRecord& record,
                                 const Symbols& symbols) const {
  const auto path = record.names.find(object);
  if (path != record.names.end()) return path->second;
  std::string symbol = symbols.object(object);
  if (!symbol.empty()) return symbol;
  const std::string place = symbols.module_offset(object);
  return place.starts_with("0x") ? "on the heap, at " + place : place;
}

const std::string& ObjectNames::name(OpKind kind, uint64_t object) const {
  static const std::string kNone;
  const auto known = names_.find({object_kind(kind), object});
  return known == names_.end() ? kNone : known->second;
}

}  // namespace esox
