// SPDX-License-Identifier: Apache-2.0
#include "targets/mysqld/state/ended_sessions.h"

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>

namespace esox {
namespace {

// The session 7, over a socket whose other end the server may close.
class StubClient final : public Client {
 public:
  StubClient() { EXPECT_EQ(::socketpair(AF_UNIX, SOCK_STREAM, 0, ends_.data()), 0); }
  ~StubClient() override {
    hang_up();
    ::close(ends_[0]);
  }
  void hang_up() {
    if (ends_[1] >= 0) ::close(ends_[1]);
    ends_[1] = -1;
  }
  void lose() { connected_ = false; }

  void connect(const std::string& /*socket_path*/) override {}
  Output run(const Request& /*request*/) override { return {}; }
  std::vector<Warning> warnings() override { return {}; }
  int limit_replies(int /*limit_ms*/) override { return 0; }
  void abort() override {}
  bool connected() const override { return connected_; }
  void close() override {}
  int socket_fd() const override { return ends_[0]; }
  uint64_t connection_id() const override { return connected_ ? 7 : 0; }

 private:
  std::array<int, 2> ends_ = {-1, -1};
  bool connected_ = true;
};

class EndedSessionsTest : public testing::Test {
 protected:
  EndedSessionsTest() {
    auto client = std::make_unique<StubClient>();
    client_ = client.get();
    clients_.push_back(std::move(client));
  }

  // How often the server was asked, that lists the session so often.
  int asked(int listed, std::chrono::milliseconds limit = std::chrono::seconds(60)) {
    int count = 0;
    const auto ask = [&](const std::string&) {
      Output output;
      output.answered = true;
      ResultSet list;
      list.rows = {{"5", "root"}};
      if (count++ < listed) list.rows.push_back({"7", "root"});
      output.results = {list};
      return output;
    };
    const EndedSessions sessions(ask, clients_, limit);
    if (loses_) client_->lose();
    sessions.await();
    return count;
  }

  StubClient* client_ = nullptr;
  bool loses_ = false;

 private:
  std::vector<std::unique_ptr<Client>> clients_;
};

TEST_F(EndedSessionsTest, NothingIsAskedWhereEverybodyIsConnected) {
  EXPECT_EQ(asked(3), 0);
}

TEST_F(EndedSessionsTest, AClosedConnectionsSessionIsAwaitedUntilItIsListedNoMore) {
  client_->hang_up();
  EXPECT_EQ(asked(3), 4);
}

TEST_F(EndedSessionsTest, SoIsThatOfAClientThatKnowsItself) {
  loses_ = true;
  EXPECT_EQ(asked(3), 4);
}

TEST_F(EndedSessionsTest, OneThatDoesNotEndIsNotAwaitedForEver) {
  client_->hang_up();
  EXPECT_GE(asked(INT32_MAX, std::chrono::milliseconds(20)), 2);
}

}  // namespace
}  // namespace esox
