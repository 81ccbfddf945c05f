// SPDX-License-Identifier: Apache-2.0
// Starts a server, says its pid, and waits to be killed: for the test that a killed esox leaves no
// server behind. Arguments: the template cache and the base of private folders.
#include <unistd.h>

#include <cstdio>
#include <thread>

#include "tests/integration/mariadb_server.h"

int main(int count, char** arguments) {
  if (count != 3) {
    std::fprintf(stderr, "usage: %s CACHE BASE\n", arguments[0]);
    return 2;
  }
  esox::MariadbServer server(esox::ServerOptions{"", {}, arguments[1], arguments[2]});
  server.prepare();
  const esox::PrivateDirectory folder(arguments[2]);
  std::unique_ptr<esox::RunningServer> running;
  // From a thread that ends: the server must live on, for it belongs to the process.
  std::thread([&] { running = server.start(esox::StartRequest{&folder, {}, {}}); }).join();
  std::printf("%d\n", running->pid());
  std::fflush(stdout);
  for (;;) pause();
}
