// SPDX-License-Identifier: Apache-2.0
// See process.h. Between fork and exec only async-signal-safe calls are made, on memory prepared
// before; errors come back through a pipe that a successful exec closes.
#include "base/process/process.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <linux/close_range.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <condition_variable>
#include <cstdlib>
#include <functional>
#include <mutex>
#include <thread>

#include "base/process/own_loader.h"
#include "base/process/server_error.h"

namespace esox {
namespace {

// What the child could not do, and why.
struct Failure {
  enum Step : int { kNone, kPrepare, kEnclose, kWatch, kFolder, kInput, kLog, kExec } step = kNone;
  int error = 0;
  const char* what = nullptr;  // kEnclose: a literal, so valid on both sides of the fork
};

// All the child needs, made before the fork.
struct Prepared {
  const char* program;
  const char* folder;
  const char* input;
  const char* log;
  char* const* arguments;
  char* const* environment;
  pid_t parent;
  int output;  // in place of the log; -1: none
  int report;  // write end: what failed
  int go;      // read end: one byte allows it to go on, the end of the pipe does not
  const Enclosure* enclosure;
};

[[noreturn]] void report_and_exit(int report, Failure::Step step, const char* what = nullptr) {
  const Failure failure{step, errno, what};
  const ssize_t written = write(report, &failure, sizeof failure);
  _exit(written == sizeof failure ? 127 : 126);
}

void reset_signals() {
  for (int signal = 1; signal < NSIG; ++signal) ::signal(signal, SIG_DFL);
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
}

bool redirect(const char* path, int flags, int target) {
  const int fd = open(path, flags | O_CLOEXEC, 0600);
  return fd >= 0 && dup2(fd, target) >= 0;
}

bool open_output(const Prepared& child) {
  if (child.output >= 0) return dup2(child.output, 1) >= 0;
  return redirect(child.log, O_WRONLY | O_CREAT | O_TRUNC | O_APPEND | O_NOFOLLOW, 1);
}

// Until the parent holds a pidfd it could not stop us, so nothing is done before.
void wait_for_go(int go) {
  char byte = 0;
  ssize_t got = 0;
  do {
    got = read(go, &byte, 1);
  } while (got < 0 && errno == EINTR);
  if (got != 1) _exit(126);
}

[[noreturn]] void become_program(const Prepared& child) {
  reset_signals();
  setsid();
  const rlimit no_core{0, 0};
  setrlimit(RLIMIT_CORE, &no_core);
  if (prctl(PR_SET_PDEATHSIG, SIGKILL) != 0) report_and_exit(child.report, Failure::kPrepare);
  if (getppid() != child.parent) _exit(126);  // the parent died before it could have killed us
  if (child.go >= 0) wait_for_go(child.go);
  const int now = personality(0xffffffff);
  if (now == -1 || personality(static_cast<unsigned long>(now) | ADDR_NO_RANDOMIZE) == -1) {
    report_and_exit(child.report, Failure::kPrepare);
  }
  if (chdir(child.folder) != 0) report_and_exit(child.report, Failure::kFolder);
  if (!redirect(child.input, O_RDONLY, 0)) report_and_exit(child.report, Failure::kInput);
  if (!open_output(child) || dup2(1, 2) < 0) report_and_exit(child.report, Failure::kLog);
  if (syscall(SYS_close_range, 3U, ~0U, CLOSE_RANGE_CLOEXEC) != 0) {
    report_and_exit(child.report, Failure::kPrepare);
  }
  if (child.enclosure != nullptr && !child.enclosure->hand_over()) {
    report_and_exit(child.report, Failure::kEnclose, "the program's descriptors and capabilities");
  }
  execve(child.program, child.arguments, child.environment);
  report_and_exit(child.report, Failure::kExec);
}

// The first process of an enclosure: it has no parent that it can see, so it is the pipe that tells
// whether the parent still lived when it asked to die with it.
[[noreturn]] void become_first_process(Prepared child) {
  reset_signals();
  if (prctl(PR_SET_PDEATHSIG, SIGKILL) != 0) report_and_exit(child.report, Failure::kPrepare);
  wait_for_go(child.go);
  const char* step = nullptr;
  if (!child.enclosure->furnish(step)) report_and_exit(child.report, Failure::kEnclose, step);
  const pid_t program = child.enclosure->fork_program();
  if (program < 0) report_and_exit(child.report, Failure::kEnclose, "starting the program");
  if (program == 0) {
    child.parent = getppid();
    child.go = -1;
    become_program(child);
  }
  child.enclosure->keep(program);
}

std::string name_of_variable(const std::string& assignment) {
  return assignment.substr(0, assignment.find('='));
}

// Small and fixed, for repeatability; of ours only what finding programs and libraries needs.
std::vector<std::string> environment_of(const ProcessPlan& plan) {
  std::vector<std::string> environment = {"LC_ALL=C", "TZ=UTC"};
  for (const char* name : {"PATH", "LD_LIBRARY_PATH"}) {
    if (const char* value = std::getenv(name))
      environment.push_back(std::string(name) + "=" + value);
  }
  for (const std::string& added : plan.environment) {
    std::erase_if(environment, [&](const std::string& old) {
      return name_of_variable(old) == name_of_variable(added);
    });
    environment.push_back(added);
  }
  return environment;
}

std::vector<char*> pointers_to(std::vector<std::string>& texts) {
  std::vector<char*> pointers;
  pointers.reserve(texts.size() + 1);
  for (std::string& text : texts) pointers.push_back(text.data());
  pointers.push_back(nullptr);
  return pointers;
}

[[noreturn]] void throw_failure(const ProcessPlan& plan, const Failure& failure) {
  const std::string program = plan.program.string();
  const std::string why = strerror(failure.error);
  switch (failure.step) {
    case Failure::kFolder:
      throw ServerError(fmt::format("cannot run {} in {}: {}", program, plan.folder.string(), why));
    case Failure::kInput:
      throw ServerError(
          fmt::format("cannot read {} for {}: {}", plan.input.string(), program, why));
    case Failure::kLog:
      throw ServerError(
          fmt::format("cannot write the log {} of {}: {}", plan.log.string(), program, why));
    case Failure::kWatch:
      throw ServerError(fmt::format(
          "cannot watch {}: {}; esox needs a kernel with pidfd_open (5.3 or later)", program, why));
    case Failure::kExec:
      break;
    case Failure::kEnclose:
      throw ServerError(fmt::format("cannot run {} in namespaces of its own: {}: {}", program,
                                    failure.what, why));
    default:
      throw ServerError(fmt::format("cannot start {}: {}", program, why));
  }
  if (failure.error == ENOEXEC) {
    throw ServerError(
        fmt::format("{} is not a program for this machine (another architecture, or damaged); give "
                    "the path of one that is",
                    program));
  }
  throw ServerError(fmt::format("cannot run {}: {}", program, why));
}

struct Pipe {
  UniqueFd reading;
  UniqueFd writing;
};

bool make_pipe(Pipe& made) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return false;
  made.reading.reset(ends[0]);
  made.writing.reset(ends[1]);
  return true;
}

struct Spawned {
  pid_t pid = -1;
  UniqueFd pidfd;
  Failure failure;  // step kNone: it runs
};

// What the child reported; kNone if exec closed the pipe.
Failure hear(int reading) {
  Failure heard;
  ssize_t got = 0;
  do {
    got = read(reading, &heard, sizeof heard);
  } while (got < 0 && errno == EINTR);
  return got == sizeof heard ? heard : Failure{};
}

// On the spawning thread.
void spawn(Prepared child, Spawned& spawned) {
  Pipe report;
  Pipe go;
  if (!make_pipe(report) || !make_pipe(go)) {
    spawned.failure = Failure{Failure::kPrepare, errno};
    return;
  }
  child.report = report.writing.get();
  child.go = go.reading.get();
  spawned.pid = child.enclosure != nullptr ? child.enclosure->clone() : fork();
  if (spawned.pid == 0) {
    close(go.writing.get());  // else the end of the pipe would never be seen
    if (child.enclosure != nullptr) become_first_process(child);
    become_program(child);
  }
  if (spawned.pid < 0) {
    spawned.failure = child.enclosure != nullptr
                          ? Failure{Failure::kEnclose, errno, "making the namespaces"}
                          : Failure{Failure::kPrepare, errno};
    return;
  }
  report.writing.reset();
  spawned.pidfd.reset(static_cast<int>(syscall(SYS_pidfd_open, spawned.pid, 0)));
  const int pidfd_error = errno;
  if (spawned.pidfd && write(go.writing.get(), "g", 1) != 1) spawned.pidfd.reset();
  go.writing.reset();
  spawned.failure =
      spawned.pidfd ? hear(report.reading.get()) : Failure{Failure::kWatch, pidfd_error};
  if (spawned.failure.step != Failure::kNone) waitpid(spawned.pid, nullptr, 0);
}

// The one thread that starts child processes.
//
// Children ask the kernel to be killed when their parent dies (PR_SET_PDEATHSIG), so that even a
// kill -9 of esox leaves no server behind. But "parent" there means the parent *thread*: a server
// started by a worker thread would die when that worker ends. Hence one thread that lives as long
// as the process and does nothing but start children. It starts each on the cores that the asking
// thread is bound to, as a fork of that thread would have.
class Spawner {
 public:
  Spawner() : thread_([this] { loop(); }) {}

  // At the exit of the process: the children still alive die with the thread.
  ~Spawner() {
    {
      const std::lock_guard lock(mutex_);
      ending_ = true;
    }
    changed_.notify_all();
    thread_.join();
  }

  // Runs `job`, which must not throw, and waits for it. Any thread may call.
  void run(const std::function<void()>& job) {
    const std::lock_guard one_caller(callers_);
    std::unique_lock lock(mutex_);
    sched_getaffinity(0, sizeof cores_, &cores_);
    job_ = &job;
    changed_.notify_all();
    changed_.wait(lock, [this] { return job_ == nullptr; });
  }

 private:
  void loop() {
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, nullptr);  // signals are for esox's other threads
    std::unique_lock lock(mutex_);
    for (;;) {
      changed_.wait(lock, [this] { return job_ != nullptr || ending_; });
      if (job_ == nullptr) return;
      sched_setaffinity(0, sizeof cores_, &cores_);
      (*job_)();
      job_ = nullptr;
      changed_.notify_all();
    }
  }

  std::mutex callers_;
  std::mutex mutex_;
  std::condition_variable changed_;
  const std::function<void()>* job_ = nullptr;
  cpu_set_t cores_{};  // of the caller: children inherit them
  bool ending_ = false;
  std::thread thread_;
};

}  // namespace

std::vector<std::string> own_environment() {
  std::vector<std::string> variables;
  for (char** one = environ; one != nullptr && *one != nullptr; ++one) variables.emplace_back(*one);
  return variables;
}

std::string text_of(const ExitStatus& status) {
  if (status.signal == 0) return fmt::format("exit status {}", status.code);
  const char* name = sigabbrev_np(status.signal);
  return name == nullptr ? fmt::format("killed by signal {}", status.signal)
                         : fmt::format("killed by SIG{}", name);
}

Process::Process(const ProcessPlan& plan) {
  const Launch launch = launch_of(plan.program);
  std::vector<std::string> arguments = launch.words(plan.arguments);
  std::vector<std::string> environment = environment_of(plan);
  const std::vector<char*> argument_pointers = pointers_to(arguments);
  const std::vector<char*> environment_pointers = pointers_to(environment);
  const Prepared child{launch.executable.c_str(),
                       plan.folder.c_str(),
                       plan.input.c_str(),
                       plan.log.c_str(),
                       argument_pointers.data(),
                       environment_pointers.data(),
                       getpid(),
                       plan.output,
                       -1,
                       -1,
                       plan.enclosure};
  Spawned spawned;
  static Spawner spawner;
  spawner.run([&] { spawn(child, spawned); });
  if (spawned.failure.step != Failure::kNone) throw_failure(plan, spawned.failure);
  pid_ = spawned.pid;
  enclosed_ = plan.enclosure != nullptr;
  pidfd_ = std::move(spawned.pidfd);
}

void Process::reap(int options) {
  if (status_) return;
  siginfo_t info{};
  while (waitid(P_PIDFD, static_cast<id_t>(pidfd_.get()), &info, WEXITED | options) != 0) {
    if (errno == EINTR) continue;
    status_ = ExitStatus{};  // reaped by someone else: how it ended is not known
    return;
  }
  if (info.si_pid == 0) return;
  const bool exited = info.si_code == CLD_EXITED;
  status_ = ExitStatus{exited ? 0 : info.si_status, exited ? info.si_status : 0};
  constexpr int kSignalled = 128;  // see Enclosure::keep
  if (enclosed_ && exited && info.si_status > kSignalled) {
    status_ = ExitStatus{info.si_status - kSignalled, 0};
  }
}

std::optional<ExitStatus> Process::wait(std::chrono::milliseconds limit) {
  if (limit.count() > 0) {
    pollfd ended{pidfd_.get(), POLLIN, 0};
    using Clock = std::chrono::steady_clock;
    const auto end = Clock::now() + limit;
    while (poll(&ended, 1, static_cast<int>(std::max<int64_t>(limit.count(), 0))) < 0 &&
           errno == EINTR) {
      limit = std::chrono::ceil<std::chrono::milliseconds>(end - Clock::now());
    }
  }
  const std::lock_guard lock(mutex_);
  reap(WNOHANG);
  return status_;
}

void Process::send(int signal) {
  syscall(SYS_pidfd_send_signal, pidfd_.get(), signal, nullptr, 0);
}

void Process::terminate() {
  send(SIGTERM);
}

void Process::kill() {
  const std::lock_guard lock(mutex_);
  if (status_) return;
  send(SIGKILL);
  reap(0);
}

}  // namespace esox
