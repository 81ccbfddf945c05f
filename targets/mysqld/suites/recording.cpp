// SPDX-License-Identifier: Apache-2.0
#include "targets/mysqld/suites/recording.h"

#include <fmt/format.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <functional>
#include <list>
#include <system_error>

#include "base/process/process.h"
#include "base/process/server_error.h"
#include "base/process/unique_fd.h"
#include "targets/mysqld/suites/session_reader.h"
#include "targets/sql/import/logged_test.h"

namespace esox {
namespace {

namespace fs = std::filesystem;
using std::chrono::milliseconds;
using Clock = std::chrono::steady_clock;

constexpr size_t kChunk_bytes = size_t{64} << 10;
// Of what one side has sent and the other not yet read. A client that sends and does not read must
// not stop the others.
constexpr size_t kMostUnread_bytes = size_t{256} << 10;
constexpr int kBacklog = 128;
constexpr milliseconds kLookEvery{20};      // whether the program has ended
constexpr milliseconds kForGoodbyes{5000};  // from then on, for what its sessions still do

sockaddr_un address_of(const fs::path& path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (path.native().size() >= sizeof address.sun_path) {
    throw ServerError(fmt::format("{} is too long for a socket's name", path.string()));
  }
  std::memcpy(address.sun_path, path.c_str(), path.native().size() + 1);
  return address;
}

UniqueFd new_socket() {
  return UniqueFd(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
}

bool is_same_file(const struct stat& a, const struct stat& b) {
  return a.st_dev == b.st_dev && a.st_ino == b.st_ino;
}

// Ours in the place of the server's, and the server's beside it, as long as it lives.
class TakenPlace {
 public:
  explicit TakenPlace(const fs::path& place) : place_(place), beside_(place.string() + ".own") {
    const sockaddr_un address = address_of(place_);
    address_of(beside_);
    std::error_code error;
    fs::rename(place_, beside_, error);
    listener_ = new_socket();
    const auto* const generic = reinterpret_cast<const sockaddr*>(&address);
    if (error || !listener_ || bind(listener_.get(), generic, sizeof address) != 0 ||
        chmod(place_.c_str(), 0777) != 0 || listen(listener_.get(), kBacklog) != 0 ||
        lstat(place_.c_str(), &own_) != 0) {
      const int cause = error ? error.value() : errno;
      if (!error) fs::rename(beside_, place_, error);
      throw ServerError(fmt::format("cannot listen in the place of the server's socket {}: {}",
                                    place_.string(), std::strerror(cause)));
    }
  }
  // A server that was started anew has its socket there again, and ours is gone.
  ~TakenPlace() {
    struct stat there {};
    std::error_code ignored;
    if (lstat(place_.c_str(), &there) == 0 && is_same_file(there, own_)) {
      fs::rename(beside_, place_, ignored);
    } else {
      fs::remove(beside_, ignored);
    }
  }
  TakenPlace(const TakenPlace&) = delete;
  TakenPlace& operator=(const TakenPlace&) = delete;

  int listener() const { return listener_.get(); }
  UniqueFd connected() const {
    UniqueFd server = new_socket();
    const sockaddr_un address = address_of(beside_);
    if (connect(server.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) {
      server.reset();
    }
    return server;
  }

 private:
  const fs::path place_;
  const fs::path beside_;
  UniqueFd listener_;
  struct stat own_ {};
};

// What goes from one descriptor to another one.
struct Stream {
  int from = -1;
  int to = -1;
  std::string unread;
  bool ended = false;  // `from` sends no more, or `to` takes no more

  bool wants_more() const { return !ended && unread.size() < kMostUnread_bytes; }
  bool over() const { return ended && unread.empty(); }

  // False: there is nothing now.
  bool receive(std::string_view& bytes, std::array<char, kChunk_bytes>& buffer) {
    const ssize_t got = recv(from, buffer.data(), buffer.size(), 0);
    if (got < 0 && (errno == EAGAIN || errno == EINTR)) return false;
    ended = got <= 0;
    bytes = {buffer.data(), static_cast<size_t>(std::max<ssize_t>(got, 0))};
    return !ended;
  }
  void send_on() {
    while (!unread.empty()) {
      const ssize_t sent = send(to, unread.data(), unread.size(), MSG_NOSIGNAL);
      if (sent < 0 && (errno == EAGAIN || errno == EINTR)) return;
      if (sent < 0) {
        unread.clear();
        ended = true;
      } else {
        unread.erase(0, static_cast<size_t>(sent));
      }
    }
  }
};

class Session {
 public:
  Session(UniqueFd client, UniqueFd server, RequestLog& log, uint64_t& next)
      : client_(std::move(client)), server_(std::move(server)), reader_(log, next) {
    requests_ = {client_.get(), server_.get(), {}};
    replies_ = {server_.get(), client_.get(), {}};
  }
  ~Session() { reader_.ended(); }
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  // Two entries for poll().
  void ask(std::vector<pollfd>& asked) const {
    asked.push_back({client_.get(), events(requests_, replies_), 0});
    asked.push_back({server_.get(), events(replies_, requests_), 0});
  }
  void pass_on() {
    std::array<char, kChunk_bytes> buffer;
    std::string_view bytes;
    if (requests_.wants_more() && requests_.receive(bytes, buffer)) {
      reader_.from_client(bytes);
      requests_.unread.append(bytes);
    }
    if (replies_.wants_more() && replies_.receive(bytes, buffer)) {
      reader_.from_server(bytes);
      replies_.unread.append(bytes);
    }
    end_half(requests_);
    end_half(replies_);
  }
  // A server that has said its last word is gone, whatever the client still sends.
  bool over() const { return replies_.over(); }

 private:
  static short events(const Stream& from, const Stream& to) {
    return static_cast<short>((from.wants_more() ? POLLIN : 0) | (to.unread.empty() ? 0 : POLLOUT));
  }
  static void end_half(Stream& stream) {
    stream.send_on();
    if (stream.over()) shutdown(stream.to, SHUT_WR);
  }

  UniqueFd client_;
  UniqueFd server_;
  SessionReader reader_;
  Stream requests_;
  Stream replies_;
};

class Recording {
 public:
  explicit Recording(const fs::path& server_socket) : place_(server_socket) {}

  void run_until(const std::function<bool()>& ended) {
    Clock::time_point end{};
    while (true) {
      pass_on();
      if (end == Clock::time_point{} && ended()) end = Clock::now() + kForGoodbyes;
      if (end != Clock::time_point{} && (sessions_.empty() || Clock::now() > end)) return;
    }
  }
  RequestLog take_log() { return std::move(log_); }

 private:
  void pass_on() {
    std::vector<pollfd> asked = {{place_.listener(), POLLIN, 0}};
    for (const Session& session : sessions_) session.ask(asked);
    poll(asked.data(), asked.size(), static_cast<int>(kLookEvery.count()));
    size_t at = 1;
    for (auto session = sessions_.begin(); session != sessions_.end(); at += 2) {
      if ((asked[at].revents | asked[at + 1].revents) != 0) session->pass_on();
      session = session->over() ? sessions_.erase(session) : std::next(session);
    }
    if (asked[0].revents != 0) accept_all();
  }

  void accept_all() {
    while (true) {
      UniqueFd client(accept4(place_.listener(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
      if (!client) return;
      UniqueFd server = place_.connected();
      // Without a server the client sees its connection end, as it would without us.
      if (server) sessions_.emplace_back(std::move(client), std::move(server), log_, next_session_);
    }
  }

  TakenPlace place_;
  RequestLog log_;
  uint64_t next_session_ = 1;
  std::list<Session> sessions_;
};

void cut_off_beyond_limit(RequestLog& log) {
  size_t bytes = 0;
  const auto last = std::ranges::find_if(log.requests, [&](const auto& one) {
    bytes += text_of(one).size();
    return bytes > kMaxTestLogBytes;
  });
  log.requests.erase(last, log.requests.end());
}

}  // namespace

RecordedRun run_recorded(const fs::path& server_socket, const fs::path& program,
                         const std::vector<std::string>& arguments) {
  Recording recording(server_socket);
  ProcessPlan plan;
  plan.program = program;
  plan.arguments = arguments;
  plan.environment = own_environment();
  plan.folder = fs::current_path();
  plan.output = STDOUT_FILENO;
  Process process(plan);
  recording.run_until([&] { return !process.alive(); });
  const auto ended = process.wait(milliseconds(0));
  RecordedRun run{recording.take_log(), ended->signal == 0 ? ended->code : 128 + ended->signal};
  cut_off_beyond_limit(run.log);
  return run;
}

}  // namespace esox
