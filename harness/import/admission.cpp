// SPDX-License-Identifier: Apache-2.0
// See admission.h.
#include "harness/import/admission.h"

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <exception>
#include <memory>
#include <mutex>
#include <thread>
#include <utility>

#include "harness/hunt/pinning.h"
#include "harness/import/trial.h"
#include "harness/server/server_error.h"

namespace esox {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::chrono::milliseconds kTick{500};
// How long the trials under way may go on once all is to end.
constexpr std::chrono::seconds kEndingGrace{3};
constexpr size_t kChunk = 8;  // groups a worker takes at a time: neighbours want the same server

std::vector<TrialGroup> untried(const std::vector<ImportedInput>& inputs,
                                const std::map<TrialKey, TrialResult>& done) {
  std::vector<std::pair<const ImportedInput*, std::string>> wanted;
  for (const ImportedInput& one : inputs) {
    std::vector<std::string> engines = one.input.engines;
    if (engines.empty()) engines.emplace_back();
    for (const std::string& engine : engines) {
      if (!done.contains({one.input.id, engine})) wanted.emplace_back(&one, engine);
    }
  }
  return groups_for_trial(wanted);
}

size_t inputs_of(const std::vector<TrialGroup>& groups) {
  size_t sum = 0;
  for (const TrialGroup& group : groups) sum += group.inputs.size();
  return sum;
}

class Admission {
 public:
  Admission(Server& server, const ExecutorOptions& options, std::vector<TrialGroup> groups,
            const std::atomic<bool>& stop)
      : server_(server), options_(options), groups_(std::move(groups)), stop_(stop) {}

  // `done`: those of an earlier call.
  void run(Corpus& corpus, unsigned jobs, const std::map<TrialKey, TrialResult>& done,
           const std::function<void(const AdmissionProgress&)>& show) {
    std::vector<std::thread> workers;
    for (unsigned i = 0; i < jobs; ++i) {
      const std::lock_guard lock(mutex_);
      trials_.push_back(std::make_unique<Trial>(server_, options_));
      ++working_;
    }
    for (unsigned i = 0; i < jobs; ++i) workers.emplace_back([this, i, jobs] { work(i, jobs); });
    try {
      watch(corpus, done, show);
    } catch (...) {
      fail(std::current_exception());
    }
    for (std::thread& worker : workers) worker.join();
    if (failure_) std::rethrow_exception(failure_);
  }

 private:
  bool stopping() const { return stop_.load() || failed_.load(); }

  void fail(const std::exception_ptr& failure) {
    const std::lock_guard lock(mutex_);
    if (!failure_) failure_ = failure;
    failed_.store(true);
  }

  void work(unsigned worker, unsigned jobs) {
    try {
      const CorePin pin(worker, jobs);
      for (std::pair<size_t, size_t> chunk = take(); chunk.first < chunk.second; chunk = take()) {
        for (size_t i = chunk.first; i < chunk.second && !stopping(); ++i) {
          attempt(worker, groups_[i]);
        }
      }
    } catch (const Executor::Interrupted&) {
      // It ends.
    } catch (...) {
      fail(std::current_exception());
    }
    const std::lock_guard lock(mutex_);
    --working_;
    changed_.notify_all();
  }

  std::pair<size_t, size_t> take() {
    const std::lock_guard lock(mutex_);
    if (stopping()) return {0, 0};
    const size_t first = next_;
    next_ = std::min(groups_.size(), next_ + kChunk);
    return {first, next_};
  }

  void attempt(size_t worker, const TrialGroup& group) {
    std::vector<TrialResult> results;
    try {
      results = trials_[worker]->run(group);
    } catch (const ServerError& error) {
      if (stopping()) throw Executor::Interrupted{};
      TrialResult failed;
      failed.rejected = "the server fails";
      failed.detail = error.what();
      results.assign(group.inputs.size(), failed);
      renew(worker);
    }
    const std::lock_guard lock(mutex_);
    for (size_t i = 0; i < results.size(); ++i) {
      results_.push_back({{group.inputs[i]->input.id, group.engine}, std::move(results[i])});
    }
  }

  // A server that fails may be the input's doing: options that it cannot have. If one fails without
  // any, it is not; then that is thrown.
  void renew(size_t worker) {
    ImportedInput harmless;
    harmless.input.id = "harmless";
    harmless.input.clients = {{"A", {}, {{"SELECT 1", false}}}};
    harmless.input.server = groups_.front().inputs.front()->input.server;
    if (harmless.input.server != kMariadb) harmless.input.clients[0].requests[0].text = "get k";
    auto fresh = std::make_unique<Trial>(server_, options_);
    fresh->run({{&harmless}, ""});
    const std::lock_guard lock(mutex_);
    trials_[worker] = std::move(fresh);
  }

  void watch(Corpus& corpus, const std::map<TrialKey, TrialResult>& done,
             const std::function<void(const AdmissionProgress&)>& show) {
    AdmissionProgress progress{done.size(), done.size() + inputs_of(groups_), 0};
    for (const auto& [key, result] : done) progress.admitted += result.admitted() ? 1 : 0;
    Clock::time_point ending;
    for (bool working = true; working;) {
      std::vector<std::pair<TrialKey, TrialResult>> results;
      {
        std::unique_lock lock(mutex_);
        changed_.wait_for(lock, kTick, [this] { return working_ == 0; });
        working = working_ > 0;
        results.swap(results_);
      }
      corpus.add_trials(results);
      progress.done += results.size();
      for (const auto& [key, result] : results) progress.admitted += result.admitted() ? 1 : 0;
      show(progress);
      if (!stopping()) ending = Clock::now();
      if (stopping() && Clock::now() - ending > kEndingGrace) {
        const std::lock_guard lock(mutex_);
        for (const auto& trial : trials_) trial->interrupt();
      }
    }
  }

  Server& server_;
  const ExecutorOptions& options_;
  const std::vector<TrialGroup> groups_;
  const std::atomic<bool>& stop_;
  // By worker, whose alone it is; but others may interrupt it under the lock.
  std::vector<std::unique_ptr<Trial>> trials_;
  std::atomic<bool> failed_{false};

  std::mutex mutex_;  // guards what follows
  std::condition_variable changed_;
  size_t next_ = 0;
  size_t working_ = 0;
  std::vector<std::pair<TrialKey, TrialResult>> results_;  // not yet kept
  std::exception_ptr failure_;
};

}  // namespace

void try_inputs(Server& server, const ExecutorOptions& options,
                const std::vector<ImportedInput>& inputs, Corpus& corpus, unsigned jobs,
                const std::atomic<bool>& stop,
                const std::function<void(const AdmissionProgress&)>& show) {
  const std::map<TrialKey, TrialResult> done = corpus.trials();
  std::vector<TrialGroup> groups = untried(inputs, done);
  if (groups.empty()) return;
  Admission(server, options, std::move(groups), stop).run(corpus, jobs, done, show);
}

}  // namespace esox
