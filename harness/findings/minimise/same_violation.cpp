// SPDX-License-Identifier: Apache-2.0
#include "harness/findings/minimise/same_violation.h"

#include <algorithm>
#include <optional>
#include <set>
#include <sstream>
#include <string_view>

namespace esox {
namespace {

constexpr std::string_view kReply = "reply ";             // "reply A1: result 1 rows missing"
constexpr std::string_view kUnfinished = "unfinished: ";  // "unfinished: A1"

// Where a line of a cause names a request.
struct Named {
  size_t begin = 0;
  size_t length = 0;
};

std::optional<Named> request_in(const std::string& line) {
  if (line.starts_with(kUnfinished)) return Named{kUnfinished.size(), std::string::npos};
  const size_t colon = line.find(':');
  if (!line.starts_with(kReply) || colon == std::string::npos) return std::nullopt;
  return Named{kReply.size(), colon - kReply.size()};
}

// Lines whose request has no name in `names` are left out.
std::multiset<std::string> renamed(const std::string& cause, const RequestNames& names) {
  std::multiset<std::string> lines;
  std::istringstream stream(cause);
  for (std::string line; std::getline(stream, line);) {
    if (const auto place = request_in(line)) {
      const auto name = names.find(line.substr(place->begin, place->length));
      if (name == names.end()) continue;
      line.replace(place->begin, std::min(place->length, line.size() - place->begin), name->second);
    }
    lines.insert(line);
  }
  return lines;
}

}  // namespace

bool same_violation(const std::string& whole_cause, const std::string& smaller_cause,
                    const RequestNames& names) {
  RequestNames left;  // those of the whole one, by their own names
  for (const auto& [smaller, whole] : names) left.emplace(whole, whole);
  return renamed(whole_cause, left) == renamed(smaller_cause, names);
}

}  // namespace esox
