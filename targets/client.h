// SPDX-License-Identifier: Apache-2.0
// One connection to the server under test: requests in, outputs out.
//
// One thread uses a client at a time; abort() alone may be called by any thread at any time.
#pragma once

#include <cstdint>
#include <functional>
#include <stdexcept>
#include <string>
#include <vector>

#include "inputs/input.h"
#include "summaries/outcome.h"

namespace esox {

// what() is one line: what failed, and the server's own words.
class ClientError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// Of a reply that nothing else ends the wait for: longer than a busy machine makes one wait.
inline constexpr int kLongestReply_ms = 30'000;

class Client {
 public:
  virtual ~Client() = default;

  // Connects; a connection held before is closed. Throws ClientError.
  virtual void connect(const std::string& socket_path) = 0;

  // Sends one request and reads the whole reply. Never throws for what the server does: an error
  // reply is output.error; no reply (server gone, aborted, time-out) is answered == false with the
  // reason in message, and the connection is closed then.
  virtual Output run(const Request& request) = 0;

  // The texts of the last request's warnings. This is another request: only when asked, and never
  // between two requests whose order matters.
  virtual std::vector<Warning> warnings() = 0;

  // Runs statements that must succeed, each within kLongestReply_ms: one may loop for ever.
  // Throws ClientError with the statement, its number (from 1) and the server's error.
  // `after_each` is called with one that has succeeded.
  using AfterEach = std::function<void(const std::string&)>;
  void run_setup(const std::vector<std::string>& statements, const AfterEach& after_each = {});

  // How long the next replies are waited for, each; 0: for ever. Gives what it was until then.
  virtual int limit_replies(int limit_ms) = 0;

  // Ends the connection from another thread: a run() that waits returns at once, unanswered.
  // Harmless without a connection.
  virtual void abort() = 0;

  // Goes on over another socket, as if nothing had happened since: the server at its other end is
  // in the state in which the last one was when it was forked (harness/engine/snapshot). The old
  // socket is closed, `fd` stays the caller's. False if this client cannot do that, or not any more
  // because a reply was cut off in its middle; then it must connect anew.
  virtual bool continue_on(int /*fd*/) { return false; }

  virtual bool connected() const = 0;
  virtual void close() = 0;

  // Whether the session is in a transaction; may ask the server.
  virtual bool in_transaction() { return false; }

  // The socket's descriptor, for those who wait on several; -1 without a connection. Not owned.
  virtual int socket_fd() const = 0;

  // The server's number of this connection (SHOW PROCESSLIST's Id); 0 without one.
  virtual uint64_t connection_id() const = 0;
};

// Limits the replies before and after an execution, where nothing else ends a wait for one. A
// shorter limit stays.
class ReplyLimit {
 public:
  explicit ReplyLimit(Client& client, int limit_ms = kLongestReply_ms)
      : client_(client), before_(client.limit_replies(limit_ms)) {
    if (before_ > 0 && before_ < limit_ms) client_.limit_replies(before_);
  }
  ~ReplyLimit() { client_.limit_replies(before_); }
  ReplyLimit(const ReplyLimit&) = delete;
  ReplyLimit& operator=(const ReplyLimit&) = delete;

 private:
  Client& client_;
  int before_;
};

}  // namespace esox
