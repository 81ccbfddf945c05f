// SPDX-License-Identifier: Apache-2.0
// esox generate: epoch after epoch (epoch.h) into a corpus (made_corpus.h), by several workers, for
// as long as there is budget.
//
// Each worker is a thread with an executor, and so with a server, of its own. The thread that calls
// run() plans epochs, waits for the workers, and keeps what came of an epoch in one transaction.
// One that is not over when the time is, or when esox is stopped or killed, is as if it had never
// begun: called again, generation does it again, with the same outcome. So the corpus after an
// epoch does not depend on how often it was interrupted, nor on the number of workers.
#pragma once

#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "harness/engine/executor.h"
#include "harness/generate/epoch.h"
#include "harness/generate/made_corpus.h"

namespace esox {

struct GenerationSettings {
  FunnelSettings funnel;
  unsigned jobs = 1;
  std::optional<std::chrono::milliseconds> budget;  // of this launch
  std::optional<uint64_t> executions;               // of all launches: no epoch begins beyond
};

struct GenerationProgress {
  double seconds = 0;        // of this launch
  uint64_t executed = 0;     // concurrent executions in it
  bool epoch_ended = false;  // since the last call
};

class Generation {
 public:
  using Watcher = std::function<void(const GenerationProgress&, const GenerationState&)>;

  // All outlive it. `state` is that of the corpus.
  Generation(const ExecutorFactory& executors, GenerationState& state, Maker& maker,
             MadeCorpus& corpus, std::vector<Input> taught, GenerationSettings settings,
             const std::atomic<bool>& stop);
  ~Generation();

  // Once. `watcher` is called a few times a second, and after each epoch. Throws ServerError,
  // OutError, DatabaseError.
  void run(const Watcher& watcher);

  const std::vector<std::unique_ptr<Executor>>& executors() const { return executors_; }

 private:
  using Clock = std::chrono::steady_clock;
  class Workers;

  bool stopping() const { return stop_.load() || ending_.load(); }
  bool may_begin() const;
  bool run_epoch(const Watcher& watcher);
  bool ask_setups(const std::vector<MutantGroup*>& unknown, const Watcher& watcher);
  void teach_again();
  // `work` for each of so many things, by the workers; meanwhile the watcher is called. False: it
  // was ended early.
  bool share(size_t count, const std::function<void(Executor&, size_t)>& work,
             const Watcher& watcher);
  void look_at_the_time();
  GenerationProgress progress() const;

  GenerationState& state_;
  Maker& maker_;
  MadeCorpus& corpus_;
  const std::vector<Input> taught_;
  const GenerationSettings settings_;
  const std::atomic<bool>& stop_;
  std::atomic<bool> ending_{false};
  std::vector<std::unique_ptr<Executor>> executors_;  // by worker
  std::atomic<uint64_t> executed_{0};
  Clock::time_point began_;
  std::optional<Clock::time_point> ending_since_;
  double epochs_s_ = 0;  // what the epochs of this launch took
  uint64_t epochs_ = 0;
};

}  // namespace esox
