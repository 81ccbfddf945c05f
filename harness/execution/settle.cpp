// SPDX-License-Identifier: Apache-2.0
#include "harness/execution/settle.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <set>
#include <string>
#include <string_view>
#include <thread>

namespace esox {
namespace {

constexpr std::chrono::microseconds kSlice{250};
constexpr size_t kMostBytes = 512;  // that are read of a file; what is asked for comes first

// Nothing if the thread has ended: then the kernel finds nobody to speak of.
class Line {
 public:
  explicit Line(const UniqueFd& file) : size_(pread(file.get(), bytes_, sizeof bytes_, 0)) {}
  bool there() const { return size_ > 0; }
  std::string_view text() const { return {bytes_, static_cast<size_t>(size_)}; }

 private:
  char bytes_[kMostBytes];
  ssize_t size_;
};

// proc(5), stat: the state follows the name, which may itself hold brackets.
bool sleeps(const UniqueFd& stat) {
  const Line line(stat);
  if (!line.there()) return false;
  const size_t close = line.text().rfind(')');
  if (close == std::string_view::npos || close + 2 >= line.text().size()) return false;
  const char state = line.text()[close + 2];
  return state != 'R' && state != 'D';
}

// The third number of schedstat: how often the thread was given a processor.
std::optional<uint64_t> runs_of(const UniqueFd& schedstat) {
  const Line line(schedstat);
  if (!line.there()) return std::nullopt;
  const std::string_view text = line.text();
  const size_t third = text.rfind(' ');
  uint64_t runs = 0;
  if (third == std::string_view::npos) return std::nullopt;
  std::from_chars(text.data() + third + 1, text.data() + text.size(), runs);
  return runs;
}

}  // namespace

RestWatch::RestWatch(pid_t pid) : tasks_(opendir(fmt::format("/proc/{}/task", pid).c_str())) {}

// False if they are others than last time.
bool RestWatch::list_threads() {
  rewinddir(tasks_.get());
  std::set<pid_t> there;
  bool same = true;
  while (const dirent* entry = readdir(tasks_.get())) {
    if (entry->d_name[0] == '.') continue;
    const pid_t tid = std::stoi(entry->d_name);
    there.insert(tid);
    if (threads_.contains(tid)) continue;
    same = false;
    const auto open_file = [&](const char* name) {
      const std::string path = fmt::format("{}/{}", entry->d_name, name);
      return UniqueFd(openat(dirfd(tasks_.get()), path.c_str(), O_RDONLY | O_CLOEXEC));
    };
    threads_.emplace(tid, Files{open_file("stat"), open_file("schedstat")});
  }
  const size_t gone =
      std::erase_if(threads_, [&](const auto& thread) { return !there.contains(thread.first); });
  return same && gone == 0;
}

bool RestWatch::all_sleep() const {
  return std::all_of(threads_.begin(), threads_.end(),
                     [](const auto& thread) { return sleeps(thread.second.stat); });
}

std::optional<uint64_t> RestWatch::runs() const {
  uint64_t sum = 0;
  for (const auto& [tid, files] : threads_) {
    const std::optional<uint64_t> runs = runs_of(files.schedstat);
    if (!runs) return std::nullopt;
    sum += *runs;
  }
  return sum;
}

// A thread may wake another one and fall asleep between our looks at the two. So what each had run
// is read before its state, and once more after all states: if nobody has run from the first
// reading to the second, all slept at one moment, that between the states and the second reading.
bool RestWatch::settle(std::chrono::milliseconds limit) {
  if (tasks_ == nullptr) return false;
  const auto until = std::chrono::steady_clock::now() + limit;
  while (true) {
    list_threads();
    const std::optional<uint64_t> before = runs();
    const bool asleep = all_sleep();
    const bool there = !threads_.empty();
    if (there && asleep && before && runs() == before && list_threads()) return true;
    if (std::chrono::steady_clock::now() >= until) return false;
    std::this_thread::sleep_for(kSlice);
  }
}

}  // namespace esox
