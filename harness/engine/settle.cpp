// SPDX-License-Identifier: Apache-2.0
// A setup comes here after each statement and connection, and each look is at two files of each
// thread: so they are read by plain system calls. None is kept open in between: a hunt has many
// workers, and a client that finds no descriptor left cannot connect.
#include "harness/engine/settle.h"

#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "base/process/unique_fd.h"

namespace esox {
namespace {

constexpr std::chrono::microseconds kSlice{250};
constexpr size_t kMostBytes = 512;  // that are read of a file; what is asked for comes first

struct CloseFolder {
  void operator()(DIR* folder) const { closedir(folder); }
};

class Threads {
 public:
  explicit Threads(pid_t pid) : folder_(opendir(fmt::format("/proc/{}/task", pid).c_str())) {}
  bool there() const { return folder_ != nullptr; }

  std::vector<std::string> list() const {
    rewinddir(folder_.get());
    std::vector<std::string> threads;
    while (const dirent* entry = readdir(folder_.get())) {
      if (entry->d_name[0] != '.') threads.emplace_back(entry->d_name);
    }
    return threads;
  }

  // Empty if the thread has ended.
  std::string read(const std::string& thread, const char* file) const {
    const std::string path = fmt::format("{}/{}", thread, file);
    const UniqueFd fd(openat(dirfd(folder_.get()), path.c_str(), O_RDONLY | O_CLOEXEC));
    char text[kMostBytes];
    const ssize_t bytes = ::read(fd.get(), text, sizeof text);
    return {text, static_cast<size_t>(std::max<ssize_t>(bytes, 0))};
  }

 private:
  std::unique_ptr<DIR, CloseFolder> folder_;
};

// proc(5), stat: the state follows the name, which may itself hold brackets.
bool sleeps(const std::string& stat) {
  const size_t close = stat.rfind(')');
  if (close == std::string::npos || close + 2 >= stat.size()) return false;
  const char state = stat[close + 2];
  return state != 'R' && state != 'D';
}

// The third number of schedstat: how often the thread was given a processor.
std::optional<uint64_t> runs_of(const std::string& schedstat) {
  const size_t third = schedstat.rfind(' ');
  uint64_t runs = 0;
  if (third == std::string::npos) return std::nullopt;
  std::from_chars(schedstat.data() + third + 1, schedstat.data() + schedstat.size(), runs);
  return runs;
}

// Of all of them; nothing if one has ended.
std::optional<uint64_t> runs_of(const Threads& threads, const std::vector<std::string>& list) {
  uint64_t sum = 0;
  for (const std::string& thread : list) {
    const std::optional<uint64_t> runs = runs_of(threads.read(thread, "schedstat"));
    if (!runs) return std::nullopt;
    sum += *runs;
  }
  return sum;
}

// A thread may wake another one and fall asleep between our looks at the two. So what each had run
// is read before its state, and once more after all states: if nobody has run from the first
// reading to the second, all slept at one moment, that between the states and the second reading.
bool rests(const Threads& threads) {
  const std::vector<std::string> list = threads.list();
  const std::optional<uint64_t> before = runs_of(threads, list);
  if (list.empty() || !before) return false;
  for (const std::string& thread : list) {
    if (!sleeps(threads.read(thread, "stat"))) return false;
  }
  return runs_of(threads, list) == before && threads.list() == list;
}

}  // namespace

bool settle(pid_t pid, std::chrono::milliseconds limit) {
  const auto until = std::chrono::steady_clock::now() + limit;
  const Threads threads(pid);
  while (threads.there()) {
    if (rests(threads)) return true;
    if (std::chrono::steady_clock::now() >= until) return false;
    std::this_thread::sleep_for(kSlice);
  }
  return false;
}

}  // namespace esox
