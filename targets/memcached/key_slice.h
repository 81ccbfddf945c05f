// SPDX-License-Identifier: Apache-2.0
// Requests of memcached that sessions sent: what they share, and what must have happened before
// some of them - a backward slice, as slice.h, over keys.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "inputs/import/imported_input.h"
#include "targets/memcached/request.h"

namespace esox {

struct SentRequest {
  size_t session = 0;
  int line = 0;  // in its session's file
  std::string text;
  MemcachedRequest request;

  bool is(const std::string& command) const { return request.command == command; }
  bool writes() const;
  bool uses_all() const { return is("flush_all") || is("stats"); }
  bool names(const std::string& key) const;
};

// They share a key, which one of them changes.
bool conflict(const SentRequest& a, const SentRequest& b);

// Of `before` (numbers of what came before the members, ascending): what changed the members' keys,
// from their last `set` on (or `ms`, or what deletes); and of what is taken so, what compares a
// unique number with the request that gave it.
std::vector<size_t> key_slice(const std::vector<SentRequest>& all, const Candidate& candidate,
                              const std::vector<size_t>& before);

}  // namespace esox
