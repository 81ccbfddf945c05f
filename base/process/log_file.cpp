// SPDX-License-Identifier: Apache-2.0
#include "base/process/log_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <sstream>
#include <utility>

#include "base/process/unique_fd.h"

namespace esox {
namespace {

constexpr size_t kMaxTailBytes = 65536;

// What the file holds from `offset` on, at most so many bytes.
std::string read_from(int fd, size_t offset, size_t most) {
  std::string bytes(most, '\0');
  const ssize_t got = pread(fd, bytes.data(), most, static_cast<off_t>(offset));
  bytes.resize(got > 0 ? static_cast<size_t>(got) : 0);
  return bytes;
}

UniqueFd open_log(const std::filesystem::path& log) {
  return UniqueFd(open(log.c_str(), O_RDONLY | O_CLOEXEC));
}

}  // namespace

std::string text_of_file(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

std::string tail_of(const std::filesystem::path& log, size_t lines) {
  const UniqueFd fd = open_log(log);
  struct stat status {};
  if (!fd || fstat(fd.get(), &status) != 0) return {};
  const auto size = static_cast<size_t>(status.st_size);
  const size_t first = size > kMaxTailBytes ? size - kMaxTailBytes : 0;
  std::string bytes = read_from(fd.get(), first, kMaxTailBytes);
  while (bytes.ends_with('\n')) bytes.pop_back();
  size_t at = bytes.size();
  for (size_t line = 0; line < lines && at != std::string::npos && at > 0; ++line) {
    at = bytes.rfind('\n', at - 1);
  }
  if (lines == 0) return {};
  return at == std::string::npos || at == 0 ? bytes : bytes.substr(at + 1);
}

std::string complaint_of(const std::filesystem::path& log) {
  std::istringstream lines(tail_of(log, 50));
  std::string last;
  std::string error;
  for (std::string line; std::getline(lines, line);) {
    if (!line.empty()) last = line;
    const bool says_why = line.find("[ERROR]") != std::string::npos;
    if (says_why && line.find("Aborting") == std::string::npos) error = line;
  }
  return error.empty() ? last : error;
}

LogWatch::LogWatch(std::filesystem::path log, std::string text)
    : log_(std::move(log)), text_(std::move(text)) {}

bool LogWatch::seen() {
  if (seen_) return true;
  const UniqueFd fd = open_log(log_);
  if (!fd) return false;
  for (;;) {
    const std::string fresh = read_from(fd.get(), offset_, kMaxTailBytes);
    if (fresh.empty()) return false;
    offset_ += fresh.size();
    carried_ += fresh;
    if (carried_.find(text_) != std::string::npos) return seen_ = true;
    const size_t keep = std::min(carried_.size(), text_.size() - 1);
    carried_.erase(0, carried_.size() - keep);
  }
}

}  // namespace esox
