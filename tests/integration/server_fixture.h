// SPDX-License-Identifier: Apache-2.0
// What every test with a real MariaDB needs: a template made once for the program, a private
// folder, a running server, connected clients.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "targets/mysqld/client.h"
#include "tests/integration/mariadb_server.h"

namespace esox {

// The template cache lies in a private folder of this test program, so tests neither use nor change
// the user's.
inline const PrivateDirectory& test_folder() {
  static const PrivateDirectory folder(temporary_base());
  return folder;
}

inline ServerOptions test_options() {
  return ServerOptions{"", {}, test_folder().path() / "cache", test_folder().path()};
}

inline MariadbServer& test_server() {
  static MariadbServer server(test_options());
  static const bool prepared = (server.prepare(), true);
  static_cast<void>(prepared);
  return server;
}

class ServerTest : public testing::Test {
 protected:
  void boot(std::vector<std::string> options = {}) {
    running_ = test_server().start(StartRequest{&folder_, {}, std::move(options)});
  }

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

}  // namespace esox
