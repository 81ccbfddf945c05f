// SPDX-License-Identifier: Apache-2.0
#include "targets/mariadb/target.h"

#include <mysql.h>

#include <string_view>

#include "inputs/input.h"
#include "targets/mariadb/client.h"
#include "targets/mariadb/plugins.h"
#include "targets/shipped.h"

namespace esox {
namespace {

constexpr uint32_t kServerShutdown = 1053;

constexpr const char* kStarter = R"(servers:
  - name: stable
    package: mariadb-server-core      # the server that this Debian package installs
#  - name: tonight
#    build: ../mariadb-server/build    # a build folder; sql/mariadbd and the like are looked for
#    share: 2                          # twice the time of a server without a share
#  - name: other
#    path: /opt/mariadb/bin/mariadbd

# Each server under each row.
options:
  - name: default
#  - name: row-log
#    server_options: [--log-bin=binlog, --server-id=1, --binlog-format=ROW]
#  - name: read-committed
#    engines: [InnoDB]                 # only where it matters
#    server_options: [--transaction-isolation=READ-COMMITTED]

engines: [InnoDB, MyISAM, Aria]

)";

constexpr const char* kTrialInput = R"yaml(
id: trial
setup: ["CREATE TABLE t1 (a INT) ENGINE=${engine}", INSERT INTO t1 VALUES (1)]
clients:
  - {name: A, requests: [SELECT a FROM t1]}
  - {name: B, requests: ["INSERT INTO t1 VALUES (10),(11),(12)"]}
)yaml";

}  // namespace

// "/usr/sbin/mariadbd  Ver 10.11.14-MariaDB-0+deb12u2 for debian-linux-gnu ..."
std::string MariadbTarget::version_name(const std::string& version_line) const {
  static constexpr std::string_view kMark = " Ver ";
  const size_t mark = version_line.find(kMark);
  if (mark == std::string::npos) return version_line;
  const size_t begin = mark + kMark.size();
  return version_line.substr(begin, version_line.find(' ', begin) - begin);
}

std::unique_ptr<Client> MariadbTarget::make_client(int reply_timeout_ms) const {
  MysqlOptions options;
  options.reply_timeout_ms = reply_timeout_ms;
  return std::make_unique<MysqlClient>(options);
}

bool MariadbTarget::empty(Client& own) const {
  own.run_setup({"DROP DATABASE test", "CREATE DATABASE test", "USE test"});
  return true;
}

bool MariadbTarget::says_shutdown(const Output& reply) const {
  return reply.answered && reply.error == kServerShutdown;
}

StateGap MariadbTarget::state_gap(const Server& server,
                                  const std::vector<std::string>& options) const {
  return {missing_plugins(server.program(), options),
          "install the server's plugins (Debian: they come with mariadb-server)"};
}

std::vector<std::filesystem::path> MariadbTarget::hunted_inputs() const {
  return {inputs_folder() / "pike-table-5-2", inputs_folder() / "pairs.yaml"};
}

std::optional<std::filesystem::path> MariadbTarget::filters_file() const {
  return shipped("filters/mariadb.yaml");
}

std::string MariadbTarget::starter_part() const {
  return kStarter;
}

std::string MariadbTarget::trial_input() const {
  return kTrialInput;
}

std::vector<std::pair<std::string, std::string>> MariadbTarget::libraries() const {
  return {{"MariaDB Connector/C", mysql_get_client_info()}};
}

}  // namespace esox
