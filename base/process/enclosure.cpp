// SPDX-License-Identifier: Apache-2.0
#include "base/process/enclosure.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <linux/capability.h>
#include <linux/close_range.h>
#include <linux/sched.h>
#include <sched.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <system_error>

#include "base/process/proc.h"
#include "base/process/server_error.h"

namespace esox {
namespace {

constexpr int kNeeded[] = {CAP_SYS_ADMIN, CAP_SYS_CHROOT, CAP_CHECKPOINT_RESTORE};
constexpr int kSent = 2;  // descriptors: the store, the program

bool has_capabilities() {
  __user_cap_header_struct header{_LINUX_CAPABILITY_VERSION_3, 0};
  __user_cap_data_struct data[2]{};
  if (syscall(SYS_capget, &header, data) != 0) return false;
  return std::ranges::all_of(kNeeded, [&](int capability) {
    return (data[capability / 32].effective >> (capability % 32) & 1u) != 0;
  });
}

bool write_text(const char* path, const char* text) {
  const int fd = open(path, O_WRONLY | O_CLOEXEC);
  if (fd < 0) return false;
  const auto length = static_cast<ssize_t>(strlen(text));
  const bool written = write(fd, text, static_cast<size_t>(length)) == length;
  const int error = errno;
  close(fd);
  errno = error;
  return written;
}

// The capabilities survive the exec of a program that is not root's only as ambient ones.
bool keep_capabilities() {
  __user_cap_header_struct header{_LINUX_CAPABILITY_VERSION_3, 0};
  __user_cap_data_struct data[2]{};
  if (syscall(SYS_capget, &header, data) != 0) return false;
  for (const int capability : kNeeded) data[capability / 32].inheritable |= 1u << (capability % 32);
  if (syscall(SYS_capset, &header, data) != 0) return false;
  return std::ranges::all_of(kNeeded, [](int capability) {
    return prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_RAISE, capability, 0, 0) == 0;
  });
}

bool send_descriptors(int socket, const int (&fds)[kSent]) {
  char byte = 's';
  alignas(cmsghdr) char control[CMSG_SPACE(sizeof fds)] = {};
  iovec part{&byte, 1};
  msghdr message{};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  message.msg_control = control;
  message.msg_controllen = sizeof control;
  cmsghdr* header = CMSG_FIRSTHDR(&message);
  header->cmsg_level = SOL_SOCKET;
  header->cmsg_type = SCM_RIGHTS;
  header->cmsg_len = CMSG_LEN(sizeof fds);
  memcpy(CMSG_DATA(header), fds, sizeof fds);
  return sendmsg(socket, &message, MSG_NOSIGNAL) == 1;
}

int highest_number(const std::vector<Enclosure::Passed>& passed) {
  int highest = 0;
  for (const Enclosure::Passed& one : passed) highest = std::max(highest, one.number);
  return highest;
}

}  // namespace

Enclosure::Enclosure(std::filesystem::path store, uint64_t store_bytes)
    : store_(store.string()),
      store_options_(fmt::format("mode=0700,size={}", store_bytes)),
      user_map_(fmt::format("{0} {0} 1", geteuid())),
      group_map_(fmt::format("{0} {0} 1", getegid())),
      needs_user_namespace_(!has_capabilities()) {
  int ends[2];
  if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0) {
    throw std::system_error(errno, std::generic_category(), "socketpair of an enclosure");
  }
  ours_.reset(ends[0]);
  theirs_.reset(ends[1]);
}

void Enclosure::receive() {
  theirs_.reset();  // so that the end of the first process is noticed
  int fds[kSent] = {-1, -1};
  char byte = 0;
  alignas(cmsghdr) char control[CMSG_SPACE(sizeof fds)];
  iovec part{&byte, 1};
  msghdr message{};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  message.msg_control = control;
  message.msg_controllen = sizeof control;
  const ssize_t got = recvmsg(ours_.get(), &message, MSG_CMSG_CLOEXEC);
  const cmsghdr* header = got == 1 ? CMSG_FIRSTHDR(&message) : nullptr;
  if (header == nullptr || header->cmsg_len != CMSG_LEN(sizeof fds)) {
    throw ServerError("the server's first process ended before it had told where its files are");
  }
  memcpy(fds, CMSG_DATA(header), sizeof fds);
  store_fd_.reset(fds[0]);
  program_.reset(fds[1]);
  program_pid_ = pid_of(program_.get());
  if (program_pid_ <= 0) throw ServerError("the server ended before it could be looked at");
}

pid_t Enclosure::clone() const {
  clone_args arguments{};
  arguments.flags = CLONE_NEWPID | CLONE_NEWNS;
  if (needs_user_namespace_) arguments.flags |= CLONE_NEWUSER;
  arguments.exit_signal = SIGCHLD;
  return static_cast<pid_t>(syscall(SYS_clone3, &arguments, sizeof arguments));
}

bool Enclosure::furnish(const char*& step) const {
  step = "the user's own id in a user namespace";
  if (needs_user_namespace_ && (!write_text("/proc/self/setgroups", "deny") ||
                                !write_text("/proc/self/uid_map", user_map_.c_str()) ||
                                !write_text("/proc/self/gid_map", group_map_.c_str()))) {
    return false;
  }
  step = "private mounts";
  if (mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0) return false;
  step = "mounting /proc";
  if (mount("proc", "/proc", "proc", MS_NOSUID | MS_NODEV | MS_NOEXEC, nullptr) != 0) return false;
  step = "mounting a memory file system";
  return mount("esox", store_.c_str(), "tmpfs", MS_NOSUID | MS_NODEV, store_options_.c_str()) == 0;
}

pid_t Enclosure::fork_program() const {
  clone_args arguments{};
  arguments.exit_signal = SIGCHLD;
  int pidfd = -1;
  arguments.flags = CLONE_PIDFD;
  arguments.pidfd = reinterpret_cast<uint64_t>(&pidfd);
  const auto program = static_cast<pid_t>(syscall(SYS_clone3, &arguments, sizeof arguments));
  if (program <= 0) return program;
  const int store = open(store_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (store < 0 || !send_descriptors(theirs_.get(), {store, pidfd})) _exit(126);
  return program;
}

bool Enclosure::hand_over() const {
  rlimit files{};
  const auto needed = static_cast<rlim_t>(highest_number(passed_)) + 1;
  getrlimit(RLIMIT_NOFILE, &files);
  if (files.rlim_cur < needed) {
    files.rlim_cur = needed;
    if (setrlimit(RLIMIT_NOFILE, &files) != 0) return false;
  }
  for (const Passed& one : passed_) {
    if (dup2(one.fd, one.number) < 0) return false;
  }
  return !needs_user_namespace_ || keep_capabilities();
}

void Enclosure::keep(pid_t program) const {
  syscall(SYS_close_range, 0U, ~0U, 0U);
  for (;;) {
    int status = 0;
    const pid_t ended = waitpid(-1, &status, __WALL);
    if (ended < 0 && errno == EINTR) continue;
    if (ended == program || ended < 0) {
      _exit(WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status));
    }
  }
}

pid_t pid_of(int pidfd) {
  const auto pid = proc_field(fmt::format("/proc/self/fdinfo/{}", pidfd), "Pid");
  return pid ? static_cast<pid_t>(std::stol(*pid)) : -1;
}

}  // namespace esox
