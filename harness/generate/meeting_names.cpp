// SPDX-License-Identifier: Apache-2.0
#include "harness/generate/meeting_names.h"

#include <algorithm>
#include <cctype>
#include <map>
#include <optional>
#include <set>
#include <string>

namespace esox {
namespace {

std::string in_lower_case(std::string text) {
  for (char& c : text) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return text;
}

// Things by number, equal for those that count as one.
class Things {
 public:
  Things(const Input& input, const Holdings& holdings) : language_(*input.language) {
    for (const Holding& one : holdings) {
      // A part is its whole's: columns of one name are in many tables.
      if (one.type != "column" && one.type != "index")
        things_.emplace(in_lower_case(one.name), things_.size());
    }
    for (const std::string& statement : input.setup) join(statement);
  }

  bool empty() const { return things_.empty(); }

  std::set<size_t> in(const std::string& text) const {
    std::set<size_t> found;
    for (const std::string& name : language_.names(text)) {
      const auto thing = things_.find(name);
      if (thing != things_.end()) found.insert(thing->second);
    }
    return found;
  }

 private:
  void join(const std::string& statement) {
    const std::set<size_t> together = in(statement);
    if (together.size() < 2) return;
    for (auto& [name, thing] : things_) {
      if (together.contains(thing)) thing = *together.begin();
    }
  }

  const RequestLanguage& language_;
  std::map<std::string, size_t> things_;
};

// Nothing: one of its requests may be about everything.
std::optional<std::set<size_t>> named_by(const InputClient& client, const Things& things) {
  std::set<size_t> all;
  for (const Request& request : client.requests) {
    const std::set<size_t> own = things.in(request.text);
    if (own.empty()) return std::nullopt;
    all.insert(own.begin(), own.end());
  }
  return all;
}

}  // namespace

bool may_meet(const Input& input, const Holdings& holdings) {
  const Things things(input, holdings);
  if (things.empty()) return true;
  std::set<size_t> before;
  for (const InputClient& client : input.clients) {
    const std::optional<std::set<size_t>> named = named_by(client, things);
    if (!named) return true;
    if (std::ranges::any_of(*named, [&](size_t thing) { return before.contains(thing); })) {
      return true;
    }
    before.insert(named->begin(), named->end());
  }
  return false;
}

}  // namespace esox
