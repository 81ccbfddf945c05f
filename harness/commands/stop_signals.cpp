// SPDX-License-Identifier: Apache-2.0
#include "harness/commands/stop_signals.h"

#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <sys/eventfd.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <system_error>

namespace esox {
namespace {

sigset_t stop_set() {
  sigset_t set;
  sigemptyset(&set);
  for (int signal : {SIGINT, SIGTERM, SIGHUP}) sigaddset(&set, signal);
  return set;
}

[[noreturn]] void fail(const char* what) {
  throw std::system_error(errno, std::generic_category(), what);
}

}  // namespace

StopSignals::StopSignals() {
  const sigset_t set = stop_set();
  pthread_sigmask(SIG_BLOCK, &set, nullptr);
  signals_.reset(signalfd(-1, &set, SFD_CLOEXEC));
  if (!signals_) fail("signalfd");
  end_.reset(eventfd(0, EFD_CLOEXEC));
  if (!end_) fail("eventfd");
  thread_ = std::thread([this] { watch(); });
}

StopSignals::~StopSignals() {
  const uint64_t one = 1;
  while (write(end_.get(), &one, sizeof one) < 0 && errno == EINTR) {
  }
  thread_.join();
}

void StopSignals::watch() {
  for (;;) {
    pollfd ready[] = {{signals_.get(), POLLIN, 0}, {end_.get(), POLLIN, 0}};
    if (poll(ready, 2, -1) < 0 && errno != EINTR) return;
    if (ready[1].revents != 0) return;
    signalfd_siginfo signal{};
    if (ready[0].revents == 0 || read(signals_.get(), &signal, sizeof signal) != sizeof signal) {
      continue;
    }
    if (stop_.exchange(true)) _exit(128 + static_cast<int>(signal.ssi_signo));
    std::fputs("\nesox: ending after the executions under way; once more ends at once\n", stderr);
  }
}

}  // namespace esox
