// SPDX-License-Identifier: Apache-2.0
// What memcached's client sends, and what it makes of replies, on a scripted server.
#include "targets/memcached/client.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <random>
#include <thread>

#include "base/process/private_directory.h"
#include "summaries/garbled.h"
#include "summaries/identities.h"

namespace esox {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

struct Exchange {
  std::string sent;  // by the client; empty: anything
  std::string reply;
};

// Answers one connection as told, and closes it after the last reply or where something else comes.
class ScriptedServer {
 public:
  explicit ScriptedServer(std::vector<Exchange> exchanges)
      : path_(folder_.socket_path("socket")), listening_(::socket(AF_UNIX, SOCK_STREAM, 0)) {
    exchanges.insert(exchanges.begin(), Exchange{"version\r\n", "VERSION 1.6.38\r\n"});
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    path_.copy(address.sun_path, sizeof address.sun_path - 1);
    EXPECT_EQ(::bind(listening_, reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
    EXPECT_EQ(::listen(listening_, 1), 0);
    thread_ = std::thread([this, exchanges = std::move(exchanges)] { serve(exchanges); });
  }
  ~ScriptedServer() {
    thread_.join();
    ::close(listening_);
  }
  const std::string& path() const { return path_; }

 private:
  void serve(const std::vector<Exchange>& exchanges) const {
    const int fd = ::accept(listening_, nullptr, nullptr);
    for (const Exchange& exchange : exchanges) {
      std::string got(std::max<size_t>(exchange.sent.size(), 1), '\0');
      if (::recv(fd, got.data(), got.size(), MSG_WAITALL) <= 0) break;
      if (!exchange.sent.empty()) {
        EXPECT_EQ(got, exchange.sent);
      }
      ::send(fd, exchange.reply.data(), exchange.reply.size(), MSG_NOSIGNAL);
    }
    ::close(fd);
  }

  PrivateDirectory folder_{temporary_base()};
  std::string path_;
  int listening_;
  std::thread thread_;
};

// The replies to these requests, of a server that expects and says this.
std::vector<Output> replies(const std::vector<std::string>& requests,
                            const std::vector<Exchange>& exchanges) {
  ScriptedServer server(exchanges);
  MemcachedClient client;
  client.connect(server.path());
  std::vector<Output> outputs;
  for (const std::string& text : requests) outputs.push_back(client.run({text, true}));
  client.close();
  return outputs;
}

Output reply(const std::string& request, const Exchange& exchange) {
  return replies({request}, {exchange}).at(0);
}

std::vector<std::string> names(const Output& output) {
  std::vector<std::string> all;
  for (const Column& column : output.results.at(0).columns) all.push_back(column.name);
  return all;
}

TEST(MemcachedClient, AMetaGetIsARowOfWhatWasAskedFor) {
  const Output hit = reply("mg k s v c f h k O7",
                           {"mg k s v c f h k O7\r\n", "VA 4 s4 c21 f5 h0 kk O7 W\r\na\r\nb\r\n"});
  EXPECT_THAT(names(hit), ElementsAre("code", "value", "size", "unique", "flags", "hit", "key",
                                      "opaque", "marks"));
  EXPECT_EQ(hit.results[0].columns[3].type, kIdentityType);
  EXPECT_THAT(hit.results[0].rows,
              ElementsAre(ElementsAre("VA", "a\r\nb", "4", "21", "5", "0", "k", "7", "W")));
}

TEST(MemcachedClient, WhatAReplyHasNotIsNull) {
  const Output miss = reply("mg k v t", {"mg k v t\r\n", "EN\r\n"});
  EXPECT_THAT(miss.results.at(0).rows, ElementsAre(ElementsAre("EN", Cell{}, Cell{}, Cell{})));
  const Output stale = reply("mg k v", {"mg k v\r\n", "VA 0 X Z\r\n\r\n"});
  EXPECT_THAT(stale.results.at(0).rows, ElementsAre(ElementsAre("VA", "", "XZ")));
}

TEST(MemcachedClient, ACodeAloneIsALine) {
  EXPECT_EQ(reply("ms k 1\n5", {"ms k 1\r\n5\r\n", "HD\r\n"}).info, "HD");
  EXPECT_EQ(reply("md k I T30", {"md k I T30\r\n", "NF\r\n"}).info, "NF");
  EXPECT_EQ(reply("mn", {"mn\r\n", "MN\r\n"}).info, "MN");
  EXPECT_EQ(reply("verbosity 1", {"verbosity 1\r\n", "OK\r\n"}).info, "OK");
  EXPECT_EQ(reply("me k", {"me k\r\n", "EN\r\n"}).info, "EN");
}

TEST(MemcachedClient, SecondsAreToldInStepsForTheServersClockGoesOn) {
  const auto row = [](const std::string& told) {
    return reply("mg k t l", {"mg k t l\r\n", "HD " + told + "\r\n"}).results.at(0).rows.at(0);
  };
  EXPECT_EQ(row("t100 l0"), row("t99 l9"));
  EXPECT_NE(row("t100 l0"), row("t90 l0"));
  EXPECT_NE(row("t100 l0"), row("t100 l10"));
  EXPECT_NE(row("t-1 l0"), row("t1 l0"));
  // Below zero, in 32 bits: the more so the longer the server has been running.
  EXPECT_EQ(row("t4294967238 l0"), row("t4294967201 l0"));
  EXPECT_NE(row("t4294967238 l0"), row("t2147483640 l0"));
}

TEST(MemcachedClient, MetaDebugIsARowByItsNames) {
  const Output told =
      reply("me k", {"me k\r\n", "ME k exp=99 la=1 cas=7 fetch=no cls=1 size=63\r\n"});
  EXPECT_THAT(names(told), ElementsAre("key", "exp", "la", "cas", "fetch", "cls", "size"));
  EXPECT_THAT(told.results[0].rows,
              ElementsAre(ElementsAre("k", "100", "0", "7", "no", "1", "63")));
  EXPECT_EQ(told.results[0].columns[3].type, kIdentityType);
}

TEST(MemcachedClient, AQuietRequestEndsWithTheReplyToANoOp) {
  const std::vector<Output> outputs = replies({"mg k v q", "mg k v q", "ms k 1 q\n5", "get k"},
                                              {{"mg k v q\r\nmn\r\n", "MN\r\n"},
                                               {"mg k v q\r\nmn\r\n", "VA 1\r\n5\r\nMN\r\n"},
                                               {"ms k 1 q\r\n5\r\nmn\r\n", "NS\r\nMN\r\n"},
                                               {"get k\r\n", "END\r\n"}});
  EXPECT_EQ(outputs[0].info, "nothing, as asked");
  EXPECT_THAT(outputs[1].results.at(0).rows, ElementsAre(ElementsAre("VA", "5", Cell{})));
  EXPECT_EQ(outputs[2].info, "NS");
  EXPECT_TRUE(outputs[3].answered);
}

TEST(MemcachedClient, UniqueNumbersAreThoseLastGivenForTheKey) {
  const std::vector<Output> outputs = replies(
      {"mg k c", "ms k 1 C{cas} c\n5", "md k C{cas}", "ma l C{cas}", "cas k 0 0 1 {cas}\n7"},
      {{"mg k c\r\n", "HD c17\r\n"},
       {"ms k 1 C17 c\r\n5\r\n", "HD c18\r\n"},
       {"md k C18\r\n", "EX\r\n"},
       {"ma l C0\r\n", "NF\r\n"},
       {"cas k 0 0 1 18\r\n7\r\n", "EXISTS\r\n"}});
  EXPECT_EQ(outputs.back().info, "EXISTS");
}

TEST(MemcachedClient, AKeyInBase64IsTheSameKey) {
  const std::vector<Output> outputs =
      replies({"mg Zm9v b c", "cas foo 0 0 1 {cas}\n5"},
              {{"mg Zm9v b c\r\n", "HD c17\r\n"}, {"cas foo 0 0 1 17\r\n5\r\n", "STORED\r\n"}});
  EXPECT_EQ(outputs.back().info, "STORED");
}

TEST(MemcachedClient, AServerThatTakesDataForARequestIsGivenUp) {
  const Output old = reply("ms k 1\n5", {"ms k 1\r\n5\r\n", "ERROR\r\nERROR\r\n"});
  EXPECT_FALSE(old.answered);
  EXPECT_THAT(old.message, HasSubstr("knows no ms"));
  EXPECT_EQ(reply("mg k", {"mg k\r\n", "ERROR\r\n"}).error, 1u);
}

TEST(MemcachedClient, ALineThatTheRequestHasNotIsNone) {
  EXPECT_TRUE(is_garbled(reply("incr k 1", {"incr k 1\r\n", "STORED\r\n"})));
  EXPECT_TRUE(is_garbled(reply("set k 0 0 1\n5", {"set k 0 0 1\r\n5\r\n", "STO\r\n"})));
  EXPECT_EQ(reply("incr k 1", {"incr k 1\r\n", "18446744073709551615\r\n"}).info,
            "18446744073709551615");
  EXPECT_EQ(reply("version", {"version\r\n", "VERSION 1.6.9\r\n"}).info, "VERSION 1.6.9");
}

TEST(MemcachedClient, ARestOfAReplyIsNotTheNextOne) {
  const std::vector<Output> outputs = replies(
      {"ms k 1\n5", "get k"}, {{"ms k 1\r\n5\r\n", "CLIENT_ERROR invalid flag\r\nERROR\r\n"}});
  EXPECT_EQ(outputs[0].error, 2u);
  EXPECT_FALSE(outputs[1].answered);
  EXPECT_THAT(outputs[1].message, HasSubstr("more than it was asked for"));
}

TEST(MemcachedClient, AnyBytesAreAReplyOrNone) {
  std::mt19937 random(1);
  const std::string letters("VAHDENME kct0129-=WXZ\r\n\0\xff", 26);
  const char* const requests[] = {"mg k v t c", "me k", "ma k v q", "get k", "stats", "ms k 1\n5"};
  for (int i = 0; i < 300; ++i) {
    std::string said;
    for (size_t n = random() % 30; n > 0; --n) said += letters[random() % letters.size()];
    const char* request = requests[i % 6];
    ScriptedServer server({{"", said + "\r\n"}});
    MemcachedClient client;
    client.connect(server.path());
    const Output output = client.run({request, true});
    client.close();
    EXPECT_TRUE(output.answered || !output.message.empty());
  }
}

}  // namespace
}  // namespace esox
