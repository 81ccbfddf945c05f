// SPDX-License-Identifier: Apache-2.0
#include "targets/mariadb/options.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <string_view>

#include "base/process/server_error.h"

namespace esox {
namespace {

// Files and caches just large enough for small tables: less to copy, to write and to zero at boot.
// Crash safety of the files is bought with fsync, which the preload leaves out (skip_sync). What
// changes how threads meet (cache instances, thread cache, purge threads) is left as shipped.
// "loose" options are ignored by versions or builds that do not know them.
constexpr std::array<const char*, 24> kDefaults = {
    "--loose-innodb-data-file-path=ibdata1:8M:autoextend",
    "--loose-innodb-autoextend-increment=1",
    "--loose-innodb-temp-data-file-path=ibtmp1:1M:autoextend",
    "--loose-innodb-log-file-size=4M",
    "--loose-innodb-log-buffer-size=2M",
    "--loose-innodb-buffer-pool-size=32M",
    "--loose-innodb-buffer-pool-dump-at-shutdown=0",
    "--loose-innodb-buffer-pool-load-at-startup=0",
    // Statistics recalculated in the background arrive when they like, and differ in every run.
    "--loose-innodb-stats-auto-recalc=0",
    // As do pages that the page cleaner writes ahead of need, for what it wrote may leave the pool.
    "--loose-innodb-adaptive-flushing=0",
    "--loose-innodb-adaptive-flushing-lwm=70",
    "--loose-innodb-flush-method=fsync",
    "--loose-innodb-doublewrite=0",
    "--loose-innodb-use-native-aio=0",  // its rings are shared memory, and its threads the kernel's
    "--loose-aria-log-file-size=8M",
    "--loose-aria-sync-log-dir=NEVER",
    "--loose-aria-pagecache-buffer-size=8M",
    "--key-buffer-size=4M",
    "--loose-sync-frm=0",
    "--loose-performance-schema=0",
    "--loose-feedback=OFF",
    "--skip-log-bin",
    "--loose-query-cache-type=1",
    "--loose-query-cache-size=8M",
};

// Options whose path says where the program's own parts are.
constexpr std::array<std::string_view, 4> kProgramParts = {
    "--basedir",
    "--lc-messages-dir",
    "--plugin-dir",
    "--character-sets-dir",
};

// What every server gets: the defaults, the tester's options, and what keeps it private.
std::vector<std::string> common_line(const MariadbPaths& paths,
                                     const std::vector<std::string>& options) {
  std::vector<std::string> line = {"--no-defaults"};  // must be the first of all
  line.insert(line.end(), kDefaults.begin(), kDefaults.end());
  line.insert(line.end(), options.begin(), options.end());
  line.push_back("--datadir=" + paths.data.string());
  line.push_back("--tmpdir=" + paths.temporary.string());
  line.push_back("--secure-file-priv=" + paths.temporary.string());  // LOAD DATA, INTO OUTFILE
  line.emplace_back("--skip-symbolic-links");                        // no DATA DIRECTORY elsewhere
  line.emplace_back("--skip-networking");
  if (geteuid() == 0) line.emplace_back("--user=root");  // which it refuses unless told so
  return line;
}

}  // namespace

void check_options(const std::vector<std::string>& options) {
  for (const std::string& option : options) {
    if (!option.starts_with("--") || option.size() == 2) {
      throw ServerError(
          fmt::format("server option '{}' must have the form --name or --name=value", option));
    }
    const size_t equals = option.find('=');
    if (equals == std::string::npos || option.find('/', equals) == std::string::npos) continue;
    const std::string name = option.substr(0, equals);
    if (std::find(kProgramParts.begin(), kProgramParts.end(), name) != kProgramParts.end())
      continue;
    throw ServerError(
        fmt::format("server option '{}' names a path; the server stays in its private folder, so "
                    "give a plain file name",
                    option));
  }
}

std::vector<std::string> command_line(const MariadbPaths& paths,
                                      const std::vector<std::string>& options) {
  std::vector<std::string> line = common_line(paths, options);
  line.push_back("--socket=" + paths.socket.string());
  line.push_back("--pid-file=" + paths.pid_file.string());
  line.emplace_back("--skip-slave-start");
  line.emplace_back("--skip-name-resolve");
  line.emplace_back("--skip-log-error");     // errors go to its output, which is our log
  line.emplace_back("--lc-messages=en_US");  // so that "ready for connections" is said in English
  return line;
}

std::vector<std::string> bootstrap_command_line(const MariadbPaths& paths,
                                                const std::vector<std::string>& options) {
  std::vector<std::string> line = common_line(paths, options);
  for (const char* option :
       {"--bootstrap", "--silent-startup", "--log-warnings=0", "--skip-log-bin",
        "--enforce-storage-engine=", "--max-allowed-packet=8M", "--net-buffer-length=16K"}) {
    line.emplace_back(option);
  }
  return line;
}

}  // namespace esox
