// SPDX-License-Identifier: Apache-2.0
#include "harness/findings/replay/debugger.h"

#include <fmt/format.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstring>

#include "base/process/server_error.h"

namespace esox {
namespace {

// Of gdb's echo and of a Python text: nothing that ends either.
std::string plain(const std::string& text) {
  std::string line;
  for (const char c : text) {
    const bool odd = c < ' ' || c == '"' || c == '\\' || c == '\x7f';
    line += odd ? '\'' : c;
  }
  return line;
}

}  // namespace

std::string debugger_script(const ParkedServer& server, const DebuggerView& view) {
  std::string script =
      "set pagination off\n"
      "python\n"
      "names = {}\n";
  for (size_t i = 0; i < server.threads.size() && i < view.clients.size(); ++i) {
    script += fmt::format("names[{}] = \"client {}\"\n", server.threads[i], plain(view.clients[i]));
  }
  const pid_t stands = view.stands < server.threads.size() ? server.threads[view.stands] : 0;
  script += fmt::format(
      "for thread in gdb.selected_inferior().threads():\n"
      "  if thread.ptid[1] in names: thread.name = names[thread.ptid[1]]\n"
      "  if thread.ptid[1] == {}: thread.switch()\n"
      "end\n",
      stands);
  for (const std::string& line : view.description) script += "echo " + plain(line) + "\\n\n";
  return script;
}

std::vector<std::string> debugger_line(pid_t pid, const std::string& script_file,
                                       const std::vector<std::string>& commands) {
  std::vector<std::string> line = {"gdb", "--quiet", "-p", std::to_string(pid), "-x", script_file};
  if (commands.empty()) return line;
  line.insert(line.begin() + 1, "--batch");
  for (const std::string& command : commands) {
    line.emplace_back("-ex");
    line.push_back(command);
  }
  return line;
}

int run_debugger(const std::vector<std::string>& line) {
  std::vector<std::string> words = line;
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  // Signals that esox waits for elsewhere are gdb's own business: Ctrl-C stops its program.
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  sigset_t none;
  sigset_t defaults;
  sigemptyset(&none);
  sigemptyset(&defaults);
  for (const int one : {SIGINT, SIGTERM, SIGHUP, SIGPIPE, SIGXFSZ}) sigaddset(&defaults, one);
  posix_spawnattr_setsigmask(&attributes, &none);
  posix_spawnattr_setsigdefault(&attributes, &defaults);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
  pid_t child = -1;
  const int error =
      posix_spawnp(&child, arguments[0], nullptr, &attributes, arguments.data(), environ);
  posix_spawnattr_destroy(&attributes);
  if (error != 0) {
    throw ServerError(
        fmt::format("cannot start {}: {}; install it, or use --gdb=print and any debugger",
                    line.front(), std::strerror(error)));
  }
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

}  // namespace esox
