// SPDX-License-Identifier: Apache-2.0
#include "targets/mysqld/options.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <set>
#include <string_view>

#include "base/process/paths.h"
#include "base/process/server_error.h"

namespace esox {
namespace {

// Files and caches just large enough for small tables: less to copy, to write and to zero at boot.
// Crash safety of the files is bought with fsync, which the preload leaves out (skip_sync). What
// changes how threads meet (cache instances, thread cache, purge threads) is left as shipped.
constexpr const char* kDefaults[] = {
    "--innodb-autoextend-increment=1",
    "--innodb-redo-log-capacity=8M",
    "--innodb-log-buffer-size=2M",
    "--innodb-buffer-pool-size=32M",
    "--innodb-buffer-pool-dump-at-shutdown=0",
    "--innodb-buffer-pool-load-at-startup=0",
    // Statistics recalculated in the background arrive when they like, and differ in every run.
    "--innodb-stats-auto-recalc=0",
    // As do pages that the page cleaner writes ahead of need, for what it wrote may leave the pool.
    "--innodb-adaptive-flushing=0",
    "--innodb-adaptive-flushing-lwm=70",
    "--innodb-idle-flush-pct=0",  // a client that needs them written writes those that are not
    // The default everywhere but in MySQL from 8.0: there insertions of several rows take their
    // numbers in turn ("AUTO_INCREMENT Handling in InnoDB"), so rows of two are of no order, and
    // no bug. That threads meet in another way there is the price; a server option overrides it.
    "--innodb-autoinc-lock-mode=1",
    "--innodb-flush-method=fsync",
    "--innodb-doublewrite=0",
    "--innodb-use-native-aio=0",  // its rings are shared memory, and its threads the kernel's
    "--innodb-parallel-read-threads=1",  // each scan would make threads of its own
    "--innodb-ddl-threads=1",            // so would each CREATE INDEX
    "--innodb-read-io-threads=1",        // they wait, all alike, and each life begins with all
    "--innodb-write-io-threads=1",
    "--aria-log-file-size=8M",
    "--aria-sync-log-dir=NEVER",
    "--aria-pagecache-buffer-size=8M",
    "--key-buffer-size=4M",
    "--sync-frm=0",
    "--performance-schema=0",
    "--feedback=OFF",
    "--mysqlx=OFF",
    // Nobody comes over a network: keys made at each start would only take its time.
    "--ssl=0",
    "--auto-generate-certs=0",
    "--caching-sha2-password-auto-generate-rsa-keys=0",
    "--sha256-password-auto-generate-rsa-keys=0",
    "--skip-log-bin",
    "--query-cache-type=1",
    "--query-cache-size=8M",
};

// MySQL refuses data files as small as these.
constexpr const char* kMariadbDefaults[] = {
    "--innodb-data-file-path=ibdata1:8M:autoextend",
    "--innodb-temp-data-file-path=ibtmp1:1M:autoextend",
    "--innodb-log-file-size=4M",
};

// Without one of these a server listens, or writes, somewhere else.
constexpr const char* kPrivacy[] = {"datadir", "tmpdir", "socket", "pid-file", "skip-networking"};

// The parts of a program that is not where it was built to be, as the options that name them.
struct ProgramPart {
  const char* option;
  std::vector<const char*> folders;  // below the prefix
  const char* holds;                 // by which the folder is known
};

// Options whose path says where the program's own parts are.
constexpr std::array<std::string_view, 4> kProgramParts = {
    "--basedir",
    "--lc-messages-dir",
    "--plugin-dir",
    "--character-sets-dir",
};

// Empty: it is not there.
std::string folder_of(const ProgramPart& part, const std::filesystem::path& program) {
  for (const std::filesystem::path& prefix : prefixes_of(program)) {
    for (const char* folder : part.folders) {
      if (is_there(prefix / folder / part.holds)) return (prefix / folder).string();
    }
  }
  return {};
}

bool is_known(const Release& release, std::string_view option) {
  return release.has(option.substr(2, option.find('=') - 2));
}

bool is_number(const std::string& text) {
  return !text.empty() && text.find_first_not_of("-0123456789") == std::string::npos;
}

// Of a performance schema that knows metadata locks only those, and whose they are: without places
// for anything else it takes no time and 1 MB, in place of 200. MariaDB has a plugin for them.
void add_metadata_locks(const Release& release, std::vector<std::string>& line) {
  static constexpr std::string_view kPrefix = "performance-schema-";
  static const std::set<std::string, std::less<>> kKept = {
      "max-metadata-locks", "max-thread-instances", "max-thread-classes"};
  if (release.is_mariadb || !release.has("performance-schema-max-metadata-locks")) return;
  line.emplace_back("--performance-schema=1");
  for (const auto& [option, value] : release.options) {
    if (!option.starts_with(kPrefix) || !is_number(value)) continue;
    if (!kKept.contains(option.substr(kPrefix.size()))) line.push_back("--" + option + "=0");
  }
  for (const char* instrument : {"%=OFF", "thread/%=ON", "wait/lock/metadata/sql/mdl=ON"}) {
    line.push_back(fmt::format("--performance-schema-instrument={}", instrument));
  }
}

void add_known(const Release& release, const auto& options, std::vector<std::string>& line) {
  for (const auto& option : options) {
    if (is_known(release, option)) line.emplace_back(option);
  }
}

void add_program_parts(const Release& release, const std::filesystem::path& program,
                       std::vector<std::string>& line) {
  static const ProgramPart kParts[] = {
      {"lc-messages-dir", {"share/mysql", "share/mariadb", "share"}, "english/errmsg.sys"},
      {"character-sets-dir",
       {"share/mysql/charsets", "share/mariadb/charsets", "share/charsets"},
       "Index.xml"},
      {"plugin-dir", {"lib/mysql/plugin", "lib64/mysql/plugin", "lib/plugin"}, ""},
  };
  for (const ProgramPart& part : kParts) {
    const std::string folder = folder_of(part, program);
    const auto known = release.options.find(part.option);
    if (folder.empty() || known == release.options.end() || known->second == folder + "/") continue;
    line.push_back(fmt::format("--{}={}", part.option, folder));
  }
}

// What every server gets: the defaults, the tester's options, and what keeps it private.
std::vector<std::string> common_line(const Release& release, const std::filesystem::path& program,
                                     const MysqldPaths& paths,
                                     const std::vector<std::string>& options) {
  std::vector<std::string> line = {"--no-defaults"};  // must be the first of all
  add_program_parts(release, program, line);
  add_known(release, kDefaults, line);
  if (release.is_mariadb) add_known(release, kMariadbDefaults, line);
  add_metadata_locks(release, line);
  line.insert(line.end(), options.begin(), options.end());
  line.push_back("--datadir=" + paths.data.string());
  line.push_back("--tmpdir=" + paths.temporary.string());
  line.emplace_back("--skip-networking");
  add_known(release,
            std::vector<std::string>{
                "--secure-file-priv=" + paths.temporary.string(),  // LOAD DATA, INTO OUTFILE
                "--symbolic-links=0"},                             // no DATA DIRECTORY elsewhere
            line);
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
    if (std::ranges::find(kProgramParts, name) != kProgramParts.end()) continue;
    throw ServerError(
        fmt::format("server option '{}' names a path; the server stays in its private folder, so "
                    "give a plain file name",
                    option));
  }
}

std::vector<std::filesystem::path> prefixes_of(const std::filesystem::path& program) {
  const std::filesystem::path folder = std::filesystem::weakly_canonical(program).parent_path();
  return {folder.parent_path(), folder};
}

std::string missing_for_privacy(const Release& release) {
  const auto* const missing =
      std::ranges::find_if(kPrivacy, [&](const char* option) { return !release.has(option); });
  return missing == std::end(kPrivacy) ? "" : *missing;
}

std::vector<std::string> command_line(const Release& release, const std::filesystem::path& program,
                                      const MysqldPaths& paths,
                                      const std::vector<std::string>& options) {
  std::vector<std::string> line = common_line(release, program, paths, options);
  line.push_back("--socket=" + paths.socket.string());
  line.push_back("--pid-file=" + paths.pid_file.string());
  add_known(release,
            std::vector<std::string>{
                release.has("skip-replica-start") ? "--skip-replica-start" : "--skip-slave-start",
                "--skip-name-resolve",
                "--lc-messages=en_US",     // so that "ready for connections" is said in English
                "--log-error-verbosity=3"  // and said at all
            },
            line);
  // Errors go to its output, which is our log; where that is how it is, the option is not known.
  const auto log = release.options.find("log-error");
  if (log != release.options.end() && log->second != "stderr")
    line.emplace_back("--skip-log-error");
  return line;
}

std::vector<std::string> portable_options(const std::vector<std::string>& options) {
  std::vector<std::string> line;
  for (const std::string_view option : kDefaults) {
    line.push_back(fmt::format("--loose-{}", option.substr(2)));
  }
  line.emplace_back("--loose-innodb-log-file-size=4M");
  line.insert(line.end(), options.begin(), options.end());
  return line;
}

std::vector<std::string> template_command_line(const Release& release,
                                               const std::filesystem::path& program,
                                               const MysqldPaths& paths,
                                               const std::vector<std::string>& options,
                                               const std::filesystem::path& sql) {
  std::vector<std::string> line = common_line(release, program, paths, options);
  add_known(release,
            std::vector<std::string>{"--silent-startup", "--log-warnings=0", "--skip-log-bin",
                                     "--enforce-storage-engine=", "--max-allowed-packet=8M",
                                     "--net-buffer-length=16K"},
            line);
  if (is_bootstrapped(release)) {
    line.emplace_back("--bootstrap");
  } else {
    line.emplace_back("--initialize-insecure");
    line.push_back("--init-file=" + sql.string());
  }
  return line;
}

}  // namespace esox
