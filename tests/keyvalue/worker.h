// SPDX-License-Identifier: Apache-2.0
// Requests by a queue: the threads of the connections only read, one worker executes and answers
// (--worker). A shape that many servers have and that esox does not hold yet; it has to say so. Or
// what a request sets going beside itself (--onlooker).
//
// hand() may be called by any thread.
#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>

namespace keyvalue {

class Worker {
 public:
  Worker() {
    std::thread([this] { work(); }).detach();
  }

  void hand(std::function<void()> job) {
    const std::lock_guard lock(mutex_);
    jobs_.push_back(std::move(job));
    changed_.notify_one();
  }

 private:
  [[noreturn]] void work() {
    std::unique_lock lock(mutex_);
    while (true) {
      changed_.wait(lock, [this] { return !jobs_.empty(); });
      const std::function<void()> job = std::move(jobs_.front());
      jobs_.pop_front();
      lock.unlock();
      job();
      lock.lock();
    }
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::function<void()>> jobs_;
};

}  // namespace keyvalue
