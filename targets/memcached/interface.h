// SPDX-License-Identifier: Apache-2.0
// The state of a memcached as its text protocol tells it, without any change to the server.
//
//   items            map  by key, of the keys the input names: flags, value, unique number (by
//                         identity)
//   lifetimes        map  by key: when it expires, in the client's steps; whether it is stale, and
//                         whether a client is to recache it. Only of inputs that may limit one, on
//                         servers that tell it (meta commands)
//   counters         map  of `stats`: what is stored, and what the requests did (hits, misses ...)
//   observation:...  sequence  the reply to each observation of the input
//
// Asked in this order. Items that are flushed or expired go only when somebody meets them, which
// is memcached's right: asking for all keys first takes away those that are dead, and the counters
// that tell who met them (get_flushed, reclaimed ...) are left out, as is total_items, for an
// increment makes a new item exactly if somebody else holds the old one at that moment.
//
// A reply that is an error, or none, makes its component unavailable.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "inputs/input.h"
#include "summaries/component.h"
#include "summaries/identities.h"
#include "summaries/source.h"

namespace esox {

// Which components there are (docs/memcached.md).
std::span<const ComponentFacts> memcached_components();

// What an input's requests say of its state.
struct MemcachedSubject {
  std::vector<std::string> keys;  // that they name
  bool lifetimes = false;         // whether one may limit an item's life
  std::vector<std::string> observations;
};

MemcachedSubject subject_of(const Input& input);

class MemcachedInterface final : public SummarySource {
 public:
  // `own` is a connection of the summary's own. `identities` has named the outputs by the time of
  // take(), and outlives this.
  MemcachedInterface(Ask own, MemcachedSubject subject, Identities& identities);

  std::vector<Component> take() override;

 private:
  Component counters();
  Component items();
  std::optional<Component> lifetimes();

  Ask own_;
  MemcachedSubject subject_;  // keys sorted, each once
  Identities& identities_;
};

}  // namespace esox
