// SPDX-License-Identifier: Apache-2.0
#include "harness/records/out_folder.h"

#include <fcntl.h>
#include <fmt/chrono.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <ctime>
#include <system_error>

#include "base/process/paths.h"
#include "base/process/unique_fd.h"
#include "harness/records/hunt_state.h"

namespace esox {
namespace {

namespace fs = std::filesystem;

bool write_all(int fd, std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = ::write(fd, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return false;
    text.remove_prefix(static_cast<size_t>(written));
  }
  return true;
}

[[noreturn]] void cannot_write(const fs::path& path, int error) {
  throw OutError(fmt::format("cannot write {}: {}; make room or name another folder by --out",
                             path.string(), strerror(error)));
}

void write_file(const fs::path& path, std::string_view text, bool lasting) {
  const fs::path beside = path.string() + ".new";
  UniqueFd file(::open(beside.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644));
  if (!file) cannot_write(path, errno);
  const bool written = write_all(file.get(), text) && (!lasting || ::fsync(file.get()) == 0);
  if (!written || ::rename(beside.c_str(), path.c_str()) != 0) {
    const int error = errno;
    ::unlink(beside.c_str());
    cannot_write(path, error);
  }
}

}  // namespace

fs::path default_out() {
  const std::time_t now = std::time(nullptr);
  std::tm local{};
  localtime_r(&now, &local);
  const fs::path first = fs::path("esox-out") / fmt::format("{:%Y-%m-%d-%H%M%S}", local);
  fs::path path = first;
  for (int i = 2; is_there(path); ++i) path = fmt::format("{}-{}", first.string(), i);
  return path;
}

void check_out(const fs::path& out) {
  std::error_code error;
  const fs::file_status status = fs::status(out, error);
  if (status.type() == fs::file_type::not_found) return;
  if (error) throw OutError(fmt::format("cannot look at {}: {}", out.string(), error.message()));
  if (!fs::is_directory(status)) {
    throw OutError(fmt::format("{} is not a folder; name a new one by --out", out.string()));
  }
  const HuntInFolder hunt = hunt_in(out);
  if (hunt == HuntInFolder::kAtWork) {
    throw OutError(
        fmt::format("in {} another hunt is at work; name a new folder by --out", out.string()));
  }
  if (hunt == HuntInFolder::kUnfinished) {
    throw OutError(
        fmt::format("{0} holds a hunt that has not come to its end; go on with it by esox hunt "
                    "--resume {0}, or name a new folder by --out",
                    out.string()));
  }
  if (is_there(out / "hunt.json")) {
    throw OutError(fmt::format(
        "{} holds an earlier hunt, which is kept; name a new folder by --out", out.string()));
  }
  if (!fs::is_empty(out, error) || error) {
    throw OutError(fmt::format("{} is not empty; name a new folder by --out", out.string()));
  }
}

void make_out(const fs::path& out) {
  check_out(out);
  make_folder(out / "findings");
}

void make_folder(const fs::path& folder) {
  std::error_code error;
  fs::create_directories(folder, error);
  if (!error) return;
  throw OutError(fmt::format("cannot make the folder {}: {}; make room, or name another one",
                             folder.string(), error.message()));
}

void write_whole_file(const fs::path& path, std::string_view text) {
  write_file(path, text, false);
}

void write_lasting_file(const fs::path& path, std::string_view text) {
  write_file(path, text, true);
}

}  // namespace esox
