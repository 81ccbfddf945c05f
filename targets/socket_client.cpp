// SPDX-License-Identifier: Apache-2.0
#include "targets/socket_client.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <thread>

namespace esox {
namespace {

using Clock = std::chrono::steady_clock;

constexpr size_t kMaxReplyBytes = 64 << 20;
constexpr std::chrono::milliseconds kRetryEvery{1};
constexpr std::chrono::seconds kConnectLimit{10};

sockaddr_un address_of(const std::string& path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (path.size() >= sizeof address.sun_path) {
    throw ClientError(fmt::format("the socket's path {} is too long for an address", path));
  }
  path.copy(address.sun_path, sizeof address.sun_path - 1);
  return address;
}

}  // namespace

// A connection is accepted when the server gets round to it. Only with a reply to something is it
// certain that it was, and so whose turn it was (preload/request/boundary.h).
void SocketClient::connect(const std::string& socket_path) {
  open(socket_path);
  const ReplyLimit limit(*this);
  const Output reply = run(Request{greeting(), false});
  if (reply.answered && reply.error == 0) return;
  close();
  throw ClientError(
      fmt::format("who listens on {} does not answer '{}' as such a server would: {}{}",
                  socket_path, greeting(), reply.message,
                  reply.answered ? ""
                                 : "; does the client wait for more than is sent, or has the "
                                   "server no thread left for one more connection?"));
}

void SocketClient::open(const std::string& socket_path) {
  close();
  const sockaddr_un address = address_of(socket_path);
  const auto until = Clock::now() + kConnectLimit;
  while (true) {
    const int fd = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (fd < 0) throw ClientError(fmt::format("no socket: {}", strerror(errno)));
    if (::connect(fd, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0) {
      const std::lock_guard lock(abort_mutex_);
      fd_ = fd;
      return;
    }
    const int error = errno;
    ::close(fd);
    const bool not_yet = error == ENOENT || error == ECONNREFUSED;
    if (!not_yet || Clock::now() > until) {
      throw ClientError(fmt::format("cannot connect to {}: {}", socket_path, strerror(error)));
    }
    std::this_thread::sleep_for(kRetryEvery);
  }
}

void SocketClient::close() {
  const std::lock_guard lock(abort_mutex_);
  if (fd_ >= 0) ::close(fd_);
  fd_ = -1;
  received_.clear();
}

void SocketClient::abort() {
  const std::lock_guard lock(abort_mutex_);
  if (fd_ >= 0) shutdown(fd_, SHUT_RDWR);
}

bool SocketClient::continue_on(int fd) {
  const std::lock_guard lock(abort_mutex_);
  return fd_ >= 0 && received_.empty() && dup3(fd, fd_, O_CLOEXEC) >= 0;
}

Output SocketClient::run(const Request& request) {
  Output output;
  output.ordered = request.ordered;
  try {
    if (fd_ < 0) throw Lost("not connected");
    exchange(request, output);
    output.answered = true;
  } catch (const Lost& lost) {
    output = Output{};
    output.message = lost.what();
    close();
  }
  return output;
}

void SocketClient::send_all(const std::string& bytes) {
  for (size_t sent = 0; sent < bytes.size();) {
    const ssize_t now = ::send(fd_, bytes.data() + sent, bytes.size() - sent, MSG_NOSIGNAL);
    if (now < 0 && errno == EINTR) continue;
    if (now < 0) throw Lost(fmt::format("sending failed: {}", strerror(errno)));
    sent += static_cast<size_t>(now);
  }
}

void SocketClient::read_more() {
  pollfd ready{fd_, POLLIN, 0};
  const int limit_ms = reply_timeout_ms_ > 0 ? reply_timeout_ms_ : -1;
  const int polled = ::poll(&ready, 1, limit_ms);
  if (polled == 0) throw Lost(fmt::format("no reply within {} ms", limit_ms));
  if (polled < 0 && errno == EINTR) return;
  std::array<char, 16384> buffer{};
  const ssize_t got = ::recv(fd_, buffer.data(), buffer.size(), 0);
  if (got < 0 && errno == EINTR) return;
  if (got < 0) throw Lost(fmt::format("receiving failed: {}", strerror(errno)));
  if (got == 0) throw Lost("the server closed the connection");
  received_.append(buffer.data(), static_cast<size_t>(got));
  if (received_.size() > kMaxReplyBytes) {
    throw Lost(fmt::format("a reply of more than {} MB", kMaxReplyBytes >> 20));
  }
}

std::string SocketClient::read_line() {
  size_t end;
  while ((end = received_.find('\n')) == std::string::npos) read_more();
  std::string line = received_.substr(0, end);
  received_.erase(0, end + 1);
  if (line.ends_with('\r')) line.pop_back();
  return line;
}

std::string SocketClient::read_bytes(size_t count) {
  if (count > kMaxReplyBytes) throw Lost(fmt::format("a value of {} bytes", count));
  while (received_.size() < count) read_more();
  std::string bytes = received_.substr(0, count);
  received_.erase(0, count);
  return bytes;
}

}  // namespace esox
