// SPDX-License-Identifier: Apache-2.0
// See command_output.h. Its outputs go to memory files, so that it never waits for us.
#include "harness/nights/cluster/command_output.h"

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <system_error>

#include "base/process/unique_fd.h"

extern char** environ;

namespace esox {
namespace {

constexpr size_t kMostBytes = size_t{64} << 20;

UniqueFd memory_file(const char* name) {
  UniqueFd file(memfd_create(name, MFD_CLOEXEC));
  if (!file) throw std::system_error(errno, std::generic_category(), "memfd_create");
  return file;
}

std::string read_back(int fd) {
  std::string text;
  char buffer[65536];
  ssize_t got = 0;
  while (text.size() < kMostBytes &&
         (got = pread(fd, buffer, sizeof buffer, static_cast<off_t>(text.size()))) > 0) {
    text.append(buffer, static_cast<size_t>(got));
  }
  return text;
}

pid_t start(const std::vector<std::string>& words, int out, int err) {
  std::vector<char*> arguments;
  for (const std::string& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&actions, out, STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&actions, err, STDERR_FILENO);
  pid_t pid = -1;
  const int error =
      posix_spawnp(&pid, arguments.front(), &actions, nullptr, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  if (error == 0) return pid;
  if (error == ENOENT || error == EACCES) return -1;
  throw std::system_error(error, std::generic_category(), "cannot run " + words.front());
}

// Whether it ended by itself.
bool wait_for(pid_t pid, std::chrono::milliseconds limit) {
  const UniqueFd ended(static_cast<int>(syscall(SYS_pidfd_open, pid, 0)));
  pollfd poll_for{ended.get(), POLLIN, 0};
  const auto until = std::chrono::steady_clock::now() + limit;
  for (;;) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(
        until - std::chrono::steady_clock::now());
    const int ready = poll(&poll_for, 1, left.count() > 0 ? static_cast<int>(left.count()) : 0);
    if (ready < 0 && errno == EINTR) continue;
    if (ready == 0) kill(pid, SIGKILL);
    return ready != 0;
  }
}

}  // namespace

CommandOutput command_output(const std::vector<std::string>& words,
                             std::chrono::milliseconds limit) {
  const UniqueFd out = memory_file("out");
  const UniqueFd err = memory_file("err");
  CommandOutput output;
  const pid_t pid = start(words, out.get(), err.get());
  if (pid < 0) {
    output.found = false;
    return output;
  }
  output.in_time = wait_for(pid, limit);
  int status = 0;
  while (waitpid(pid, &status, 0) < 0 && errno == EINTR) continue;
  output.status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  output.out = read_back(out.get());
  output.err = read_back(err.get());
  return output;
}

}  // namespace esox
