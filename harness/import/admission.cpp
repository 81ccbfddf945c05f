// SPDX-License-Identifier: Apache-2.0
#include "harness/import/admission.h"

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <exception>
#include <memory>
#include <mutex>
#include <thread>
#include <utility>

#include "base/process/server_error.h"
#include "harness/hunt/pinning.h"
#include "harness/import/trial.h"

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

// Server options, and the engine that may stand in them.
using Conditions = std::pair<std::vector<std::string>, std::string>;

Conditions conditions_of(const TrialGroup& group) {
  return {group.inputs.front()->input.server_options, group.engine};
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
    std::vector<TrialResult> results(group.inputs.size());
    try {
      const std::string failure = failure_under(conditions_of(group));
      if (!failure.empty()) throw ServerError(failure);
      results = trials_[worker]->run(group);
    } catch (const ServerError& error) {
      if (stopping()) throw Executor::Interrupted{};
      for (TrialResult& result : results) {
        result.rejected = "the server fails";
        result.detail = error.what();
      }
      find_out(worker, group, error.what());
    }
    const std::lock_guard lock(mutex_);
    for (size_t i = 0; i < results.size(); ++i) {
      results_.push_back({{group.inputs[i]->input.id, group.engine}, std::move(results[i])});
    }
  }

  // What the server said when it failed under these options; empty if it did not.
  std::string failure_under(const Conditions& conditions) {
    const std::lock_guard lock(mutex_);
    const auto found = failures_.find(conditions);
    return found == failures_.end() ? "" : found->second;
  }

  // A server has failed. Was it the input, the options that it wants, or is it all servers' lot?
  // The last is thrown; options that are at fault are not tried again.
  void find_out(size_t worker, const TrialGroup& group, const std::string& failure) {
    const Conditions conditions = conditions_of(group);
    if (!failure_under(conditions).empty()) return;
    auto fresh = std::make_unique<Trial>(server_, options_);
    fresh->run(harmless({}, ""));
    bool options_at_fault = false;
    try {
      Trial(server_, options_).run(harmless(conditions.first, conditions.second));
    } catch (const ServerError&) {
      options_at_fault = true;
    }
    const std::lock_guard lock(mutex_);
    trials_[worker] = std::move(fresh);
    if (options_at_fault) failures_[conditions] = failure;
  }

  // A group of one input that does next to nothing; it lives until the next call.
  TrialGroup harmless(const std::vector<std::string>& options, const std::string& engine) {
    thread_local ImportedInput input;
    input = {};
    input.input.id = "harmless";
    input.input.language = groups_.front().inputs.front()->input.language;
    input.input.server_options = options;
    input.input.clients = {{"A", {}, {{input.input.language->harmless(), false}}}};
    return {{&input}, engine};
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
  std::map<Conditions, std::string> failures_;
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
