// SPDX-License-Identifier: Apache-2.0
#include "base/yaml/file_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <string_view>
#include <system_error>

#include "base/yaml/limits.h"

namespace esox {
namespace {

[[noreturn]] void fail(const std::filesystem::path& path, std::string_view message) {
  throw InputError(path.string(), 0, message);
}

}  // namespace

std::string file_text(const std::filesystem::path& path, size_t max_bytes, std::string_view kind) {
  std::error_code error;
  if (!std::filesystem::exists(path, error)) fail(path, fmt::format("no such file; name {}", kind));
  if (!std::filesystem::is_regular_file(path, error)) {
    fail(path, fmt::format("is no regular file; name {}", kind));
  }
  std::ifstream stream(path, std::ios::binary);
  if (!stream) {
    fail(path, fmt::format("cannot be opened: {}; check its rights", std::strerror(errno)));
  }
  const auto there = std::filesystem::file_size(path, error);
  const size_t size = error ? max_bytes : std::min<size_t>(there, max_bytes);
  std::string text(size + 1, '\0');
  stream.read(text.data(), static_cast<std::streamsize>(text.size()));
  if (stream.bad()) fail(path, fmt::format("cannot be read: {}", std::strerror(errno)));
  text.resize(static_cast<size_t>(stream.gcount()));
  return text;
}

std::string file_text(const std::filesystem::path& path) {
  return file_text(path, kMaxFileBytes, "a YAML file");
}

}  // namespace esox
