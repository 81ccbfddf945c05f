// SPDX-License-Identifier: Apache-2.0
#include "targets/mysqld/target.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <mysql.h>

#include <algorithm>

#include "inputs/input.h"
#include "targets/mysqld/client.h"
#include "targets/shipped.h"

namespace esox {
namespace {

constexpr uint32_t kServerShutdown = 1053;
constexpr uint32_t kQueryInterrupted = 1317;
constexpr uint32_t kConnectionKilled = 1927;
constexpr uint32_t kOfTheEnd[] = {kServerShutdown, kQueryInterrupted, kConnectionKilled};

// {0}: the package; {1}: the name of the program; {2}: the engines.
constexpr const char* kStarter = R"(servers:
  - name: stable
    package: {0:<24} # the server that this Debian package installs
#  - name: tonight
#    build: ../server/build            # a build folder; sql/mariadbd and the like are looked for
#    share: 2                          # twice the time of a server without a share
#  - name: other
#    path: /opt/server/bin/{1}

# Each server under each row.
options:
  - name: default
#  - name: row-log
#    server_options: [--log-bin=binlog, --server-id=1, --binlog-format=ROW]
#  - name: read-committed
#    engines: [InnoDB]                 # only where it matters
#    server_options: [--transaction-isolation=READ-COMMITTED]

engines: [{2}]

)";

constexpr const char* kTrialInput = R"yaml(
id: trial
setup: ["CREATE TABLE t1 (a INT) ENGINE=${engine}", INSERT INTO t1 VALUES (1)]
clients:
  - {name: A, requests: [SELECT a FROM t1]}
  - {name: B, requests: ["INSERT INTO t1 VALUES (10),(11),(12)"]}
)yaml";

}  // namespace

ProgramPlaces MysqldTarget::places() const {
  return {program_names(),
          "/usr/sbin:/usr/local/sbin:/usr/libexec",
          {"sql", "bin", "sbin", "libexec", "usr/sbin", "usr/local/sbin",
           "runtime_output_directory", ""},
          fmt::format("install it (Debian: {}) or give its path", package())};
}

bool MysqldTarget::is_server_of(const std::filesystem::path& program) const {
  return ask_release(program, title_of(flavour()), temporary_base()).is_mariadb ==
         (flavour() == Flavour::kMariadb);
}

std::unique_ptr<Client> MysqldTarget::make_client(int reply_timeout_ms) const {
  MysqlOptions options;
  options.reply_timeout_ms = reply_timeout_ms;
  return std::make_unique<MysqlClient>(options);
}

bool MysqldTarget::empty(Client& own) const {
  own.run_setup({"DROP DATABASE test", "CREATE DATABASE test", "USE test"});
  return true;
}

bool MysqldTarget::says_shutdown(const Output& reply) const {
  return reply.answered && reply.error == kServerShutdown;
}

bool MysqldTarget::says_end(const Output& reply) const {
  return reply.answered && std::ranges::find(kOfTheEnd, reply.error) != std::end(kOfTheEnd);
}

std::optional<std::filesystem::path> MysqldTarget::filters_file() const {
  return shipped("filters/mysqld.yaml");
}

std::filesystem::path MysqldTarget::inputs_folder() const {
  return shipped("inputs/mariadb");
}

std::vector<std::filesystem::path> MysqldTarget::hunted_inputs() const {
  return {inputs_folder() / "pike-table-5-2", inputs_folder() / "pairs.yaml"};
}

std::string MysqldTarget::starter_part() const {
  return fmt::format(fmt::runtime(kStarter), package(), places().names.front(),
                     fmt::join(language().default_engines(), ", "));
}

std::string MysqldTarget::trial_input() const {
  return kTrialInput;
}

std::vector<std::pair<std::string, std::string>> MysqldTarget::libraries() const {
  return {{"MariaDB Connector/C", mysql_get_client_info()}};
}

}  // namespace esox
