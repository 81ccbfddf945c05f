// SPDX-License-Identifier: Apache-2.0
#include "harness/records/finding_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <sstream>

#include "harness/engine/known_servers.h"

namespace esox {
namespace {

[[noreturn]] void fail(const std::filesystem::path& path, const char* what, int error) {
  throw FindingError(
      fmt::format("{}: cannot {} the finding: {}; check the folder's permissions "
                  "and free space, then run the hunt again",
                  path.string(), what, std::strerror(error)));
}

// Writes all bytes and brings them to the disk, so that killing esox loses no finding.
void write_all(int descriptor, const std::string& text, const std::filesystem::path& path) {
  size_t done = 0;
  while (done < text.size()) {
    const ssize_t written = ::write(descriptor, text.data() + done, text.size() - done);
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) fail(path, "write", errno);
    done += static_cast<size_t>(written);
  }
  if (::fsync(descriptor) != 0) fail(path, "save", errno);
}

}  // namespace

void write_finding(const Finding& finding, const std::filesystem::path& path) {
  const std::string text = finding_to_yaml(finding);
  const std::filesystem::path beside = path.string() + ".new";
  const int descriptor = ::open(beside.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
  if (descriptor < 0) fail(beside, "create", errno);
  try {
    write_all(descriptor, text, beside);
  } catch (...) {
    ::close(descriptor);
    ::unlink(beside.c_str());
    throw;
  }
  ::close(descriptor);
  if (::rename(beside.c_str(), path.c_str()) == 0) return;
  const int error = errno;
  ::unlink(beside.c_str());
  fail(path, "rename", error);
}

Finding read_finding(const std::filesystem::path& path) {
  std::error_code problem;
  const uint64_t size = std::filesystem::file_size(path, problem);
  if (problem) {
    throw FindingError(
        fmt::format("{}: cannot read the finding: {}; give the path of a "
                    "finding.yaml that a hunt wrote",
                    path.string(), problem.message()));
  }
  if (size > kMaxFindingBytes) {
    throw FindingError(
        fmt::format("{}: {} bytes is more than a finding may have ({}); give the "
                    "path of a finding.yaml that a hunt wrote",
                    path.string(), size, kMaxFindingBytes));
  }
  std::ifstream in(path, std::ios::binary);
  std::ostringstream bytes;
  bytes << in.rdbuf();
  if (!in) {
    throw FindingError(
        fmt::format("{}: cannot read the finding; check its permissions", path.string()));
  }
  return finding_from_yaml(bytes.str(), path.string(), known_servers());
}

std::filesystem::path beside_finding(const std::filesystem::path& finding_file,
                                     const std::string& name) {
  const std::string stem = finding_file.stem().string();
  return finding_file.parent_path() / (stem == "finding" ? name : stem + "-" + name);
}

}  // namespace esox
