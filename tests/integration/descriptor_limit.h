// SPDX-License-Identifier: Apache-2.0
// For a while, this process can open only so many more descriptors.
#pragma once

#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <stdexcept>

namespace esox {

class DescriptorLimit {
 public:
  explicit DescriptorLimit(int free) {
    if (getrlimit(RLIMIT_NOFILE, &before_) != 0) throw std::runtime_error("getrlimit");
    // The limit is on numbers: the lowest free ones are what can be had.
    int found = 0;
    int number = 0;
    constexpr int kPolled = 3;  // poll() itself refuses more descriptors than the limit allows
    for (; found < free; ++number) {
      if (fcntl(number, F_GETFD) < 0) ++found;
    }
    rlimit limit = before_;
    limit.rlim_cur = static_cast<rlim_t>(std::max(number, kPolled));
    if (setrlimit(RLIMIT_NOFILE, &limit) != 0) throw std::runtime_error("setrlimit");
  }
  ~DescriptorLimit() { setrlimit(RLIMIT_NOFILE, &before_); }
  DescriptorLimit(const DescriptorLimit&) = delete;
  DescriptorLimit& operator=(const DescriptorLimit&) = delete;

 private:
  rlimit before_{};
};

}  // namespace esox
