// SPDX-License-Identifier: Apache-2.0
// The state of a memcached as its text protocol tells it, without any change to the server.
//
//   items            map  by key, of the keys the input names: flags, value, unique number (by
//                         identity)
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

#include <span>
#include <string>
#include <vector>

#include "summaries/component.h"
#include "summaries/identities.h"
#include "summaries/source.h"

namespace esox {

// Which components there are (docs/memcached.md).
std::span<const ComponentFacts> memcached_components();

class MemcachedInterface final : public SummarySource {
 public:
  // `own` is a connection of the summary's own. `identities` has named the outputs by the time of
  // take(), and outlives this.
  MemcachedInterface(Ask own, std::vector<std::string> keys, std::vector<std::string> observations,
                     Identities& identities);

  std::vector<Component> take() override;

 private:
  Component counters();
  Component items();

  Ask own_;
  std::vector<std::string> keys_;  // sorted, each once
  std::vector<std::string> observations_;
  Identities& identities_;
};

}  // namespace esox
