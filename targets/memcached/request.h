// SPDX-License-Identifier: Apache-2.0
// Light knowledge of memcached's text protocol: which requests an input may hold, and what their
// replies look like.
//
// A request is its command line and, after a line break, its data if it stores any; the client adds
// the protocol's "\r\n". {cas} stands for the unique number that the same client was last given for
// the key (gets, gats), or 0: the number itself differs from run to run.
//
// All functions are pure and safe on any bytes.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace esox {

inline constexpr std::string_view kCasPlaceholder = "{cas}";

enum class MemcachedReply {
  kLine,        // STORED, DELETED, 5, OK ...
  kValues,      // VALUE ..., END
  kStatistics,  // STAT ..., END
};

struct MemcachedRequest {
  std::string command;             // "set"
  std::vector<std::string> words;  // of the command line, the command among them
  std::string data;                // of a storage command
  bool stores = false;             // data follows the command line
  MemcachedReply reply = MemcachedReply::kLine;
  std::vector<std::string> keys;  // that it names
};

// Why it may not stand in an input, with the remedy; empty if it may. Not allowed is what gives no
// reply (noreply, quit) or reaches beyond the data (shutdown, verbosity, watch ...).
std::string memcached_complaint(std::string_view text);

// Only for texts without complaint.
MemcachedRequest memcached_request(std::string_view text);

// Whether its reply holds unique numbers.
bool gives_unique(const MemcachedRequest& request);

}  // namespace esox
