// SPDX-License-Identifier: Apache-2.0
#include "targets/mysqld/template.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <openssl/evp.h>
#include <sys/file.h>
#include <sys/stat.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <cstring>

#include "base/process/file_tree.h"
#include "base/process/log_file.h"
#include "base/process/paths.h"
#include "base/process/private_directory.h"
#include "base/process/process.h"
#include "base/process/server_error.h"
#include "base/process/unique_fd.h"
#include "targets/mysqld/options.h"

namespace esox {
namespace {

using std::filesystem::path;
using namespace std::chrono_literals;

// Raise when what this file makes changes.
constexpr int kFormat = 1;
constexpr auto kBootstrapLimit = 120s;
constexpr auto kShutdownLimit = 60s;

// In the order they must run; each by any of its names, which begin with "mysql_" or "mariadb_".
// The first is needed; not every release has the others.
constexpr std::array<const char*, 4> kScripts = {
    "system_tables.sql",
    "performance_tables.sql",
    "system_tables_data.sql",
    "add_gis_sp_bootstrap.sql",
};
constexpr const char* kPrefixes[] = {"mysql_", "mariadb_", "maria_"};

std::string contents_of(const path& file) {
  std::string text = text_of_file(file);
  if (text.empty())
    throw ServerError(fmt::format("cannot read {}: {}", file.string(), strerror(errno)));
  return text;
}

// Empty: not there.
path script_in(const path& folder, const std::string& name) {
  for (const char* prefix : kPrefixes) {
    if (is_file(folder / (prefix + name))) return folder / (prefix + name);
  }
  return {};
}

// Beside the program as installed or built, else where distributions put them.
path scripts_folder(const path& program) {
  std::vector<path> candidates;
  for (const path& prefix : prefixes_of(program)) {
    for (const char* folder : {"share/mysql", "share/mariadb", "share", "scripts"}) {
      candidates.push_back(prefix / folder);
    }
  }
  candidates.insert(candidates.end(), {"/usr/share/mysql", "/usr/share/mariadb"});
  for (const path& candidate : candidates) {
    if (!script_in(candidate, kScripts[0]).empty()) return candidate;
  }
  throw ServerError(fmt::format(
      "the SQL scripts of {} (mysql_{}) are in none of {} and /usr/share/mysql; install "
      "the server's own files (Debian: mariadb-server-core)",
      program.string(), kScripts[0], candidates[0].string()));
}

std::string bootstrap_sql(const path& program) {
  const path folder = scripts_folder(program);
  std::string sql =
      "CREATE DATABASE IF NOT EXISTS mysql;\nUSE mysql;\nSET @auth_root_socket = NULL;\n";
  for (const char* script : kScripts) {
    const path file = script_in(folder, script);
    if (!file.empty()) sql += contents_of(file) + "\n";
  }
  return sql;
}

std::string key_of(const TemplateRequest& request) {
  struct stat status {};
  if (stat(request.program.c_str(), &status) != 0) {
    throw ServerError(
        fmt::format("cannot look at {}: {}", request.program.string(), strerror(errno)));
  }
  std::string all = fmt::format("{}\n{}\n{} {} {}\n", kFormat, request.release.version_line,
                                status.st_size, status.st_mtim.tv_sec, status.st_mtim.tv_nsec);
  const MysqldPaths nowhere{"data", "tmp", "socket", "pid"};
  for (const std::string& option :
       command_line(request.release, request.program, nowhere, request.options))
    all += option + "\n";
  std::array<unsigned char, EVP_MAX_MD_SIZE> hash{};
  EVP_Digest(all.data(), all.size(), hash.data(), nullptr, EVP_sha256(), nullptr);
  std::string key = request.release.is_mariadb ? "mariadb-" : "mysql-";
  for (size_t i = 0; i < 8; ++i) key += fmt::format("{:02x}", hash[i]);
  return key;
}

// Locked until it goes; waits for another esox that holds it.
UniqueFd lock_file(const path& file) {
  UniqueFd fd(open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600));
  if (!fd) throw ServerError(fmt::format("cannot write {}: {}", file.string(), strerror(errno)));
  while (flock(fd.get(), LOCK_EX) != 0) {
    if (errno != EINTR)
      throw ServerError(fmt::format("cannot lock {}: {}", file.string(), strerror(errno)));
  }
  return fd;
}

std::string note_of(const path& data) {
  const TreeSize size = tree_size(data);
  return fmt::format("{} files {} bytes\n", size.files, size.bytes);
}

bool is_whole(const path& kept) {
  std::error_code ignored;
  if (!std::filesystem::exists(kept / "note", ignored)) return false;
  try {
    return contents_of(kept / "note") == note_of(kept / "data");
  } catch (const ServerError&) {
    return false;
  }
}

[[noreturn]] void throw_with_log(const std::string& what, const path& log) {
  const std::string why = complaint_of(log);
  throw ServerError(why.empty() ? what : what + ": " + why, tail_of(log, 20));
}

void make_system_tables(const TemplateRequest& request, const MysqldPaths& paths,
                        const path& folder) {
  const path sql = folder / "bootstrap.sql";
  const bool bootstrapped = is_bootstrapped(request.release);
  write_file(sql, (bootstrapped ? bootstrap_sql(request.program) : "") +
                      "CREATE DATABASE IF NOT EXISTS test;\n");
  const path log = folder / "bootstrap.log";
  ProcessPlan plan{
      request.program,
      template_command_line(request.release, request.program, paths, request.options, sql),
      {},
      folder,
      log};
  if (bootstrapped) plan.input = sql;
  Process process(plan);
  const auto ended = process.wait(kBootstrapLimit);
  if (!ended) throw_with_log("the server did not make its system tables within 120 s", log);
  if (ended->signal != 0 || ended->code != 0) {
    throw_with_log(
        fmt::format("{} {} failed ({})", request.program.string(),
                    bootstrapped ? "--bootstrap" : "--initialize-insecure", text_of(*ended)),
        log);
  }
}

void run_once(const TemplateRequest& request, const MysqldPaths& paths, const path& folder) {
  const path log = folder / "first-start.log";
  Process process(
      ProcessPlan{request.program,
                  command_line(request.release, request.program, paths, request.options),
                  {},
                  folder,
                  log});
  LogWatch ready(log, "ready for connections");
  const auto end = std::chrono::steady_clock::now() + kBootstrapLimit;
  while (!ready.seen()) {
    if (const auto ended = process.wait(1ms)) {
      throw_with_log(fmt::format("the server died at its first start ({})", text_of(*ended)), log);
    }
    if (std::chrono::steady_clock::now() > end) {
      throw_with_log("the server was not ready within 120 s of its first start", log);
    }
  }
  process.terminate();
  const auto ended = process.wait(kShutdownLimit);
  if (!ended || ended->signal != 0 || ended->code != 0) {
    throw_with_log(fmt::format("the server did not shut down cleanly after its first start ({})",
                               ended ? text_of(*ended) : "still running"),
                   log);
  }
}

// In the cache folder itself, so that the rename at the end stays within one file system.
void make_template(const TemplateRequest& request, const path& kept) {
  const PrivateDirectory running(request.base);
  const PrivateDirectory making(request.cache);
  const path whole = making.path() / "template";
  std::filesystem::create_directory(whole);
  const MysqldPaths paths{whole / "data", running.path() / "tmp", running.socket_path("socket"),
                          running.path() / "pid"};
  std::filesystem::create_directory(paths.data);
  std::filesystem::create_directory(paths.temporary);
  make_system_tables(request, paths, running.path());
  run_once(request, paths, running.path());
  make_sparse(paths.data);
  write_file(whole / "note", note_of(paths.data));
  remove_tree(kept);  // a damaged one
  if (rename(whole.c_str(), kept.c_str()) != 0) {
    throw ServerError(
        fmt::format("cannot put the template at {}: {}", kept.string(), strerror(errno)));
  }
}

}  // namespace

path ensure_template(const TemplateRequest& request) {
  make_own_folder(request.cache);
  const path kept = request.cache / key_of(request);
  if (is_whole(kept)) return kept / "data";
  path lock_path = kept;
  lock_path += ".lock";
  const UniqueFd lock = lock_file(lock_path);
  if (!is_whole(kept)) make_template(request, kept);
  return kept / "data";
}

}  // namespace esox
