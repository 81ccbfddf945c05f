// SPDX-License-Identifier: Apache-2.0
// A client of memcached's text protocol (request.h says which requests).
//
// The reply as an Output: values as rows (key, flags, value and, from gets and gats, the unique
// number), statistics as rows (name, value), a line as `info`; "ERROR", "CLIENT_ERROR ..." and
// "SERVER_ERROR ..." as errors 1, 2 and 3. Columns of type "identity" hold numbers that only mean
// the same or another (summaries/identities.h).
#pragma once

#include <map>
#include <optional>
#include <string>

#include "targets/socket_client.h"

namespace esox {

class MemcachedClient final : public SocketClient {
 public:
  using SocketClient::SocketClient;
  bool continue_on(int fd) override;

 private:
  const char* greeting() const override { return "version"; }
  void exchange(const Request& request, Output& output) override;
  std::string with_unique(const std::string& text) const;
  void read_values(std::string line, bool unique, Output& output);
  void read_statistics(std::string line, Output& output);

  using Uniques = std::map<std::string, std::string>;
  Uniques uniques_;                      // by key: the number last given
  std::optional<Uniques> kept_uniques_;  // when it first went on
};

}  // namespace esox
