// SPDX-License-Identifier: Apache-2.0
#include "tests/keyvalue/bugs.h"

#include <algorithm>

namespace keyvalue {
namespace {

constexpr Bug kBugs[] = {
    {"aba", "APPEND takes a record made anew in the same slot for the one it has read"},
    {"check-then-act", "CREATE looks whether the key is free, and takes it later"},
    {"counter-drift", "counters are read and written in two steps"},
    {"crash", "CAS uses a record that may be gone since it was found"},
    {"dirty-read", "MOVE takes the amount before it knows that it can give it"},
    {"double-free", "DEL gives back the slot that it found, though another has by then"},
    {"early-keep", "the server that ends lets requests in after it has written what it keeps"},
    {"early-reply", "LOG answers before its line is written"},
    {"endless-retry", "APPEND tries again with what it read at first"},
    {"find-then-fetch", "FIND asks the index, and later the records"},
    {"index-damage", "what is changed in the record is changed in the index later"},
    {"lock-order", "MOVE locks in the order of its words"},
    {"lost-update", "ADD reads, and later writes"},
    {"lost-wakeup", "LOG looks whether its line is written, and waits later"},
    {"split-read", "SUM and MGET read one record after the other"},
    {"stale-cache", "GET reads the record, and later puts it into the cache"},
    {"torn-read", "GETS reads the value, and later its version"},
    {"wrong-error", "DEL complains when another was faster"},
};

// Written before the first thread, only read afterwards.
std::string_view chosen;

}  // namespace

std::span<const Bug> all_bugs() {
  return kBugs;
}

bool choose_bug(std::string_view name) {
  const bool known = std::ranges::any_of(kBugs, [&](const Bug& bug) { return bug.name == name; });
  chosen = known ? name : std::string_view();
  return known || name == "none";
}

bool has(std::string_view bug) {
  return chosen == bug;
}

}  // namespace keyvalue
