// SPDX-License-Identifier: Apache-2.0
#include "harness/nights/night/night_log.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstring>

#include "base/time/utc.h"
#include "harness/nights/night/night_clock.h"
#include "harness/records/json_text.h"
#include "harness/records/out_folder.h"

namespace esox {
namespace {

constexpr off_t kBlock = 4096;

// Up to which byte there are whole lines.
off_t end_of_whole_lines(int file, off_t size) {
  char block[kBlock];
  for (off_t end = size; end > 0;) {
    const off_t begin = std::max<off_t>(0, end - kBlock);
    const ssize_t got = pread(file, block, static_cast<size_t>(end - begin), begin);
    if (got != end - begin) return size;  // cannot be read: left as it is
    for (ssize_t i = got; i > 0; --i) {
      if (block[i - 1] == '\n') return begin + i;
    }
    end = begin;
  }
  return 0;
}

}  // namespace

NightLog::NightLog(const std::filesystem::path& file, std::function<double()> seconds)
    : file_(::open(file.c_str(), O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW, 0644)),
      seconds_(std::move(seconds)) {
  if (!file_) {
    throw OutError(
        fmt::format("cannot write {}: {}; make room", file.string(), std::strerror(errno)));
  }
  mend();
}

void NightLog::mend() {
  struct stat status {};
  if (fstat(file_.get(), &status) != 0) return;
  const off_t whole = end_of_whole_lines(file_.get(), status.st_size);
  if (whole == status.st_size || ftruncate(file_.get(), whole) != 0) return;
  write("log mended", "", {{"bytes_cut_off", status.st_size - whole}});
}

void NightLog::write(const std::string& event) {
  write(event, "", OrderedJson::object());
}

void NightLog::write(const std::string& event, const std::string& stage,
                     const OrderedJson& fields) {
  OrderedJson line = {
      {"at", utc_now()}, {"s", std::round(seconds_() * 1000) / 1000}, {"event", event}};
  if (!stage.empty()) line["stage"] = stage;
  if (fields.is_object()) line.update(fields);
  if (lost_ > 0) line["lines_lost_before"] = lost_;
  const std::string text = line.dump(-1, ' ', false, OrderedJson::error_handler_t::replace) + "\n";
  if (append(text)) {
    lost_ = 0;
  } else {
    ++lost_;
  }
}

void NightLog::write_through(const std::string& event, const std::string& stage,
                             const OrderedJson& fields) {
  write(event, stage, fields);
  fsync(file_.get());
}

bool NightLog::append(const std::string& line) {
  struct stat before {};
  if (fstat(file_.get(), &before) != 0) return false;
  ssize_t written = 0;
  do {
    written = ::write(file_.get(), line.data(), line.size());
  } while (written < 0 && errno == EINTR);
  if (written == static_cast<ssize_t>(line.size())) return true;
  if (written > 0 && ftruncate(file_.get(), before.st_size) != 0) return false;
  return false;
}

}  // namespace esox
