// SPDX-License-Identifier: Apache-2.0
// What every test with a real server needs: a template made once for the program, a private folder,
// a running server, connected clients. The server is the machine's MariaDB, unless the test is
// given another (real_servers.h).
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "targets/mysqld/client.h"
#include "targets/registry.h"
#include "tests/integration/mariadb_server.h"
#include "tests/integration/real_servers.h"

namespace esox {

inline const PrivateDirectory& test_folder() {
  static const PrivateDirectory folder(temporary_base());
  return folder;
}

// The template cache is that of the tests, which neither use nor change the user's.
inline ServerOptions test_options() {
  return ServerOptions{
      "", {}, std::filesystem::path(ESOX_TEST_CACHE) / "esox", test_folder().path()};
}

inline MariadbServer& test_server() {
  static MariadbServer server(test_options());
  static const bool prepared = (server.prepare(), true);
  static_cast<void>(prepared);
  return server;
}

inline Server& test_server(const RealServer& wanted) {
  static std::map<std::string, std::unique_ptr<Server>> servers;
  std::unique_ptr<Server>& server = servers[wanted.name];
  if (server == nullptr) {
    ServerOptions options = test_options();
    options.program = wanted.program().string();
    server = target_named(wanted.target).make_server(options);
    server->prepare();
  }
  return *server;
}

class ServerTest : public testing::Test {
 protected:
  void boot(std::vector<std::string> options = {}) {
    running_ = server().start(StartRequest{&folder_, {}, std::move(options)});
  }

  virtual Server& server() { return test_server(); }

  std::unique_ptr<MysqlClient> connected(MysqlOptions options = {}) {
    auto client = std::make_unique<MysqlClient>(std::move(options));
    client->connect(running_->socket_path());
    return client;
  }

  static Output ask(Client& client, const std::string& text) {
    return client.run(Request{text, false});
  }

  PrivateDirectory folder_{test_folder().path()};
  std::unique_ptr<RunningServer> running_;
};

// The same on each of the real servers.
class RealServerTest : public ServerTest, public testing::WithParamInterface<RealServer> {
 protected:
  void SetUp() override { ESOX_SKIP_UNLESS_THERE(GetParam()); }

  Server& server() override { return test_server(GetParam()); }
  const Target& target() const { return target_named(GetParam().target); }
  bool is_mariadb() const { return GetParam().is_mariadb(); }
  // " ENGINE=Aria"
  std::string engine() const { return " ENGINE=" + GetParam().engine; }
};

}  // namespace esox
