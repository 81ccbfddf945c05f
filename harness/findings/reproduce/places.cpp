// SPDX-License-Identifier: Apache-2.0
#include "harness/findings/reproduce/places.h"

#include <algorithm>
#include <set>

namespace esox {
namespace {

constexpr int kHitOffsets[] = {0, 1, -1, 2, 3};
constexpr unsigned kFirstRounds = 2;  // few, since most candidates fail at once
constexpr unsigned kMostHits = 4;     // where nothing tells how often a function is entered

std::vector<size_t> places_of(const Holds& holds) {
  std::vector<size_t> places;
  for (size_t i = 0; i < holds.size(); ++i) {
    if (holds[i].place) places.push_back(i);
  }
  return places;
}

// All combinations of hits near the recorded ones, those that move least first.
std::vector<Holds> hit_variants(const Holds& start) {
  struct Variant {
    size_t moved = 0;
    Holds holds;
  };
  std::vector<Variant> variants = {{0, start}};
  for (const size_t place : places_of(start)) {
    std::vector<Variant> more;
    for (const Variant& variant : variants) {
      for (size_t i = 0; i < std::size(kHitOffsets); ++i) {
        const int hit = static_cast<int>(start[place].hit) + kHitOffsets[i];
        if (hit < 1) continue;
        more.push_back({variant.moved + i, variant.holds});
        more.back().holds[place].hit = static_cast<unsigned>(hit);
      }
    }
    std::stable_sort(more.begin(), more.end(),
                     [](const Variant& a, const Variant& b) { return a.moved < b.moved; });
    if (more.size() > kMaxHitVariants) more.resize(kMaxHitVariants);
    variants = std::move(more);
  }
  std::vector<Holds> holds;
  holds.reserve(variants.size());
  for (Variant& variant : variants) holds.push_back(std::move(variant.holds));
  return holds;
}

Holds held_at(const Holds& holds, size_t segment, const std::string& function, HoldPlace::At at,
              unsigned hit) {
  Holds other = holds;
  other[segment].place = HoldPlace{.function = function, .at = at, .module = {}, .offset = 0};
  other[segment].hit = hit;
  return other;
}

class Search {
 public:
  Search(const StackFunctions& functions, unsigned surely, const TryHolds& execute)
      : functions_(functions), surely_(surely), execute_(execute) {}

  std::optional<FoundHolds> run(const std::vector<Holds>& starts) {
    std::optional<Holds> found;
    for (const Holds& start : starts) {
      if (!found) found = as_recorded(start);
    }
    for (const Holds& start : starts) {
      if (!found) found = by_name(start);
    }
    if (!found) return {};
    leave_out_needless(*found);
    send_later(*found);
    for (const size_t segment : places_of(*found)) hoist(*found, segment);
    return FoundHolds{*found, accepted_near(*found)};
  }

 private:
  bool violates(const Holds& holds) {
    for (const unsigned rounds : {std::min(kFirstRounds, surely_), surely_}) {
      const std::optional<HoldRounds> tried = execute_(holds, {.rounds = rounds, .counted = {}});
      if (!tried || !tried->all_violate(rounds)) return false;
    }
    return true;
  }

  std::optional<Holds> first_of(const std::vector<Holds>& candidates) {
    const auto found = std::find_if(candidates.begin(), candidates.end(),
                                    [this](const Holds& holds) { return violates(holds); });
    if (found == candidates.end()) return {};
    return *found;
  }

  std::optional<Holds> as_recorded(const Holds& start) { return first_of(hit_variants(start)); }

  // Where the recorded places are not come to, or not in time: one place after the other, the last
  // first, by the functions of its stack.
  std::optional<Holds> by_name(const Holds& start) {
    std::vector<size_t> segments = places_of(start);
    std::reverse(segments.begin(), segments.end());
    for (const size_t segment : segments) {
      std::vector<Holds> candidates;
      for (const std::string& function : functions_at(start[segment])) {
        for (unsigned hit = 1; hit <= kMostHits; ++hit) {
          for (const HoldPlace::At at : {HoldPlace::At::kEntry, HoldPlace::At::kReturn}) {
            candidates.push_back(held_at(start, segment, function, at, hit));
          }
        }
      }
      if (std::optional<Holds> found = first_of(candidates)) return found;
    }
    return {};
  }

  // Whoever goes on later may as well begin there, or need not be held once it has waited.
  void leave_out_needless(Holds& holds) {
    for (size_t i = 0; i < holds.size(); ++i) {
      if (!holds[i].place || holds[i].until != HeldSegment::Until::kBlocked) continue;
      Holds without = holds;
      without[i].place.reset();
      if (violates(without)) holds = std::move(without);
    }
    for (size_t i = 0; i < holds.size() && places_of(holds).size() > 1;) {
      Holds without = holds;
      without.erase(without.begin() + static_cast<std::ptrdiff_t>(i));
      const bool goes_on =
          std::any_of(without.begin() + static_cast<std::ptrdiff_t>(i), without.end(),
                      [&](const HeldSegment& later) { return later.client == holds[i].client; });
      if (holds[i].place && goes_on && violates(without)) {
        holds = std::move(without);
      } else {
        ++i;
      }
    }
  }

  // Of a transaction's requests, one whose thread is held before it has done anything may as well
  // be sent when it is to go on: then nobody is held.
  void send_later(Holds& holds) {
    for (size_t i = 0; i < holds.size(); ++i) {
      if (!holds[i].place || holds[i].request == 0) continue;
      Holds later = holds;
      HeldSegment& before = later[i];
      before = {.client = before.client, .request = before.request - 1, .place = {}};
      if (violates(later)) holds = std::move(later);
    }
  }

  std::vector<std::string> functions_at(const HeldSegment& held) const {
    const auto found = functions_.find(held.point);
    return found == functions_.end() ? std::vector<std::string>() : found->second;
  }

  // How often it had been entered when the segment's thread was held; 0: not known. One at a time,
  // for a thread has four debug registers, and overloaded functions take several.
  unsigned entries(const Holds& holds, size_t segment, const std::string& function) {
    const std::optional<HoldRounds> tried =
        execute_(holds, {.rounds = 1, .counted = {segment, {function}}});
    return tried && !tried->counts.empty() ? tried->counts.front() : 0;
  }

  void hoist(Holds& holds, size_t segment) {
    if (holds[segment].until != HeldSegment::Until::kPlace) return;
    const std::vector<std::string> functions = functions_at(holds[segment]);
    for (size_t i = functions.size(); i-- > 0;) {
      for (const Holds& candidate :
           hoisted(holds, segment, functions[i], entries(holds, segment, functions[i]))) {
        if (!violates(candidate)) continue;
        holds = candidate;
        return;
      }
    }
  }

  // At the last time that it was entered, and the one before: a function that calls another form of
  // itself is entered twice.
  static std::vector<Holds> hoisted(const Holds& holds, size_t segment, const std::string& function,
                                    unsigned entered) {
    std::vector<Holds> candidates;
    for (unsigned hit = entered; hit > 0 && hit + 1 >= entered; --hit) {
      for (const HoldPlace::At at : {HoldPlace::At::kEntry, HoldPlace::At::kReturn}) {
        candidates.push_back(held_at(holds, segment, function, at, hit));
      }
    }
    return candidates;
  }

  // The last place, one hit earlier or later.
  std::optional<Holds> accepted_near(const Holds& holds) {
    const std::vector<size_t> places = places_of(holds);
    if (places.empty()) return {};
    for (const int offset : {-1, 1}) {
      Holds other = holds;
      const int hit = static_cast<int>(other[places.back()].hit) + offset;
      if (hit < 1) continue;
      other[places.back()].hit = static_cast<unsigned>(hit);
      const std::optional<HoldRounds> tried =
          execute_(other, {.rounds = kFirstRounds, .all_must = false, .counted = {}});
      if (tried && tried->held == kFirstRounds) return other;
    }
    return {};
  }

  const StackFunctions& functions_;
  const unsigned surely_;
  const TryHolds& execute_;
};

}  // namespace

std::vector<std::string> functions_on(const std::vector<std::string>& frames,
                                      const std::vector<std::string>& modules) {
  std::vector<std::string> functions;
  for (const std::string& frame : frames) {
    const std::string name = frame.substr(0, frame.find("+0x"));
    const bool of_module = std::find(modules.begin(), modules.end(), name) != modules.end();
    if (of_module || name.starts_with("0x") || functions.size() == kMaxHoists) continue;
    if (std::find(functions.begin(), functions.end(), name) == functions.end()) {
      functions.push_back(name);
    }
  }
  return functions;
}

std::optional<FoundHolds> find_holds(const std::vector<Holds>& starts,
                                     const StackFunctions& functions, unsigned surely,
                                     const TryHolds& execute) {
  return Search(functions, surely, execute).run(starts);
}

}  // namespace esox
