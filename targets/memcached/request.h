// SPDX-License-Identifier: Apache-2.0
// Light knowledge of memcached's text protocol: which requests an input may hold, what they touch,
// and what their replies look like. Its source is doc/protocol.txt of memcached 1.6.38.
//
// A request is its command line and, after a line break, its data if it stores any; the client adds
// the protocol's "\r\n". {cas} stands for the unique number that the same client was last given for
// the key (gets, gats, or a meta command with the flag c), or 0: the number itself differs from run
// to run. The flags of the meta commands (mg, ms, md, ma, me) are in meta_flags.h.
//
// Each request is one atomic step by the protocol, but for those that name several keys.
//
// A setup may fill the server: the key filler{1..6143} of a set stands for 6,143 items, as of as
// many requests. They are there to be many, so no state names them.
//
// All functions are pure and safe on any bytes.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "targets/memcached/meta_flags.h"

namespace esox {

// Whether it can stand in a line as it is, not in base64.
bool is_plain_key(std::string_view key);

enum class MemcachedReply {
  kLine,        // STORED, DELETED, 5, OK, MN ...
  kValues,      // VALUE ..., END
  kStatistics,  // STAT ..., END
  kMeta,        // HD, EN, NF, NS, EX and the flags asked for; VA, and a value after it
  kMetaDebug,   // ME key name=value ..., or EN
};

struct MemcachedRequest {
  std::string command;             // "set"
  std::vector<std::string> words;  // of the command line, the command among them
  std::string data;                // of a storage command
  bool stores = false;             // data follows the command line
  MemcachedReply reply = MemcachedReply::kLine;
  std::vector<std::string> keys;   // that it names; any bytes if the line has them in base64
  std::vector<std::string> flags;  // of a meta command: each a letter and its token
  std::string length;              // how much data it says, as a word; of one that stores

  // The flag with this letter; null: it has none.
  const std::string* flag(char letter) const;
  // No reply if all is well (flag q). The client sends an mn after it, whose reply ends it.
  bool quiet() const { return flag('q') != nullptr; }
};

// Why it may not stand in an input, with the remedy; empty if it may. Not allowed is what gives no
// reply (noreply, quit), what reaches beyond the data (shutdown, watch ...), and a line of which
// the server would take the data for a request of its own, since it does not understand it.
std::string memcached_complaint(std::string_view text);

// Of a request in a setup.
std::string memcached_setup_complaint(std::string_view text);

// The same of the line without the data that may follow it.
std::string memcached_line_complaint(std::string_view line);

// Only for texts without complaint.
MemcachedRequest memcached_request(std::string_view text);

// The requests that a request of a setup stands for: it alone, or each of those that fill.
std::vector<std::string> memcached_requests(std::string_view text);

// Of a request whose reply is kLine, and of no error: whether it is one of those there are.
bool is_reply_line(const MemcachedRequest& request, std::string_view line);

// ---- What it does. Only for requests without complaint.

// Whether its reply holds unique numbers.
bool gives_unique(const MemcachedRequest& request);
// Whether it acts only if the unique number is the one that it names: cas, flag C.
bool compares_unique(const MemcachedRequest& request);
// Whether its reply tells of an item what no state summary holds (interface.h): whether and when it
// was read before.
bool tells_reads(const MemcachedRequest& request);
// Whether it may change what another one sees of its keys. Of mg so it seems by N, R and T; that
// any mg may win a stale item its text does not say.
bool changes_items(const MemcachedRequest& request);
// Whether the key holds what it says afterwards, whatever was there before.
bool replaces_item(const MemcachedRequest& request);
// Whether the key is gone afterwards, whatever was there before.
bool removes_item(const MemcachedRequest& request);
// Whether it may leave an item that expires, is stale, or has a client that recaches it.
bool limits_lifetime(const MemcachedRequest& request);

}  // namespace esox
