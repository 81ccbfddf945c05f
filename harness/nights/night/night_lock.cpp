// SPDX-License-Identifier: Apache-2.0
// See night_lock.h. A POSIX lock: it is dropped when any descriptor of the file is closed by the
// process, so nothing else ever opens it.
#include "harness/nights/night/night_lock.h"

#include <fcntl.h>
#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <system_error>

#include "harness/records/out_folder.h"

namespace esox {

NightLock::NightLock(const std::filesystem::path& out) {
  std::error_code error;
  std::filesystem::create_directories(out, error);
  const std::filesystem::path path = out / "night.lock";
  if (!error) {
    file_.reset(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0644));
    if (!file_) error.assign(errno, std::generic_category());
  }
  if (error) {
    throw OutError(fmt::format("cannot write {}: {}; name another folder by 'out' in the hunt file",
                               path.string(), error.message()));
  }
  struct flock wanted {};
  wanted.l_type = F_WRLCK;
  wanted.l_whence = SEEK_SET;
  if (::fcntl(file_.get(), F_SETLK, &wanted) == 0) return;
  if (errno != EACCES && errno != EAGAIN) {
    throw OutError(fmt::format("cannot lock {}: {}", path.string(), strerror(errno)));
  }
  struct flock held = wanted;
  held.l_type = F_WRLCK;
  const bool known =
      ::fcntl(file_.get(), F_GETLK, &held) == 0 && held.l_type != F_UNLCK && held.l_pid > 0;
  throw OutError(fmt::format(
      "in {} another night is at work ({}); wait for its end, or name another folder by 'out'",
      out.string(), known ? fmt::format("process {}", held.l_pid) : "on another machine"));
}

}  // namespace esox
