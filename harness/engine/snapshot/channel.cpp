// SPDX-License-Identifier: Apache-2.0
#include "harness/engine/snapshot/channel.h"

#include <fmt/format.h>
#include <poll.h>
#include <sys/socket.h>

#include <cerrno>
#include <cstring>

#include "harness/engine/snapshot/refused.h"

namespace esox {
namespace {

constexpr int kReplyLimit_ms = 10'000;

}  // namespace

std::pair<UniqueFd, UniqueFd> SnapshotChannel::make_pair() {
  int ends[2];
  if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0) {
    throw SnapshotRefused(
        fmt::format("no more sockets for a snapshot: {}; raise the limit of open files (ulimit -n)",
                    strerror(errno)));
  }
  return {UniqueFd(ends[0]), UniqueFd(ends[1])};
}

void SnapshotChannel::send(const SnapshotRequest& request, std::span<const int> passed) {
  alignas(cmsghdr) char control[CMSG_SPACE(sizeof(int) * kMaxPassedSockets)] = {};
  iovec part{const_cast<SnapshotRequest*>(&request), sizeof request};
  msghdr message{};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  if (!passed.empty()) {
    message.msg_control = control;
    message.msg_controllen = CMSG_SPACE(passed.size_bytes());
    cmsghdr* header = CMSG_FIRSTHDR(&message);
    header->cmsg_level = SOL_SOCKET;
    header->cmsg_type = SCM_RIGHTS;
    header->cmsg_len = CMSG_LEN(passed.size_bytes());
    memcpy(CMSG_DATA(header), passed.data(), passed.size_bytes());
  }
  if (sendmsg(fd_.get(), &message, MSG_NOSIGNAL) != sizeof request) {
    throw TemplateLost(
        fmt::format("the snapshot's server does not listen any more: {}", strerror(errno)));
  }
}

SnapshotReply SnapshotChannel::receive(UniqueFd* passed) {
  for (;;) {
    const SnapshotReply reply = read_one(passed);
    if (reply.from_child == 0) return reply;
    child_text_ = text_of(reply);  // it shares the line with its template until it lives
  }
}

std::string SnapshotChannel::take_child_text() {
  const auto has_reply = [this] {
    char byte;
    return recv(fd_.get(), &byte, sizeof byte, MSG_PEEK | MSG_DONTWAIT) > 0;
  };
  while (has_reply()) {
    const SnapshotReply reply = read_one(nullptr);
    if (reply.from_child != 0) child_text_ = text_of(reply);
  }
  return std::exchange(child_text_, {});
}

SnapshotReply SnapshotChannel::read_one(UniqueFd* passed) {
  pollfd waiting{fd_.get(), POLLIN, 0};
  int ready = 0;
  do {
    ready = poll(&waiting, 1, kReplyLimit_ms);
  } while (ready < 0 && errno == EINTR);
  if (ready == 0) {
    throw TemplateLost(
        fmt::format("the snapshot's server gave no reply in {} s", kReplyLimit_ms / 1000));
  }
  SnapshotReply reply{};
  alignas(cmsghdr) char control[CMSG_SPACE(sizeof(int))];
  iovec part{&reply, sizeof reply};
  msghdr message{};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  message.msg_control = control;
  message.msg_controllen = sizeof control;
  if (recvmsg(fd_.get(), &message, MSG_CMSG_CLOEXEC) != sizeof reply) {
    throw TemplateLost("the snapshot's server has ended");
  }
  const cmsghdr* header = CMSG_FIRSTHDR(&message);
  if (header != nullptr && header->cmsg_type == SCM_RIGHTS) {
    int fd = -1;
    memcpy(&fd, CMSG_DATA(header), sizeof fd);
    UniqueFd owned(fd);
    if (passed != nullptr) *passed = std::move(owned);
  }
  return reply;
}

SnapshotReply SnapshotChannel::ask(const SnapshotRequest& request, UniqueFd* passed) {
  send(request);
  const SnapshotReply reply = receive(passed);
  if (reply.ok == 0) throw SnapshotRefused(text_of(reply));
  return reply;
}

std::string text_of(const SnapshotReply& reply) {
  const std::string text(reply.text, strnlen(reply.text, sizeof reply.text));
  return reply.error == 0 ? text : fmt::format("{}: {}", text, strerror(reply.error));
}

}  // namespace esox
