// SPDX-License-Identifier: Apache-2.0
// A client of memcached's text protocol (inputs/memcached_request.h says which requests).
//
// The reply as an Output: values as rows (key, flags, value and, from gets and gats, the unique
// number), statistics as rows (name, value), a line as `info`; "ERROR", "CLIENT_ERROR ..." and
// "SERVER_ERROR ..." as errors 1, 2 and 3. Columns of type "identity" hold numbers that only mean
// the same or another (summaries/identities.h).
#pragma once

#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "targets/client.h"

namespace esox {

struct MemcachedClientOptions {
  int reply_timeout_ms = 0;  // for each part of a reply; 0: for ever
  int connect_timeout_ms = 10'000;
};

class MemcachedClient final : public Client {
 public:
  explicit MemcachedClient(MemcachedClientOptions options = {}) : options_(options) {}
  ~MemcachedClient() override;
  MemcachedClient(const MemcachedClient&) = delete;
  MemcachedClient& operator=(const MemcachedClient&) = delete;

  // Tries again while nobody listens yet, so that the server need not be asked whether it is ready.
  void connect(const std::string& socket_path) override;
  Output run(const Request& request) override;
  std::vector<Warning> warnings() override { return {}; }
  int limit_replies(int limit_ms) override {
    return std::exchange(options_.reply_timeout_ms, limit_ms);
  }
  void abort() override;
  // The first time, what the client knows is what it shall know whenever it goes on.
  bool continue_on(int fd) override;
  bool connected() const override { return fd_ >= 0; }
  void close() override;
  int socket_fd() const override { return fd_; }
  uint64_t connection_id() const override { return 0; }

 private:
  void open(const std::string& socket_path);
  class Lost;  // no reply came: why

  std::string with_unique(const std::string& text) const;
  void send_all(const std::string& bytes);
  void read_more();
  std::string read_line();
  std::string read_bytes(size_t count);
  void read_reply(const Request& request, Output& output);
  void read_values(std::string line, bool unique, Output& output);
  void read_statistics(std::string line, Output& output);

  MemcachedClientOptions options_;
  int fd_ = -1;
  mutable std::mutex abort_mutex_;  // guards fd_ between abort() and close()
  std::string received_;            // and not yet read
  using Uniques = std::map<std::string, std::string>;
  Uniques uniques_;                      // by key: the number last given
  std::optional<Uniques> kept_uniques_;  // when it first went on
};

}  // namespace esox
