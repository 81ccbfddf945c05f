// SPDX-License-Identifier: Apache-2.0
#include "targets/socket_client.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <thread>

#include "base/process/private_directory.h"

namespace esox {
namespace {

using testing::HasSubstr;

// A line, and bytes as many as it says.
class LineClient final : public SocketClient {
 public:
  using SocketClient::SocketClient;
  std::vector<int> limits_ms;  // that the replies had

 private:
  const char* greeting() const override { return "hello"; }
  void exchange(const Request& request, Output& output) override {
    limits_ms.push_back(limit_replies(0));
    limit_replies(limits_ms.back());
    send_all(request.text + "\n");
    output.info = read_line();
    if (output.info == "2 bytes") output.message = read_bytes(2);
  }
};

// Takes one connection, and answers each receive with the next of its replies.
class ScriptedServer {
 public:
  explicit ScriptedServer(const std::vector<std::string>& replies) {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    path().copy(address.sun_path, sizeof address.sun_path - 1);
    listening_ = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    EXPECT_EQ(bind(listening_, reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
    EXPECT_EQ(listen(listening_, 1), 0);
    thread_ = std::thread([this, replies] { serve(replies); });
  }
  ~ScriptedServer() {
    thread_.join();
    ::close(listening_);
  }
  std::string path() const { return folder_.socket_path("socket"); }

 private:
  void serve(const std::vector<std::string>& replies) {
    const int fd = accept(listening_, nullptr, nullptr);
    for (const std::string& reply : replies) {
      char bytes[64];
      if (recv(fd, bytes, sizeof bytes, 0) <= 0) break;
      EXPECT_EQ(send(fd, reply.data(), reply.size(), MSG_NOSIGNAL),
                static_cast<ssize_t>(reply.size()));
    }
    ::close(fd);
  }

  PrivateDirectory folder_{temporary_base()};
  int listening_ = -1;
  std::thread thread_;
};

TEST(SocketClient, ReadsLinesAndBytes) {
  ScriptedServer server({"welcome\r\n", "one\n", "2 bytes\n\r\n"});
  LineClient client;
  client.connect(server.path());
  EXPECT_EQ(client.run({"a", false}).info, "one");
  EXPECT_EQ(client.run({"b", false}).message, "\r\n");
  EXPECT_TRUE(client.connected());
  EXPECT_THAT(client.limits_ms, testing::ElementsAre(kLongestReply_ms, 0, 0));
}

TEST(SocketClient, GivesUpAServerThatDoesNotGreet) {
  ScriptedServer server({"no end of line", "never asked for"});
  LineClient client(20);
  try {
    client.connect(server.path());
    ADD_FAILURE();
  } catch (const ClientError& error) {
    EXPECT_THAT(error.what(), HasSubstr("no reply within 20 ms; does the client wait for more"));
  }
  EXPECT_THAT(client.limits_ms, testing::ElementsAre(20)) << "a shorter limit stays";
}

TEST(SocketClient, IsUnansweredWhenTheServerGoes) {
  ScriptedServer server({"welcome\n", "half a li"});
  LineClient client;
  client.connect(server.path());
  const Output lost = client.run({"a", false});
  EXPECT_FALSE(lost.answered);
  EXPECT_THAT(lost.message, HasSubstr("closed the connection"));
  EXPECT_FALSE(client.connected());
  EXPECT_THAT(client.run({"a", false}).message, HasSubstr("not connected"));
}

TEST(SocketClient, RefusesAPathThatIsTooLongOrNoSocket) {
  LineClient client;
  EXPECT_THROW(client.connect(std::string(200, 'x')), ClientError);
  EXPECT_THROW(client.connect("/dev/null/socket"), ClientError);
}

}  // namespace
}  // namespace esox
