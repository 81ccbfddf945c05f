// SPDX-License-Identifier: Apache-2.0
// See memcached.h.
#include "targets/memcached/client.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <cstring>
#include <sstream>
#include <thread>

#include "inputs/memcached_request.h"
#include "summaries/identities.h"

namespace esox {
namespace {

using Clock = std::chrono::steady_clock;

constexpr size_t kMaxReplyBytes = 64 << 20;
constexpr std::chrono::milliseconds kRetryEvery{1};
constexpr uint32_t kError = 1;
constexpr uint32_t kClientError = 2;
constexpr uint32_t kServerError = 3;

uint32_t error_of(const std::string& line) {
  if (line == "ERROR") return kError;
  if (line.starts_with("CLIENT_ERROR")) return kClientError;
  if (line.starts_with("SERVER_ERROR")) return kServerError;
  return 0;
}

std::vector<std::string> split(const std::string& line) {
  std::istringstream stream(line);
  std::vector<std::string> words;
  for (std::string word; stream >> word;) words.push_back(word);
  return words;
}

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

class MemcachedClient::Lost : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

MemcachedClient::~MemcachedClient() {
  close();
}

// A connection is accepted when the server gets round to it. Only with a reply to something is it
// certain that it was, and so whose turn it was (preload/request/boundary.h).
void MemcachedClient::connect(const std::string& socket_path) {
  open(socket_path);
  const Output greeting = run(Request{"version", false});
  if (greeting.answered && greeting.error == 0) return;
  close();
  throw ClientError(
      fmt::format("{} does not answer as a memcached: {}", socket_path, greeting.message));
}

void MemcachedClient::open(const std::string& socket_path) {
  close();
  const sockaddr_un address = address_of(socket_path);
  const auto until = Clock::now() + std::chrono::milliseconds(options_.connect_timeout_ms);
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

void MemcachedClient::close() {
  const std::lock_guard lock(abort_mutex_);
  if (fd_ >= 0) ::close(fd_);
  fd_ = -1;
  received_.clear();
}

void MemcachedClient::abort() {
  const std::lock_guard lock(abort_mutex_);
  if (fd_ >= 0) shutdown(fd_, SHUT_RDWR);
}

bool MemcachedClient::continue_on(int fd) {
  const std::lock_guard lock(abort_mutex_);
  if (fd_ < 0 || !received_.empty() || dup3(fd, fd_, O_CLOEXEC) < 0) return false;
  if (!kept_uniques_) kept_uniques_ = uniques_;
  uniques_ = *kept_uniques_;
  return true;
}

Output MemcachedClient::run(const Request& request) {
  Output output;
  output.ordered = request.ordered;
  try {
    if (fd_ < 0) throw Lost("not connected");
    send_all(with_unique(request.text));
    read_reply(request, output);
    output.answered = true;
  } catch (const Lost& lost) {
    output = Output{};
    output.message = lost.what();
    close();
  }
  return output;
}

// The request as it is sent: {cas} filled in, lines ended.
std::string MemcachedClient::with_unique(const std::string& text) const {
  const MemcachedRequest request = memcached_request(text);
  std::string line;
  for (const std::string& word : request.words) {
    if (!line.empty()) line += ' ';
    if (word != kCasPlaceholder) {
      line += word;
      continue;
    }
    const auto known = request.keys.empty() ? uniques_.end() : uniques_.find(request.keys[0]);
    line += known == uniques_.end() ? "0" : known->second;
  }
  line += "\r\n";
  return request.stores ? line + request.data + "\r\n" : line;
}

void MemcachedClient::send_all(const std::string& bytes) {
  for (size_t sent = 0; sent < bytes.size();) {
    const ssize_t now = ::send(fd_, bytes.data() + sent, bytes.size() - sent, MSG_NOSIGNAL);
    if (now < 0 && errno == EINTR) continue;
    if (now < 0) throw Lost(fmt::format("sending failed: {}", strerror(errno)));
    sent += static_cast<size_t>(now);
  }
}

void MemcachedClient::read_more() {
  pollfd ready{fd_, POLLIN, 0};
  const int limit_ms = options_.reply_timeout_ms > 0 ? options_.reply_timeout_ms : -1;
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

std::string MemcachedClient::read_line() {
  size_t end;
  while ((end = received_.find("\r\n")) == std::string::npos) read_more();
  std::string line = received_.substr(0, end);
  received_.erase(0, end + 2);
  return line;
}

std::string MemcachedClient::read_bytes(size_t count) {
  if (count > kMaxReplyBytes) throw Lost(fmt::format("a value of {} bytes", count));
  while (received_.size() < count + 2) read_more();
  std::string bytes = received_.substr(0, count);
  received_.erase(0, count + 2);
  return bytes;
}

void MemcachedClient::read_reply(const Request& request, Output& output) {
  const MemcachedRequest sent = memcached_request(request.text);
  const MemcachedReply form = sent.reply;
  std::string line = read_line();
  output.error = error_of(line);
  if (output.error != 0) {
    output.message = line;
  } else if (form == MemcachedReply::kValues) {
    read_values(std::move(line), gives_unique(sent), output);
  } else if (form == MemcachedReply::kStatistics) {
    read_statistics(std::move(line), output);
  } else {
    output.info = line;
  }
}

// VALUE key flags bytes [unique], data, ..., END.
void MemcachedClient::read_values(std::string line, bool unique, Output& output) {
  ResultSet result;
  result.columns = {{"key", "text"}, {"flags", "number"}, {"value", "text"}};
  if (unique) result.columns.push_back({"unique", kIdentityType});
  for (; line != "END"; line = read_line()) {
    const std::vector<std::string> words = split(line);
    size_t bytes = 0;
    if (words.size() != result.columns.size() + 1 || words[0] != "VALUE" ||
        std::from_chars(words[3].data(), words[3].data() + words[3].size(), bytes).ec !=
            std::errc()) {
      throw Lost("a reply that is none: " + line);
    }
    Row row = {words[1], words[2], read_bytes(bytes)};
    if (unique) {
      row.emplace_back(words[4]);
      uniques_[words[1]] = words[4];
    }
    result.rows.push_back(std::move(row));
  }
  output.results.push_back(std::move(result));
}

void MemcachedClient::read_statistics(std::string line, Output& output) {
  ResultSet result;
  result.columns = {{"name", "text"}, {"value", "text"}};
  for (; line != "END" && line != "RESET"; line = read_line()) {
    const std::vector<std::string> words = split(line);
    if (words.size() < 2 || words[0] != "STAT") throw Lost("a reply that is none: " + line);
    result.rows.push_back({words[1], words.size() > 2 ? words[2] : ""});
  }
  output.results.push_back(std::move(result));
}

}  // namespace esox
