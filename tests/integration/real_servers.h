// SPDX-License-Identifier: Apache-2.0
// The servers that tests take beside each other: the MariaDB of this machine, and those of other
// releases and flavours that `make servers` fetched. A test that is given one that is not there is
// skipped, in words.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <ostream>
#include <string>

namespace esox {

struct RealServer {
  std::string name;    // of its folder below build/servers; kInstalled: the machine's own
  std::string target;  // "mariadb"
  // The engine that its statements are about, if nothing else matters.
  std::string engine;

  std::filesystem::path program() const;  // as --server takes it; empty: what the target looks for
  bool is_there() const { return program().empty() || std::filesystem::exists(program()); }
  bool is_mariadb() const { return target == "mariadb"; }
};

inline constexpr const char* kInstalled = "installed";

inline const RealServer kRealServers[] = {
    {kInstalled, "mariadb", "Aria"},     {"mariadb-10.5", "mariadb", "Aria"},
    {"mariadb-11.8", "mariadb", "Aria"}, {"mysql-5.6", "mysql", "MyISAM"},
    {"mysql-9", "mysql", "MyISAM"},
};

inline std::filesystem::path RealServer::program() const {
  return name == kInstalled ? std::filesystem::path() : std::filesystem::path(ESOX_SERVERS) / name;
}

inline void PrintTo(const RealServer& server, std::ostream* to) {
  *to << server.name;
}

// As GoogleTest wants it: "mysql_5_6".
inline std::string test_name(const testing::TestParamInfo<RealServer>& info) {
  std::string name = info.param.name;
  std::replace_if(
      name.begin(), name.end(), [](unsigned char c) { return std::isalnum(c) == 0; }, '_');
  return name;
}

}  // namespace esox

#define ESOX_SKIP_UNLESS_THERE(server)                                            \
  if (!(server).is_there())                                                       \
  GTEST_SKIP() << (server).program().string() << " is not there; `make servers` " \
               << "fetches it"
