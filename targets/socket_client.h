// SPDX-License-Identifier: Apache-2.0
// The connection of a client whose protocol is bytes on a stream socket: what such clients have in
// common. A protocol adds exchange() and a greeting.
//
// No reply (server gone, aborted, too late, or one that the protocol does not allow) is thrown as
// Lost inside exchange(), and run() answers with it.
#pragma once

#include <mutex>
#include <stdexcept>
#include <string>
#include <utility>

#include "targets/client.h"

namespace esox {

class SocketClient : public Client {
 public:
  // `reply_timeout_ms`: for each part of a reply; 0: for ever.
  explicit SocketClient(int reply_timeout_ms = 0) : reply_timeout_ms_(reply_timeout_ms) {}
  ~SocketClient() override { SocketClient::close(); }
  SocketClient(const SocketClient&) = delete;
  SocketClient& operator=(const SocketClient&) = delete;

  // Tries again while nobody listens yet, so that the server need not be asked whether it is ready.
  void connect(const std::string& socket_path) override;
  Output run(const Request& request) override;
  std::vector<Warning> warnings() override { return {}; }
  int limit_replies(int limit_ms) override { return std::exchange(reply_timeout_ms_, limit_ms); }
  void abort() override;
  bool continue_on(int fd) override;
  bool connected() const override { return fd_ >= 0; }
  void close() override;
  int socket_fd() const override { return fd_; }
  uint64_t connection_id() const override { return 0; }

 protected:
  class Lost : public std::runtime_error {
   public:
    using std::runtime_error::runtime_error;
  };

  // A request that every server of this protocol answers without an error and that changes nothing.
  virtual const char* greeting() const = 0;
  // Sends the request and reads its reply into `output`.
  virtual void exchange(const Request& request, Output& output) = 0;

  void send_all(const std::string& bytes);
  std::string read_line();  // ends with "\n" or "\r\n", which are not given
  std::string read_bytes(size_t count);
  bool has_unread() const { return !received_.empty(); }  // more was said than was read

 private:
  void open(const std::string& socket_path);
  void read_more();

  int reply_timeout_ms_;
  int fd_ = -1;
  mutable std::mutex abort_mutex_;  // guards fd_ between abort() and close()
  std::string received_;            // and not yet read
};

}  // namespace esox
