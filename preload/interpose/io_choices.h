// SPDX-License-Identifier: Apache-2.0
// Data choices of calls on descriptors: short transfers and interrupted calls.
//
// Never on a client's connection: there requests begin and end. Never where a short count has
// another meaning: on datagrams the rest would be lost, a write of at most PIPE_BUF bytes to a pipe
// is whole (pipe(7)), and a file open for direct I/O moves whole blocks.
#pragma once

#include <sys/uio.h>

#include <cstddef>
#include <cstdint>

namespace esox {

enum class Transfer { kRead, kWrite };

// How many of the `size` bytes the call is to be made for.
size_t chosen_size(Transfer transfer, int fd, size_t size, uint64_t site);

// True: the call, which may block, is to fail; errno is EINTR.
bool chosen_interrupted(int fd, uint64_t site);

// The same choice for a call with several buffers; stays in place until the call is over.
class ChosenParts {
 public:
  ChosenParts(Transfer transfer, int fd, const iovec* parts, size_t count, uint64_t site);

  const iovec* parts() const { return parts_; }
  size_t count() const { return count_; }

 private:
  static constexpr size_t kMost = 32;  // calls with more are left whole

  const iovec* parts_;
  size_t count_;
  iovec shortened_[kMost];
};

}  // namespace esox
