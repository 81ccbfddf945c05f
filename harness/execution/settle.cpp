// SPDX-License-Identifier: Apache-2.0
#include "harness/execution/settle.h"

#include <fmt/format.h>

#include <filesystem>
#include <fstream>
#include <optional>
#include <string>
#include <system_error>
#include <thread>

namespace esox {
namespace {

constexpr std::chrono::microseconds kSlice{250};

// proc(5), stat: the state follows the name, which may itself hold brackets.
bool sleeps(const std::filesystem::path& task) {
  std::ifstream file(task / "stat");
  std::string text;
  std::getline(file, text);
  const size_t close = text.rfind(')');
  if (close == std::string::npos || close + 2 >= text.size()) return true;  // just gone
  const char state = text[close + 2];
  return state != 'R' && state != 'D';
}

// The third number of schedstat: how often the thread was given a processor.
uint64_t runs(const std::filesystem::path& task) {
  std::ifstream file(task / "schedstat");
  uint64_t on_cpu_ns = 0;
  uint64_t waiting_ns = 0;
  uint64_t slices = 0;
  file >> on_cpu_ns >> waiting_ns >> slices;
  return slices;
}

// The sum over all threads, if all sleep. A thread may wake another one and fall asleep between our
// looks at the two; then the sum grows until the next look.
std::optional<uint64_t> runs_if_asleep(pid_t pid) {
  std::error_code error;
  uint64_t sum = 0;
  for (const auto& task :
       std::filesystem::directory_iterator(fmt::format("/proc/{}/task", pid), error)) {
    if (!sleeps(task.path())) return std::nullopt;
    sum += runs(task.path());
  }
  if (error) return std::nullopt;
  return sum;
}

}  // namespace

bool settle(pid_t pid, std::chrono::milliseconds limit) {
  const auto until = std::chrono::steady_clock::now() + limit;
  std::optional<uint64_t> last;
  while (true) {
    const std::optional<uint64_t> now = runs_if_asleep(pid);
    if (now && now == last) return true;
    last = now;
    if (std::chrono::steady_clock::now() >= until) return false;
    std::this_thread::sleep_for(kSlice);
  }
}

}  // namespace esox
