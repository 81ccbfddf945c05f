// SPDX-License-Identifier: Apache-2.0
// A hash table in fixed memory whose entries lie side by side, in the order in which they were
// added, and which is emptied in constant time.
//
// Why dense: in a forked server the first write to each page costs a fault and a copy. Entries
// strewn over a table of their own size would cost one for every lock an execution takes.
//
// Open addressing over small numbers of entries. A place that holds the number of an entry which
// does not name that place in turn is free (Briggs and Torczon's sparse sets): so nothing has to be
// cleared, not even at the start.
#pragma once

#include <cstdint>

namespace esox {

// `Entry` has a member `uint64_t object`, the key. kPlaces is a power of two, at most 2^16; up to
// three quarters of it are used.
template <class Entry, uint32_t kPlaces>
class DenseTable {
 public:
  static constexpr uint32_t kMost = kPlaces - kPlaces / 4;

  void clear() { used_ = 0; }
  uint32_t size() const { return used_; }
  Entry& operator[](uint32_t index) { return nodes_[index].entry; }

  Entry* find(uint64_t object) {
    const uint32_t place = probe(object);
    return is_taken(place) ? &nodes_[places_[place]].entry : nullptr;
  }

  // A new entry is all zero but for its object. Null if the table is full.
  Entry* find_or_add(uint64_t object) {
    const uint32_t place = probe(object);
    if (is_taken(place)) return &nodes_[places_[place]].entry;
    if (used_ == kMost) return nullptr;
    Node& node = nodes_[used_];
    places_[place] = static_cast<uint16_t>(used_++);
    node.place = place;
    node.entry = Entry{};
    node.entry.object = object;
    return &node.entry;
  }

 private:
  static_assert(kPlaces <= 1u << 16 && (kPlaces & (kPlaces - 1)) == 0);
  struct Node {
    uint32_t place;
    Entry entry;
  };

  bool is_taken(uint32_t place) const {
    return places_[place] < used_ && nodes_[places_[place]].place == place;
  }

  // Where `object` is, or the free place for it.
  uint32_t probe(uint64_t object) const {
    uint32_t place = static_cast<uint32_t>((object * 0x9e3779b97f4a7c15u) >> 40) % kPlaces;
    while (is_taken(place) && nodes_[places_[place]].entry.object != object) {
      place = (place + 1) % kPlaces;
    }
    return place;
  }

  uint32_t used_ = 0;
  Node nodes_[kMost] = {};
  uint16_t places_[kPlaces] = {};
};

}  // namespace esox
