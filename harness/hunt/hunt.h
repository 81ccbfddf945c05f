// SPDX-License-Identifier: Apache-2.0
// A hunt: many inputs explored by several workers, for as long as there is budget.
//
// Each worker is a thread with an executor, and so with a server, of its own; it takes a batch from
// the plan, explores, and keeps what it finds on disk at once. The thread that calls run() does no
// executions: it watches the budget and the wish to stop, tells of the progress, and saves
// hunt.json every few seconds. So whatever ends the hunt - its budget, a signal, an error, kill -9
// - nothing found is lost.
//
// With a HuntState (hunt_state.h), what each batch gave is kept when it is over, and a hunt begun
// with the state of an earlier launch goes on where that one was: with the same executions,
// verdicts and findings as if it had never ended. Findings of a batch that was not over are on disk
// already; they are met again when the batch is executed again (leftovers).
//
// An error in one worker (a setup that fails, a server that does not start twice in a row, a full
// disk) ends the hunt for all; run() returns normally and leaves it in failure().
//
// A worker whose execution does not end for very long is freed: its server is killed, it goes on
// with a new one, and the input gets no further batch.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <exception>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "analysis/finding.h"
#include "harness/engine/executor.h"
#include "harness/hunt/exploration.h"
#include "harness/hunt/leftover_findings.h"
#include "harness/records/hunt_progress.h"
#include "harness/records/hunt_state.h"
#include "harness/records/report.h"
#include "harness/records/tally.h"
#include "harness/search/plan.h"

namespace esox {

struct HuntSettings {
  ExplorationSettings exploration;
  std::map<std::string, std::string> control;  // of its executors; as Finding::control
  FindingServer server;                        // for the findings
  std::string esox_version;
  std::string not_summarised;      // for the report: parts of the state that are not told, and why
  uint64_t executions_each = 300;  // at most, per input and engine
  std::optional<std::chrono::milliseconds> budget;
  unsigned jobs = 1;
  std::filesystem::path out;  // made by make_out before run()
  size_t wave = kWave;  // so many explorations have their first batch before any has its second
  // Keys (triage/signature.h) of the families that are known already: these earn an input no time.
  std::set<std::string> known_families;
  std::chrono::milliseconds stuck_after{300'000};  // an execution that takes longer
  // An input whose setup fails is left out; else the hunt ends with it.
  bool skip_failing_setups = false;
};

// What a hunt did with one input on one engine.
struct InputAccount {
  std::string input;
  std::string engine;
  uint64_t executions = 0;
  uint64_t findings = 0;
  ConflictTable conflicts;  // all that it has shown
};

class Hunt {
 public:
  using Watcher = std::function<void(const HuntReport&)>;

  // Every worker has an executor of its own, whose meter is the hunt's. `stop` outlives the hunt.
  // Once it is set, the executions under way are the last ones.
  Hunt(ExecutorFactory executors, std::vector<ConcreteInput> inputs, HuntSettings settings,
       const std::atomic<bool>& stop);
  ~Hunt();
  Hunt(const Hunt&) = delete;
  Hunt& operator=(const Hunt&) = delete;

  // Before gate() and run(), if at all: from here on it keeps there how far it is, and goes on from
  // where that state is. Throws FindingError, OutError.
  void use(std::shared_ptr<HuntState> state);

  // Before run(), if at all. Throws SetupError, ServerError.
  GateReport gate();

  // Once. `watcher` is called several times a second by the calling thread. Throws only what
  // `watcher` throws; then, too, all workers have ended.
  void run(const Watcher& watcher);

  // What ended run() early; null if nothing did.
  std::exception_ptr failure() const { return failure_; }

  // Whether all was executed that was asked for; after run().
  bool finished() const { return plan_.exhausted() && !cut_short_.load(); }

  HuntReport report() const;  // a copy; any thread
  // What was not told in an earlier launch, of the inputs that were executed at all, in their
  // order; after run(). Told from then on.
  std::vector<InputAccount> tell_accounts();
  // To be filled in by those who know, before run().
  void set_skipped(std::vector<SkippedInput> skipped);

 private:
  using Clock = std::chrono::steady_clock;

  // A finding that is on disk, and its place in the report.
  struct Kept {
    Finding finding;
    size_t index = 0;
    std::filesystem::path folder;
    bool was_known = false;  // to who began the hunt
    bool is_news = false;    // nor known to the hunt, when it was found
  };
  // One exploration with what only its present worker touches.
  struct Entry {
    Entry(ConcreteInput input, const ExplorationSettings& settings, size_t place)
        : exploration(std::move(input), settings), index(place) {}
    Exploration exploration;
    const size_t index;                         // among the entries
    std::map<std::string, Kept> kept;           // by cause
    std::map<std::string, size_t> unconfirmed;  // by cause: place in the report
    // All that was counted of it so far. Findings and unconfirmed violations are in the report, and
    // join only to be kept.
    Tally tally;
    std::string setup_failure;
    bool cut_short = false;       // its last execution
    ToldCounts told;              // to its corpus
    std::optional<size_t> masks;  // place in the report
  };
  class Workers;

  void restore(size_t index, KeptExploration kept);
  void restore_findings(Entry& entry);
  bool can_be_set_up(Entry& entry);
  void make_executor(size_t worker);
  void replace_executor(size_t worker);
  void free_the_stuck(Clock::time_point now);
  HuntProgress progress_of(const HuntReport& report) const;
  WorkerTime time_so_far(Clock::time_point now) const;
  bool stopping() const { return stop_.load() || ending_.load(); }
  void work(size_t worker);
  std::optional<Batch> take_batch();
  void run_batch(Executor& executor, const Batch& batch);
  double executions_to_come(const Batch& batch) const;
  void execute(Executor& executor, Entry& entry, uint64_t number);
  auto with_server(const Entry& entry, auto work);
  Judged explore(Executor& executor, Entry& entry, uint64_t number);
  void count(Entry& entry, const Judged& judged);
  void keep_finding(Entry& entry, const Judged& judged);
  size_t tell_finding(const Entry& entry, const Judged& judged, const std::string& id);
  void adopt_leftovers(Entry& entry, const Batch& batch);
  void keep_batch(Entry& entry, const Batch& batch);
  void look_whether_known(Kept& kept);
  void note_hit(Entry& entry, Kept& kept, const Judged& judged);
  void note_unconfirmed(Entry& entry, const Judged& judged);
  enum class End { kWhole, kSetupFailed, kStuck, kCutShort };
  void close_batch(Entry& entry, const Batch& batch, End end);
  void close_count(Entry& entry);
  void leave_out(Entry& entry);
  void leave_stuck(Entry& entry, const Batch& batch);
  // Of news alone, if time is dealt out; what is told of an input is its own, whatever others have
  // shown beside it.
  static Yield yield(const Entry& entry, bool of_news);
  static Prospect prospect(const Entry& entry);
  void note_masks(Entry& entry);
  void note_figures(const Entry& entry);
  void note_lives(const Executor& executor);
  void note_memory(const Executor& executor);
  void fail(const std::exception_ptr& failure);
  void watch(const Watcher& watcher);
  void look_at_the_time(Clock::time_point now);
  void save();

  const ExecutorFactory make_;
  const HuntSettings settings_;
  const std::atomic<bool>& stop_;
  std::vector<std::unique_ptr<Entry>> entries_;
  std::vector<std::unique_ptr<ExecutionMeter>> meters_;  // by worker
  std::vector<std::unique_ptr<Executor>> executors_;     // by worker
  std::atomic<bool> ending_{false};                      // budget spent, or failed
  std::atomic<bool> cut_short_{false};                   // some batch
  std::shared_ptr<HuntState> state_;                     // may be null
  LeftoverFindings leftovers_;
  double earlier_s_ = 0;  // the seconds of earlier launches
  WorkerTime earlier_time_;
  std::optional<Clock::time_point> began_;  // gate() or run()

  mutable std::mutex mutex_;  // guards what follows
  std::condition_variable changed_;
  Plan plan_;
  std::set<std::string> families_;                  // keys of the findings
  HuntReport report_;                               // without figures
  std::vector<InputFigures> figures_;               // by entry
  std::map<const Executor*, uint64_t> memory_kib_;  // each worker's, when last looked at
  std::exception_ptr failure_;
  size_t working_ = 0;    // workers that have not ended
  bool unsaved_ = false;  // something that must not wait for the next regular save
  Clock::time_point started_;
  std::optional<Clock::time_point> ending_since_;
};

// The engines' names of all inputs, in the order of their appearance.
std::vector<std::string> engines_of(const std::vector<ConcreteInput>& inputs);

}  // namespace esox
