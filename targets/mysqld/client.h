// SPDX-License-Identifier: Apache-2.0
// A client of the MySQL protocol, by libmariadb's C API.
//
// All results are read as text, with several result sets per request allowed (procedures, batches).
// Reconnecting is off: a lost connection is an observation, not something to paper over. LOAD DATA
// LOCAL is off: a server under test must not read the tester's files.
//
// Warnings: the number comes with every reply. The texts take another request (SHOW WARNINGS),
// which would disturb what is being tested if asked between two requests; so only those of a
// session's last request can be had, by warnings(), once all sessions are done.
#pragma once

#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "targets/client.h"

struct st_mysql;  // libmariadb's MYSQL

namespace esox {

struct MysqlOptions {
  std::string user = "root";
  std::string database = "test";  // created if the server has none of that name
  // How long to wait for a reply to begin, and for each part of it; 0: for ever. Parts after the
  // first are timed in whole seconds, rounded up, for that is all libmariadb offers.
  int reply_timeout_ms = 0;
  int connect_timeout_s = 10;
};

class MysqlClient final : public Client {
 public:
  explicit MysqlClient(MysqlOptions options = {});
  ~MysqlClient() override;
  MysqlClient(const MysqlClient&) = delete;
  MysqlClient& operator=(const MysqlClient&) = delete;

  void connect(const std::string& socket_path) override;
  Output run(const Request& request) override;
  std::vector<Warning> warnings() override;
  int limit_replies(int limit_ms) override {
    return std::exchange(options_.reply_timeout_ms, limit_ms);
  }
  void abort() override;
  bool continue_on(int fd) override;
  bool connected() const override { return mysql_ != nullptr && !hung_up_; }
  void close() override;
  bool in_transaction() override;
  int socket_fd() const override;
  uint64_t connection_id() const override;

 private:
  void open(const std::string& socket_path, const char* database);
  bool send(const std::string& text, Output& output);
  bool wait_for_reply(Output& output);
  bool still_there(Output& output);
  bool read_highest_error(Output& output);
  bool read_results(Output& output);
  bool read_rows(Output& output);
  bool failed(Output& output);
  bool lost(Output& output, std::string reason);

  MysqlOptions options_;
  st_mysql* mysql_ = nullptr;
  bool hung_up_ = false;  // between two replies, so that it could go on over another socket
  mutable std::mutex abort_mutex_;  // guards fd_ between abort() and close()
  int fd_ = -1;
};

}  // namespace esox
