// SPDX-License-Identifier: Apache-2.0
// The reading of sessions: one that MySQL 9.7's test program had with its server, recorded; and
// what it does not hold.
#include "targets/mysqld/suites/session_reader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace esox {
namespace {

using testing::ElementsAre;

struct Piece {
  char from;  // '>': the client, '<': the server
  std::string hex;
};

const std::vector<Piece> kRecorded = {
    {'<',
     "4b0000000a392e372e342d32000a000000434a305e09546a2a00ffffff0200ffdf1500000000000000000000"
     "3843013c1e4e2664470132680063616368696e675f736861325f70617373776f726400"},
    {'>',
     "a90000018da2ff9900000040ff0000000000000000000000000000000000000000000000726f6f7400010074"
     "6573740063616368696e675f736861325f70617373776f72640066045f706964023937095f706c6174666f72"
     "6d067838365f3634035f6f73054c696e75780c5f636c69656e745f6e616d65086c69626d7973716c0f5f636c"
     "69656e745f76657273696f6e05392e372e340c70726f6772616d5f6e616d65096d7973716c74657374"},
    {'<', "1000000200000002400000000701050474657374"},
    {'>', "1a000000030001435245415445205441424c4520743120286120494e5429"},
    {'<', "0700000100000002000000"},
    {'>', "1300000003000153454c454354202a2046524f4d207432"},
    {'<', "26000001ff7a042334325330325461626c652027746573742e74322720646f65736e2774206578697374"},
    {'>', "0b00000003000153454c4543542031"},
    {'<',
     "010000010117000002036465660000000131000c3f000200000008810000000002000003013107000004fe00"
     "0002000000"},
    {'>',
     "8c00000011726f6f7400006d7973716c00ff0063616368696e675f736861325f70617373776f72640066045f"
     "706964023937095f706c6174666f726d067838365f3634035f6f73054c696e75780c5f636c69656e745f6e61"
     "6d65086c69626d7973716c0f5f636c69656e745f76657273696f6e05392e372e340c70726f6772616d5f6e61"
     "6d65096d7973716c74657374"},
    {'<',
     "2c000001fe63616368696e675f736861325f70617373776f7264003a566c59277c686404481c581522504c51"
     "07016200"},
    {'>', "0100000200"},
    {'<', "110000030000000240000000080106056d7973716c"},
    {'>', "1500000003000144524f50205441424c4520746573742e7431"},
    {'<', "0700000100000002000000"},
    {'>', "010000001f"},
    {'<', "0700000100000002000000"},
    {'>', "0b00000003000153454c4543542032"},
    {'<',
     "010000010117000002036465660000000132000c3f000200000008810000000002000003013207000004fe00"
     "0002000000"},
};

std::string bytes_of(const std::string& hex) {
  std::string bytes;
  for (size_t i = 0; i < hex.size(); i += 2) {
    bytes.push_back(static_cast<char>(std::stoi(hex.substr(i, 2), nullptr, 16)));
  }
  return bytes;
}

// Each piece in parts of so many bytes.
std::vector<std::string> read(const std::vector<Piece>& pieces, size_t part = SIZE_MAX) {
  RequestLog log;
  uint64_t next = 7;
  SessionReader reader(log, next);
  for (const Piece& piece : pieces) {
    const std::string bytes = bytes_of(piece.hex);
    for (size_t at = 0; at < bytes.size(); at += std::min(part, bytes.size() - at)) {
      const std::string_view some = std::string_view(bytes).substr(at, part);
      if (piece.from == '>') reader.from_client(some);
      if (piece.from == '<') reader.from_server(some);
    }
  }
  reader.ended();
  std::vector<std::string> told;
  for (const LoggedRequest& one : log.requests) {
    told.push_back(std::to_string(one.session) + " " +
                   (one.error ? std::to_string(*one.error) : "-") + " " + one.command + " " +
                   one.text);
  }
  return told;
}

const auto kTold =
    ElementsAre("7 0 Login test", "7 0 Query CREATE TABLE t1 (a INT)",
                "7 1146 Query SELECT * FROM t2", "7 0 Query SELECT 1", "8 0 Login mysql",
                "8 0 Query DROP TABLE test.t1", "9 0 Login ", "9 0 Query SELECT 2");

TEST(SessionReader, TellsWhatWasAskedAndHowItEnded) {
  EXPECT_THAT(read(kRecorded), kTold);
}

TEST(SessionReader, DoesNotMindHowTheBytesCome) {
  for (const size_t part : {1, 2, 3, 5, 100}) EXPECT_THAT(read(kRecorded, part), kTold);
}

// The client may have gone before it had all of the reply, or the server.
TEST(SessionReader, ARequestWithoutItsWholeReplyIsNotAnswered) {
  std::vector<Piece> pieces = kRecorded;
  pieces.pop_back();
  EXPECT_EQ(read(pieces).back(), "9 - Query SELECT 2");
  pieces.push_back({'<', kRecorded.back().hex.substr(0, 60)});
  EXPECT_EQ(read(pieces).back(), "9 - Query SELECT 2");
}

const Piece kGreeting = kRecorded.at(0);
const Piece kWelcome = kRecorded.at(2);

// Of a client with these capabilities, in hexadecimal as it sends them.
Piece login(const std::string& capabilities) {
  return {'>', "28000001" + capabilities + "00000040ff" + std::string(46, '0') + "726f6f7400" +
                   "00" + "7400"};
}

TEST(SessionReader, WithoutAttributesTheTextBeginsAtOnce) {
  const Piece query{'>',
                    "0900000003"
                    "53454c4543542031"};
  EXPECT_THAT(read({kGreeting, login("8da2ff01"), kWelcome, query, {'>', "0100000001"}}),
              testing::Contains("7 0 Query SELECT 1"));
}

TEST(SessionReader, NothingIsReadOfWhatIsEncryptedOrCompressed) {
  const Piece query{'>',
                    "0900000003"
                    "53454c4543542031"};
  EXPECT_THAT(read({kGreeting, login("8daaff01"), query}),
              ElementsAre("7 - a session that is encrypted "));
  EXPECT_THAT(read({kGreeting, login("ada2ff01"), kWelcome, query, query}),
              ElementsAre("7 0 Login t", "7 - a session that is compressed "));
}

// By the status in what ends a reply: "OK", or after rows either of the two packets there are.
TEST(SessionReader, TellsWhetherTheSessionIsInATransaction) {
  const auto told = [](const std::string& capabilities, const std::string& reply) {
    RequestLog log;
    uint64_t next = 1;
    SessionReader reader(log, next);
    reader.from_server(bytes_of(kGreeting.hex));
    reader.from_client(bytes_of(login(capabilities).hex));
    reader.from_server(bytes_of(kWelcome.hex));
    reader.from_client(bytes_of("090000000353454c4543542031"));
    reader.from_server(bytes_of(reply));
    reader.from_client(bytes_of("0100000001"));
    return log.requests.at(1).in_transaction;
  };
  const std::string with_end_mark = "8da2ff00";
  const std::string without = "8da2ff01";
  EXPECT_EQ(told(without, "0700000100000003000000"), std::optional(true));
  EXPECT_EQ(told(without, "0700000100000002000000"), std::optional(false));
  EXPECT_EQ(told(without, "07000001fe000003000000"), std::optional(true));
  EXPECT_EQ(told(with_end_mark, "05000001fe00000300"), std::optional(true));
  EXPECT_EQ(told(with_end_mark, "05000001fe00000200"), std::optional(false));
  EXPECT_EQ(told(without, "09000001ff2804233432303030"), std::nullopt) << "an error";
  EXPECT_EQ(told(without, "0300000100000003"), std::nullopt) << "cut off";
}

// Packets of the greatest length are parts of a longer one.
TEST(SessionReader, AStatementLongerThanAPacketIsKeptWholeUpToTheLimit) {
  const auto ask = [](size_t bytes) {
    RequestLog log;
    uint64_t next = 1;
    SessionReader reader(log, next);
    for (const Piece& piece : {kGreeting, login("8da2ff01"), kWelcome}) {
      piece.from == '>' ? reader.from_client(bytes_of(piece.hex))
                        : reader.from_server(bytes_of(piece.hex));
    }
    const std::string payload = "\x03" + std::string(bytes, 'x');
    const size_t rest = payload.size() - 0xffffff;
    const std::string head = {static_cast<char>(rest), static_cast<char>(rest >> 8),
                              static_cast<char>(rest >> 16), 1};
    reader.from_client(std::string("\xff\xff\xff\0", 4) + payload.substr(0, 0xffffff) + head +
                       payload.substr(0xffffff));
    return log.requests.back();
  };
  EXPECT_EQ(ask(0xffffff).text.size(), 0xffffffu);
  EXPECT_EQ(ask(0x1000000).command, "a statement that is too long");
}

}  // namespace
}  // namespace esox
