// SPDX-License-Identifier: Apache-2.0
#include "preload/snapshot/channel.h"

#include <string.h>
#include <sys/socket.h>

#include "preload/core/raw.h"

namespace esox {

bool receive(Received& received) {
  alignas(cmsghdr) char control[CMSG_SPACE(sizeof received.passed)];
  iovec part{&received.request, sizeof received.request};
  msghdr message{};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  message.msg_control = control;
  message.msg_controllen = sizeof control;
  received.passed_count = 0;
  const long got = raw::call(SYS_recvmsg, kSnapshotFd, raw::address(&message), 0);
  if (got < static_cast<long>(sizeof(SnapshotCommand))) return false;
  const cmsghdr* header = CMSG_FIRSTHDR(&message);
  if (header == nullptr || header->cmsg_type != SCM_RIGHTS) return true;
  const size_t bytes = header->cmsg_len - CMSG_LEN(0);
  memcpy(received.passed, CMSG_DATA(header), bytes);
  received.passed_count = static_cast<uint32_t>(bytes / sizeof(int));
  return true;
}

void answer(const SnapshotReply& reply, int passed) {
  alignas(cmsghdr) char control[CMSG_SPACE(sizeof passed)] = {};
  iovec part{const_cast<SnapshotReply*>(&reply), sizeof reply};
  msghdr message{};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  if (passed >= 0) {
    message.msg_control = control;
    message.msg_controllen = sizeof control;
    cmsghdr* header = CMSG_FIRSTHDR(&message);
    header->cmsg_level = SOL_SOCKET;
    header->cmsg_type = SCM_RIGHTS;
    header->cmsg_len = CMSG_LEN(sizeof passed);
    memcpy(CMSG_DATA(header), &passed, sizeof passed);
  }
  raw::call(SYS_sendmsg, kSnapshotFd, raw::address(&message), MSG_NOSIGNAL);
}

void close_passed(const Received& received) {
  for (uint32_t i = 0; i < received.passed_count; ++i) raw::call(SYS_close, received.passed[i]);
}

}  // namespace esox
