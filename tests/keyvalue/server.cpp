// SPDX-License-Identifier: Apache-2.0
// keyvalue_server --socket=PATH [--bug=NAME] [--worker] [--onlooker] [--keep]
//
// A small key-value server as real ones are made: a thread per connection, locks, requests by lines
// of text (store.h). It listens on a unix socket, keeps all in memory, and is correct unless one of
// its bugs is asked for (bugs.h). With --worker one thread answers all requests (worker.h);
// with --onlooker another thread reads a key at each of them, which STATS tells. A thread waits for
// signals and counts SIGHUP in the key "hups". With --keep it ends by SIGTERM, and what it has then
// is in data/kept for the next one that is started in its folder.
// Nothing in it knows esox.
//
// Exit status: 2 for a wrong command line, 1 if it cannot listen; otherwise it runs until killed
// or, with --keep, told to end: 0.
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <functional>
#include <sstream>
#include <string>
#include <thread>

#include "tests/keyvalue/bugs.h"
#include "tests/keyvalue/store.h"
#include "tests/keyvalue/worker.h"

namespace keyvalue {
namespace {

constexpr size_t kMaxLineBytes = 4096;
constexpr int kMaxConnections = 64;
constexpr const char* kKept = "data/kept";
// esox waits for sleeps of up to 50 (snapshot_server.cpp).
constexpr std::chrono::milliseconds kStart{45};

using Answer = std::function<bool(int fd, const std::string& line)>;

std::atomic<int> connections{0};

Words words_of(const std::string& line) {
  std::istringstream stream(line);
  Words words;
  for (std::string word; stream >> word;) words.push_back(word);
  return words;
}

bool send_all(int fd, const std::string& bytes) {
  for (size_t sent = 0; sent < bytes.size();) {
    const ssize_t now = send(fd, bytes.data() + sent, bytes.size() - sent, MSG_NOSIGNAL);
    if (now < 0 && errno == EINTR) continue;
    if (now < 0) return false;
    sent += static_cast<size_t>(now);
  }
  return true;
}

// All complete lines that have been received; false at the end of the connection.
bool receive(int fd, const Answer& answer, std::string& received) {
  char bytes[kMaxLineBytes];
  const ssize_t got = recv(fd, bytes, sizeof bytes, 0);
  if (got < 0 && errno == EINTR) return true;
  if (got <= 0) return false;
  received.append(bytes, static_cast<size_t>(got));
  for (size_t end = 0; (end = received.find('\n')) != std::string::npos;) {
    const std::string line = received.substr(0, end);
    received.erase(0, end + 1);
    if (!answer(fd, line)) return false;
  }
  return received.size() <= kMaxLineBytes || (send_all(fd, "ERROR line too long\n"), false);
}

void serve(int fd, const Answer& answer) {
  std::string received;
  while (receive(fd, answer, received)) {
  }
  close(fd);
  --connections;
}

int listen_on(const std::string& path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (path.size() >= sizeof address.sun_path) {
    errno = ENAMETOOLONG;
    return -1;
  }
  path.copy(address.sun_path, sizeof address.sun_path - 1);
  const int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (fd < 0 || bind(fd, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0 ||
      listen(fd, kMaxConnections) != 0) {
    return -1;
  }
  return fd;
}

// Called before there are other threads.
void serve_signals(Store& store, bool keeps) {
  static sigset_t awaited;
  sigemptyset(&awaited);
  sigaddset(&awaited, SIGHUP);
  if (keeps) sigaddset(&awaited, SIGTERM);
  pthread_sigmask(SIG_BLOCK, &awaited, nullptr);
  std::thread([&store] {
    for (int signal = 0;;) {
      if (sigwait(&awaited, &signal) != 0) continue;
      if (signal == SIGTERM) {
        store.keep(kKept);
        _exit(0);
      }
      store.execute({"ADD", "hups", "1"});
    }
  }).detach();
}

// As a server that does something a moment after it has begun to listen.
void end_start_later(Store& store) {
  std::thread([&store] {
    std::this_thread::sleep_for(kStart);
    store.execute({"SET", "started", "1"});
  }).detach();
}

int run(int listening, bool by_worker, bool looked_on, bool late, bool keeps) {
  static Store store;  // threads use it until the process ends
  if (keeps) store.take_on(kKept);
  serve_signals(store, keeps);
  if (late) end_start_later(store);
  static Answer answer = [](int fd, const std::string& line) {
    return send_all(fd, store.execute(words_of(line)) + "\n");
  };
  if (looked_on) {
    static const Answer unseen = answer;
    static Worker onlooker;
    answer = [](int fd, const std::string& line) {
      onlooker.hand([] { store.execute({"GET", "a"}); });
      return unseen(fd, line);
    };
  }
  if (by_worker) {
    static const Answer by_itself = answer;
    static Worker worker;
    answer = [](int fd, const std::string& line) {
      worker.hand([fd, line] { by_itself(fd, line); });
      return true;
    };
  }
  while (true) {
    const int fd = accept4(listening, nullptr, nullptr, SOCK_CLOEXEC);
    if (fd < 0 && (errno == EINTR || errno == ECONNABORTED)) continue;
    if (fd < 0) return 1;
    if (++connections > kMaxConnections) {
      --connections;
      close(fd);
      continue;
    }
    std::thread(serve, fd, std::cref(answer)).detach();
  }
}

int usage() {
  fprintf(stderr,
          "usage: keyvalue_server --socket=PATH [--bug=NAME] [--worker] [--onlooker] "
          "[--late] [--keep]\n\nbugs:\n");
  for (const Bug& bug : all_bugs())
    fprintf(stderr, "  %-16s %s\n", bug.name.data(), bug.what.data());
  return 2;
}

}  // namespace
}  // namespace keyvalue

int main(int argc, char** argv) {
  using namespace keyvalue;
  std::string socket_path;
  bool by_worker = false;
  bool looked_on = false;
  bool late = false;
  bool keeps = false;
  for (int i = 1; i < argc; ++i) {
    const std::string option = argv[i];
    if (option == "--version") {
      printf("keyvalue_server 1.0\n");
      return 0;
    }
    if (option == "--worker") {
      by_worker = true;
    } else if (option == "--onlooker") {
      looked_on = true;
    } else if (option == "--late") {
      late = true;
    } else if (option == "--keep") {
      keeps = true;
    } else if (option.starts_with("--socket=")) {
      socket_path = option.substr(strlen("--socket="));
    } else if (!option.starts_with("--bug=") || !choose_bug(argv[i] + strlen("--bug="))) {
      fprintf(stderr, "keyvalue_server: unknown option or bug '%s'; without options all are told\n",
              argv[i]);
      return 2;
    }
  }
  if (socket_path.empty()) return usage();
  const int listening = listen_on(socket_path);
  if (listening < 0) {
    fprintf(stderr, "keyvalue_server: cannot listen on %s: %s\n", socket_path.c_str(),
            strerror(errno));
    return 1;
  }
  return run(listening, by_worker, looked_on, late, keeps);
}
