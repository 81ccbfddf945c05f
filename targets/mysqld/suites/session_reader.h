// SPDX-License-Identifier: Apache-2.0
// What a client asks of a server of MySQL's kind, and whether it was done: read from the bytes that
// go to and fro between them.
//
// The protocol is old and stable (MySQL Internals, "Client/Server Protocol"; MariaDB's knowledge
// base has the same): packets of three bytes of length and one of sequence; a command begins with
// sequence 0, and the next one comes when the client has read all of the reply; a packet from the
// server that begins with 0xff is an error, and any other that ends a reply tells whether the
// session is in a transaction. So nothing else of replies needs to be understood. Of a session that
// is compressed or encrypted nothing is read after its login.
//
// Pure; safe on any bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "targets/sql/import/request_log.h"

namespace esox {

inline constexpr size_t kMostRequest_bytes = size_t{16} << 20;  // longer ones are not kept

// Puts the packets of one direction together. Of each, `most` bytes are kept; what is longer than
// a packet can be continues in the next one.
class PacketReader {
 public:
  explicit PacketReader(size_t most) : most_(most) {}

  // Takes what it needs of the bytes, and cuts it off. True: a packet is complete; `bytes` may hold
  // more.
  bool take(std::string_view& bytes);
  const std::string& payload() const { return payload_; }
  uint8_t sequence() const { return sequence_; }  // of its first part
  size_t size() const { return size_; }           // of all of it

 private:
  bool take_header(std::string_view& bytes);

  const size_t most_;
  std::string header_;
  std::string payload_;
  size_t left_ = 0;  // of this part
  size_t size_ = 0;
  uint8_t sequence_ = 0;
  bool continues_ = false;  // the part is a full one: another follows
  bool ended_ = true;
};

class SessionReader {
 public:
  // Adds to `log`, which outlives it. `next_session`: as yet unused number, counted up.
  SessionReader(RequestLog& log, uint64_t& next_session);

  void from_client(std::string_view bytes);
  void from_server(std::string_view bytes);
  // Nothing more comes. A request whose reply looks complete was answered: not every client says
  // goodbye.
  void ended();

 private:
  enum class Phase { kGreeting, kLogin, kCommands, kUnreadable };

  void greeting(std::string_view payload);
  void login(std::string_view payload);
  void command(std::string_view payload);
  void change_user(std::string_view payload);
  void begin(std::string command, std::string text);
  void answered(uint32_t error);
  std::optional<bool> in_transaction() const;  // by the packet that ended a reply

  RequestLog& log_;
  uint64_t& next_session_;
  uint64_t session_;
  Phase phase_ = Phase::kGreeting;
  uint64_t server_can_ = 0;  // capability flags
  uint64_t both_can_ = 0;
  bool replied_ = false;  // something, to what was asked last
  size_t open_;           // the place in the log of the request that is not answered
  PacketReader client_;
  PacketReader server_;
};

}  // namespace esox
