// SPDX-License-Identifier: Apache-2.0
#include "base/process/spawner.h"

#include <pthread.h>
#include <sched.h>
#include <signal.h>

#include <condition_variable>
#include <mutex>
#include <thread>

namespace esox {
namespace {

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

void run_on_spawner(const std::function<void()>& job) {
  static Spawner spawner;
  spawner.run(job);
}

}  // namespace esox
