// SPDX-License-Identifier: Apache-2.0
// A client of memcached's text protocol (request.h says which requests).
//
// The reply as an Output: values as rows (key, flags, value and, from gets and gats, the unique
// number), statistics as rows (name, value), a line as `info`; "ERROR", "CLIENT_ERROR ..." and
// "SERVER_ERROR ..." as errors 1, 2 and 3. Columns of type "identity" hold numbers that only mean
// the same or another (summaries/identities.h).
//
// The reply to a meta command is one row: its code, the value if that was asked for, a column for
// each flag that adds something to the reply, in the order of the request, and of mg the marks of
// its item (W: this client is to recache it, X: stale, Z: another client is to); NULL where it has
// none. If nothing was asked for but the code, it is `info`.
//
// Times until something expires and since it was read are told in steps of kClockStep_s, the one
// rounded up, the other down: the server's clock goes on by itself, a second at a time, in a thread
// that is controlled as a context at most (preload/scheduler/contexts.cpp).
#pragma once

#include <map>
#include <optional>
#include <string>

#include "targets/memcached/request.h"
#include "targets/socket_client.h"

namespace esox {

inline constexpr int64_t kClockStep_s = 10;

class MemcachedClient final : public SocketClient {
 public:
  using SocketClient::SocketClient;
  bool continue_on(int fd) override;

 private:
  const char* greeting() const override { return "version"; }
  void exchange(const Request& request, Output& output) override;
  void exchange_one(const MemcachedRequest& sent, Output& output);
  std::string as_sent(const MemcachedRequest& request) const;
  void read_reply(std::string line, const MemcachedRequest& sent, Output& output);
  void read_values(std::string line, bool unique, Output& output);
  void read_statistics(std::string line, Output& output);
  void read_meta(const std::string& line, const MemcachedRequest& sent, Output& output);
  void read_meta_debug(const std::string& line, Output& output);

  using Uniques = std::map<std::string, std::string>;
  Uniques uniques_;                      // by key: the number last given
  std::optional<Uniques> kept_uniques_;  // when it first went on
};

}  // namespace esox
