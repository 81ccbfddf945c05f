// SPDX-License-Identifier: Apache-2.0
// See command_fixture.h. Between fork and exec the child only sets itself up; this test program has
// no other threads.
#include "tests/integration/command_fixture.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sched.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>
#include <sstream>
#include <thread>

namespace esox {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;
using namespace std::chrono_literals;

void redirect(const fs::path& to, int fd) {
  const int file = open(to.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
  if (file < 0 || dup2(file, fd) < 0) _exit(126);
}

std::vector<char*> pointers(std::vector<std::string>& texts) {
  std::vector<char*> list;
  for (std::string& text : texts) list.push_back(text.data());
  list.push_back(nullptr);
  return list;
}

bool say_to(const char* file, const std::string& text) {
  const int fd = open(file, O_WRONLY | O_CLOEXEC);
  const bool said =
      fd >= 0 && ::write(fd, text.data(), text.size()) == static_cast<ssize_t>(text.size());
  if (fd >= 0) close(fd);
  return said;
}

// In a new user name space, which knows nobody yet.
bool become_itself(uid_t user, gid_t group) {
  return say_to("/proc/self/setgroups", "deny") &&
         say_to("/proc/self/gid_map", fmt::format("{0} {0} 1", group)) &&
         say_to("/proc/self/uid_map", fmt::format("{0} {0} 1", user));
}

}  // namespace

void mount_small(const std::filesystem::path& at, unsigned long flags, const char* options) {
  const uid_t user = geteuid();
  const gid_t group = getegid();  // before nobody is known any more
  const bool own = user == 0
                       ? unshare(CLONE_NEWNS) == 0
                       : unshare(CLONE_NEWNS | CLONE_NEWUSER) == 0 && become_itself(user, group);
  const bool mounted = own && mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) == 0 &&
                       mount("esox", at.c_str(), "tmpfs", flags, options) == 0;
  if (!mounted) _exit(kNoMount);
}

CommandTest::CommandTest() {
  fs::create_directory(folder());
}

CommandTest::~CommandTest() {
  if (child_ > 1) {
    kill(child_, SIGKILL);
    waitpid(child_, nullptr, 0);
  }
}

std::string CommandTest::shipped(const std::string& name) {
  return std::string(ESOX_SHIPPED) + "/" + name;
}

std::string CommandTest::write(const std::string& name, const std::string& text) const {
  std::ofstream(folder() / name) << text;
  return name;
}

std::string CommandTest::read(const fs::path& path) {
  std::ifstream file(path);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

pid_t CommandTest::start(const std::vector<std::string>& arguments,
                         const std::function<void()>& in_child) {
  std::vector<std::string> words = {ESOX_PROGRAM};
  words.insert(words.end(), arguments.begin(), arguments.end());
  const std::vector<char*> argv = pointers(words);
  child_ = fork();
  if (child_ == 0) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    redirect(folder_.path() / "out", 1);
    redirect(folder_.path() / "err", 2);
    setenv("TMPDIR", folder_.path().c_str(), 1);
    setenv("XDG_CACHE_HOME", ESOX_TEST_CACHE, 1);
    if (chdir(folder().c_str()) != 0) _exit(126);
    in_child();
    execv(ESOX_PROGRAM, argv.data());
    _exit(126);
  }
  return child_;
}

Said CommandTest::finish(std::chrono::seconds limit) {
  Said said;
  int status = 0;
  if (wait_until([&] { return waitpid(child_, &status, WNOHANG) == child_; }, limit)) {
    said.status = WIFEXITED(status) ? WEXITSTATUS(status) : 1000 + WTERMSIG(status);
  } else {
    kill(child_, SIGKILL);
    waitpid(child_, &status, 0);
  }
  child_ = -1;
  said.out = read(folder_.path() / "out");
  said.err = read(folder_.path() / "err");
  return said;
}

Said CommandTest::esox(const std::vector<std::string>& arguments, std::chrono::seconds limit,
                       const std::function<void()>& in_child) {
  start(arguments, in_child);
  return finish(limit);
}

fs::path CommandTest::hunt_until_found(const std::string& out, const std::vector<std::string>& more,
                                       bool diagnosed) {
  for (int seed = 1; seed <= 20; ++seed) {
    const std::string folder_name = out + std::to_string(seed);
    std::vector<std::string> arguments = {
        "hunt",         control(), "--engine", "Aria",
        "--executions", "10",      "--seed",   std::to_string(seed),
        "--no-gate",    "--out",   folder_name};
    if (!diagnosed) arguments.insert(arguments.end(), {"--diagnose-budget", "0"});
    arguments.insert(arguments.end(), more.begin(), more.end());
    const Said said = esox(arguments);
    EXPECT_THAT(said.status, testing::AnyOf(0, 1)) << said.err;
    const auto found = findings_in(folder() / folder_name);
    if (!found.empty()) return found.front();
  }
  ADD_FAILURE() << "the positive control was not found in 200 executions";
  return {};
}

std::vector<std::string> CommandTest::processes_left() const {
  std::vector<std::string> left;
  std::error_code error;
  for (const auto& process : fs::directory_iterator("/proc", error)) {
    const std::string line = read(process.path() / "cmdline");
    if (line.find(folder_.path().string()) != std::string::npos) left.push_back(line);
  }
  return left;
}

bool CommandTest::all_gone(std::chrono::seconds limit) const {
  return wait_until([this] { return processes_left().empty(); }, limit);
}

bool CommandTest::wait_until(const std::function<bool()>& true_now, std::chrono::seconds limit) {
  const auto end = Clock::now() + limit;
  while (!true_now()) {
    if (Clock::now() > end) return false;
    std::this_thread::sleep_for(10ms);
  }
  return true;
}

std::vector<fs::path> CommandTest::findings_in(const fs::path& out) {
  std::vector<fs::path> found;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(out / "findings", error)) {
    if (!entry.path().filename().string().starts_with(".")) found.push_back(entry.path());
  }
  return found;
}

}  // namespace esox
