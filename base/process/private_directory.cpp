// SPDX-License-Identifier: Apache-2.0
#include "base/process/private_directory.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/un.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <system_error>

#include "base/process/file_tree.h"
#include "base/process/server_error.h"

namespace esox {
namespace {

using std::filesystem::path;

constexpr const char* kPrefix = "esox-";
constexpr time_t kYoung_s = 60;
constexpr size_t kMaxSocketPath = sizeof(sockaddr_un::sun_path) - 1;

std::string environment(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

UniqueFd open_folder(const path& where) {
  return UniqueFd(open(where.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
}

// As mkdir -p, with mode 0700 whatever the umask allows; errno tells why not.
bool make_folders(const path& where) {
  if (mkdir(where.c_str(), 0700) == 0 || errno == EEXIST) return true;
  if (errno != ENOENT || !where.has_relative_path()) return false;
  return make_folders(where.parent_path()) && (mkdir(where.c_str(), 0700) == 0 || errno == EEXIST);
}

bool is_abandoned(const path& where) {
  struct stat status {};
  if (lstat(where.c_str(), &status) != 0 || !S_ISDIR(status.st_mode)) return false;
  if (status.st_uid != geteuid() || status.st_mtime + kYoung_s > time(nullptr)) return false;
  const UniqueFd folder = open_folder(where);
  return folder && flock(folder.get(), LOCK_EX | LOCK_NB) == 0;
}

}  // namespace

PrivateDirectory::PrivateDirectory(const std::filesystem::path& base) {
  std::string name = (base / (std::string(kPrefix) + "XXXXXX")).string();
  if (mkdtemp(name.data()) == nullptr) {
    throw ServerError(fmt::format(
        "cannot make a private folder in {}: {}; set TMPDIR to a folder you may write to",
        base.string(), strerror(errno)));
  }
  path_ = name;
  lock_ = open_folder(path_);
  if (lock_) flock(lock_.get(), LOCK_EX | LOCK_NB);
}

PrivateDirectory::~PrivateDirectory() {
  try {
    remove_tree(path_);
  } catch (const ServerError&) {
    // Nothing sensible to do in a destructor; the next esox finds the folder unlocked.
  }
}

std::string PrivateDirectory::socket_path(const std::string& name) const {
  std::string whole = (path_ / name).string();
  if (whole.size() <= kMaxSocketPath) return whole;
  throw ServerError(
      fmt::format("the unix socket {} would have a path of {} bytes, the limit is {}; set TMPDIR "
                  "to a shorter folder",
                  whole, whole.size(), kMaxSocketPath));
}

path temporary_base() {
  const std::string wanted = environment("TMPDIR");
  return wanted.empty() ? path("/tmp") : std::filesystem::absolute(wanted);
}

path cache_base() {
  const path cache = environment("XDG_CACHE_HOME");
  if (cache.is_absolute()) return cache / "esox";
  const path home = environment("HOME");
  if (home.is_absolute() && home != "/") return home / ".cache" / "esox";
  return temporary_base() / fmt::format("esox-cache-{}", geteuid());
}

void make_own_folder(const path& where) {
  if (!make_folders(where)) {
    throw ServerError(fmt::format(
        "cannot make the folder {}: {}; set XDG_CACHE_HOME to a folder you may write to",
        where.string(), strerror(errno)));
  }
  struct stat status {};
  if (stat(where.c_str(), &status) != 0 || !S_ISDIR(status.st_mode)) {
    throw ServerError(fmt::format("{} is not a folder", where.string()));
  }
  if (status.st_uid != geteuid() || (status.st_mode & 0022) != 0) {
    throw ServerError(fmt::format(
        "the folder {} belongs to, or is writable by, others; remove it or set XDG_CACHE_HOME",
        where.string()));
  }
}

int remove_abandoned(const path& base) {
  int removed = 0;
  std::error_code error;
  const std::filesystem::directory_iterator end;
  for (std::filesystem::directory_iterator at(base, error); !error && at != end;
       at.increment(error)) {
    const std::string name = at->path().filename().string();
    if (name.size() != std::strlen(kPrefix) + 6 || !name.starts_with(kPrefix)) continue;
    if (!is_abandoned(at->path())) continue;
    try {
      remove_tree(at->path());
      ++removed;
    } catch (const ServerError&) {
      continue;  // not ours to insist on
    }
  }
  return removed;
}

}  // namespace esox
