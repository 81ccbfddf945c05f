// SPDX-License-Identifier: Apache-2.0
// See file_text.h.
#include "inputs/file_text.h"

#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <string_view>
#include <system_error>

#include "inputs/limits.h"

namespace esox {
namespace {

[[noreturn]] void fail(const std::filesystem::path& path, std::string_view message) {
  throw InputError(path.string(), 0, message);
}

}  // namespace

std::string file_text(const std::filesystem::path& path) {
  std::error_code error;
  if (!std::filesystem::exists(path, error)) fail(path, "no such file; name a YAML file");
  if (!std::filesystem::is_regular_file(path, error)) {
    fail(path, "is no regular file; name a YAML file");
  }
  std::ifstream stream(path, std::ios::binary);
  if (!stream) {
    fail(path, fmt::format("cannot be opened: {}; check its rights", std::strerror(errno)));
  }
  std::string text(kMaxFileBytes + 1, '\0');
  stream.read(text.data(), static_cast<std::streamsize>(text.size()));
  if (stream.bad()) fail(path, fmt::format("cannot be read: {}", std::strerror(errno)));
  text.resize(static_cast<size_t>(stream.gcount()));
  return text;
}

}  // namespace esox
