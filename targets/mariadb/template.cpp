// SPDX-License-Identifier: Apache-2.0
#include "targets/mariadb/template.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <openssl/evp.h>
#include <sys/file.h>
#include <sys/stat.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <fstream>
#include <sstream>

#include "base/process/file_tree.h"
#include "base/process/log_file.h"
#include "base/process/private_directory.h"
#include "base/process/process.h"
#include "base/process/server_error.h"
#include "base/process/unique_fd.h"
#include "targets/mariadb/options.h"

namespace esox {
namespace {

using std::filesystem::path;
using namespace std::chrono_literals;

// Raise when what this file makes changes.
constexpr int kFormat = 1;
constexpr auto kBootstrapLimit = 120s;
constexpr auto kShutdownLimit = 60s;

// In the order they must run. The first three are needed; the last gives only the GIS procedures.
constexpr std::array<const char*, 4> kScripts = {
    "mysql_system_tables.sql",
    "mysql_performance_tables.sql",
    "mysql_system_tables_data.sql",
    "maria_add_gis_sp_bootstrap.sql",
};

std::string contents_of(const path& file) {
  std::ifstream stream(file, std::ios::binary);
  if (!stream) throw ServerError(fmt::format("cannot read {}: {}", file.string(), strerror(errno)));
  std::ostringstream text;
  text << stream.rdbuf();
  return text.str();
}

void write_file(const path& file, const std::string& text) {
  std::ofstream stream(file, std::ios::binary);
  stream << text;
  stream.close();
  if (!stream)
    throw ServerError(fmt::format("cannot write {}: {}", file.string(), strerror(errno)));
}

// Beside the program as installed or built, else where distributions put them.
path scripts_folder(const path& program) {
  const path prefix = std::filesystem::weakly_canonical(program).parent_path().parent_path();
  const std::array<path, 6> candidates = {prefix / "share/mysql", prefix / "share/mariadb",
                                          prefix / "share",       prefix / "scripts",
                                          "/usr/share/mysql",     "/usr/share/mariadb"};
  std::error_code ignored;
  for (const path& candidate : candidates) {
    if (std::filesystem::exists(candidate / kScripts[0], ignored)) return candidate;
  }
  throw ServerError(
      fmt::format("the SQL scripts of {} ({}) are in none of {} and /usr/share/mysql; install the "
                  "server's own files (Debian: mariadb-server-core)",
                  program.string(), kScripts[0], candidates[0].string()));
}

std::string bootstrap_sql(const path& program) {
  const path folder = scripts_folder(program);
  std::string sql =
      "CREATE DATABASE IF NOT EXISTS mysql;\nUSE mysql;\nSET @auth_root_socket = NULL;\n";
  for (const char* script : kScripts) sql += contents_of(folder / script) + "\n";
  return sql + "CREATE DATABASE IF NOT EXISTS test;\n";
}

std::string key_of(const TemplateRequest& request) {
  struct stat status {};
  if (stat(request.program.c_str(), &status) != 0) {
    throw ServerError(
        fmt::format("cannot look at {}: {}", request.program.string(), strerror(errno)));
  }
  std::string all = fmt::format("{}\n{}\n{} {} {}\n", kFormat, request.version, status.st_size,
                                status.st_mtim.tv_sec, status.st_mtim.tv_nsec);
  const MariadbPaths nowhere{"data", "tmp", "socket", "pid"};
  for (const std::string& option : command_line(nowhere, request.options)) all += option + "\n";
  std::array<unsigned char, EVP_MAX_MD_SIZE> hash{};
  EVP_Digest(all.data(), all.size(), hash.data(), nullptr, EVP_sha256(), nullptr);
  std::string key = "mariadb-";
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

void run_bootstrap(const TemplateRequest& request, const MariadbPaths& paths, const path& folder) {
  write_file(folder / "bootstrap.sql", bootstrap_sql(request.program));
  const path log = folder / "bootstrap.log";
  Process process(ProcessPlan{request.program,
                              bootstrap_command_line(paths, request.options),
                              {},
                              folder,
                              log,
                              folder / "bootstrap.sql"});
  const auto ended = process.wait(kBootstrapLimit);
  if (!ended) throw_with_log("mariadbd --bootstrap did not end within 120 s", log);
  if (ended->signal != 0 || ended->code != 0) {
    throw_with_log(fmt::format("mariadbd --bootstrap failed ({})", text_of(*ended)), log);
  }
}

void run_once(const TemplateRequest& request, const MariadbPaths& paths, const path& folder) {
  const path log = folder / "first-start.log";
  Process process(
      ProcessPlan{request.program, command_line(paths, request.options), {}, folder, log});
  LogWatch ready(log, "ready for connections");
  const auto end = std::chrono::steady_clock::now() + kBootstrapLimit;
  while (!ready.seen()) {
    if (const auto ended = process.wait(1ms)) {
      throw_with_log(fmt::format("mariadbd died at its first start ({})", text_of(*ended)), log);
    }
    if (std::chrono::steady_clock::now() > end) {
      throw_with_log("mariadbd was not ready within 120 s of its first start", log);
    }
  }
  process.terminate();
  const auto ended = process.wait(kShutdownLimit);
  if (!ended || ended->signal != 0 || ended->code != 0) {
    throw_with_log(fmt::format("mariadbd did not shut down cleanly after its first start ({})",
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
  const MariadbPaths paths{whole / "data", running.path() / "tmp", running.socket_path("socket"),
                           running.path() / "pid"};
  std::filesystem::create_directory(paths.data);
  std::filesystem::create_directory(paths.temporary);
  run_bootstrap(request, paths, running.path());
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
