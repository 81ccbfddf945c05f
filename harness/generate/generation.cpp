// SPDX-License-Identifier: Apache-2.0
#include "harness/generate/generation.h"

#include <algorithm>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <optional>
#include <thread>

#include "harness/engine/executor.h"
#include "harness/generate/asked_holdings.h"
#include "harness/hunt/pinning.h"

namespace esox {
namespace {

constexpr std::chrono::milliseconds kTick{200};
// How long the executions under way may go on once all is to end.
constexpr std::chrono::seconds kEndingGrace{5};
// No epoch begins of which less than this part would be over in time.
constexpr double kWorthBeginning = 0.7;

double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

}  // namespace

// Threads that do what is shared among them; joined whatever happens.
class Generation::Workers {
 public:
  Workers(Generation& owner, size_t count, const std::function<void(Executor&, size_t)>& work)
      : owner_(owner), count_(count), work_(work), working_(owner.executors_.size()) {
    for (size_t i = 0; i < owner_.executors_.size(); ++i) {
      threads_.emplace_back([this, i] { loop(i); });
    }
  }
  ~Workers() {
    for (std::thread& thread : threads_) thread.join();
  }
  Workers(const Workers&) = delete;
  Workers& operator=(const Workers&) = delete;

  // False: the time was over before all had ended.
  bool wait() {
    std::unique_lock lock(mutex_);
    return changed_.wait_for(lock, kTick, [this] { return working_ == 0; });
  }
  void rethrow() const {
    if (failure_) std::rethrow_exception(failure_);
  }

 private:
  void loop(size_t worker) {
    try {
      const CorePin pin(worker, owner_.executors_.size());
      for (size_t i = next_++; i < count_ && !owner_.stopping(); i = next_++) {
        work_(*owner_.executors_[worker], i);
      }
    } catch (const Executor::Interrupted&) {
      owner_.ending_.store(true);
    } catch (...) {
      const std::lock_guard lock(mutex_);
      if (!failure_) failure_ = std::current_exception();
      owner_.ending_.store(true);
    }
    const std::lock_guard lock(mutex_);
    --working_;
    changed_.notify_all();
  }

  Generation& owner_;
  const size_t count_;
  const std::function<void(Executor&, size_t)>& work_;
  std::atomic<size_t> next_{0};
  std::mutex mutex_;
  std::condition_variable changed_;
  size_t working_;
  std::exception_ptr failure_;
  std::vector<std::thread> threads_;
};

Generation::Generation(const ExecutorFactory& executors, GenerationState& state, Maker& maker,
                       MadeCorpus& corpus, std::vector<Input> taught, GenerationSettings settings,
                       const std::atomic<bool>& stop)
    : state_(state),
      maker_(maker),
      corpus_(corpus),
      taught_(std::move(taught)),
      settings_(std::move(settings)),
      stop_(stop),
      began_(Clock::now()) {
  for (unsigned i = 0; i < settings_.jobs; ++i) executors_.push_back(executors({}));
}

Generation::~Generation() = default;

void Generation::run(const Watcher& watcher) {
  began_ = Clock::now();
  teach_again();
  maker_.restore(state_.templates, state_.made);
  while (may_begin() && run_epoch(watcher)) {
  }
  std::vector<std::pair<uint64_t, double>> energies;
  for (const CorpusMember& one : state_.members) {
    energies.emplace_back(one.number, energy_of(one, state_.counts));
  }
  corpus_.rank(energies);
}

// What it was taught in the epochs that are over.
void Generation::teach_again() {
  const size_t known = std::min<uint64_t>(taught_.size(), state_.epochs * kTaughtOfEpoch);
  for (size_t i = 0; i < known; ++i) {
    const auto holdings = state_.holdings.find(setup_key(taught_[i]));
    if (holdings != state_.holdings.end()) maker_.teach(taught_[i], holdings->second);
  }
}

bool Generation::may_begin() const {
  if (stopping()) return false;
  if (settings_.executions && state_.totals.executions >= *settings_.executions) return false;
  if (!settings_.budget || epochs_ == 0) return true;
  const double left =
      std::chrono::duration<double>(*settings_.budget).count() - seconds_since(began_);
  return left > kWorthBeginning * epochs_s_ / static_cast<double>(epochs_);
}

bool Generation::run_epoch(const Watcher& watcher) {
  const auto start = Clock::now();
  GenerationEpoch epoch(state_, maker_, taught_);
  do {
    if (!ask_setups(epoch.unknown_setups(), watcher)) return false;
  } while (epoch.draw_anew());
  epoch.make_mutants();
  const bool executed = share(
      epoch.groups().size(),
      [&](Executor& executor, size_t i) {
        run_group(executor, epoch.groups()[i], state_, settings_.funnel, ending_, executed_);
      },
      watcher);
  if (!executed) return false;
  const EpochChanges changes = epoch.fold(corpus_.folder() / "findings");
  corpus_.keep(state_, changes);
  epochs_s_ += seconds_since(start);
  ++epochs_;
  GenerationProgress now = progress();
  now.epoch_ended = true;
  watcher(now, state_);
  return true;
}

bool Generation::ask_setups(const std::vector<MutantGroup*>& unknown, const Watcher& watcher) {
  std::vector<std::optional<Holdings>> answers(unknown.size());
  const auto ask = [&](Executor& executor, size_t i) {
    answers[i] = asked_holdings(executor, unknown[i]->setup);
  };
  if (!share(unknown.size(), ask, watcher)) return false;
  for (size_t i = 0; i < unknown.size(); ++i) {
    if (answers[i]) state_.holdings[setup_key(unknown[i]->setup)] = std::move(*answers[i]);
  }
  return true;
}

bool Generation::share(size_t count, const std::function<void(Executor&, size_t)>& work,
                       const Watcher& watcher) {
  Workers workers(*this, count, work);
  while (!workers.wait()) {
    look_at_the_time();
    watcher(progress(), state_);
  }
  look_at_the_time();
  workers.rethrow();
  return !stopping();
}

void Generation::look_at_the_time() {
  const bool over = settings_.budget && Clock::now() - began_ >= *settings_.budget;
  if (over || stop_.load()) ending_.store(true);
  if (!ending_.load()) return;
  if (!ending_since_) ending_since_ = Clock::now();
  if (Clock::now() - *ending_since_ < kEndingGrace) return;
  for (auto& executor : executors_) executor->interrupt();
}

GenerationProgress Generation::progress() const {
  return {seconds_since(began_), executed_.load(), false};
}

}  // namespace esox
