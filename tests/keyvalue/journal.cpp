// SPDX-License-Identifier: Apache-2.0
#include "tests/keyvalue/journal.h"

#include <utility>

#include "tests/keyvalue/bugs.h"

namespace keyvalue {

void Journal::append(std::string line) {
  std::unique_lock lock(mutex_);
  queue_.push_back(std::move(line));
  const uint64_t number = ++queued_;
  if (!writing_) {
    write_queue(lock);
    return;
  }
  if (has("early-reply")) return;
  while (written_ < number) {
    gap(lock, "lost-wakeup");
    written_more_.wait(lock);
  }
}

void Journal::write_queue(std::unique_lock<std::mutex>& lock) {
  writing_ = true;
  while (!queue_.empty()) {
    const std::vector<std::string> group = std::exchange(queue_, {});
    lock.unlock();
    {
      const std::lock_guard file(file_mutex_);
      lines_.insert(lines_.end(), group.begin(), group.end());
    }
    lock.lock();
    written_ += group.size();
    written_more_.notify_all();
  }
  writing_ = false;
}

std::vector<std::string> Journal::lines() {
  const std::lock_guard file(file_mutex_);
  return lines_;
}

void Journal::clear() {
  const std::lock_guard file(file_mutex_);
  lines_.clear();
}

}  // namespace keyvalue
