// SPDX-License-Identifier: Apache-2.0
#include "harness/programs/output_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>

namespace esox {

OutputFile::OutputFile() : fd_(memfd_create("esox-output", MFD_CLOEXEC)) {
  // Two streams write to it, and it is emptied under them: hence appending.
  if (!fd_ || fcntl(fd_.get(), F_SETFL, O_APPEND) != 0) {
    throw std::system_error(errno, std::generic_category(), "memfd_create for a program's output");
  }
}

size_t OutputFile::size() const {
  struct stat about {};
  return fstat(fd_.get(), &about) == 0 ? static_cast<size_t>(about.st_size) : 0;
}

void OutputFile::empty() {
  if (size() == 0) return;
  if (ftruncate(fd_.get(), 0) != 0) {
    throw std::system_error(errno, std::generic_category(), "emptying a program's output");
  }
}

std::string OutputFile::part(size_t from, size_t bytes) const {
  std::string text(bytes, '\0');
  size_t got = 0;
  while (got < bytes) {
    const ssize_t read =
        pread(fd_.get(), text.data() + got, bytes - got, static_cast<off_t>(from + got));
    if (read < 0 && errno == EINTR) continue;
    if (read <= 0) break;
    got += static_cast<size_t>(read);
  }
  text.resize(got);
  return text;
}

std::string OutputFile::text() const {
  const size_t all = size();
  if (all <= kMostKept) return part(0, all);
  return part(0, kMostKept / 2) + fmt::format("\n[... {} bytes ...]\n", all - kMostKept) +
         part(all - kMostKept / 2, kMostKept / 2);
}

}  // namespace esox
