// SPDX-License-Identifier: Apache-2.0
#include "harness/hunt/hunt.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <set>
#include <thread>

#include "base/process/proc.h"
#include "base/time/utc.h"
#include "harness/hunt/finding_folder.h"
#include "harness/hunt/gate.h"
#include "harness/hunt/pinning.h"
#include "harness/records/finding_file.h"
#include "harness/records/hunt_progress.h"
#include "harness/records/out_folder.h"

namespace esox {
namespace {

constexpr std::chrono::milliseconds kTick{100};
constexpr std::chrono::seconds kSaveEvery{3};
// A save of very many inputs takes a while: at most one part in so many of the time.
constexpr int kSaveShare = 20;
// To add up what processes occupy takes as long as some executions.
constexpr std::chrono::seconds kMemoryEvery{1};
// How long the executions under way may go on once the hunt is to end.
constexpr std::chrono::seconds kEndingGrace{10};

size_t distinct_inputs(const std::vector<ConcreteInput>& inputs) {
  std::set<std::string> ids;
  for (const ConcreteInput& input : inputs) ids.insert(input.input.id);
  return ids.size();
}

HuntReport empty_report(const std::vector<ConcreteInput>& inputs, const HuntSettings& settings) {
  HuntReport report;
  report.esox_version = settings.esox_version;
  report.server_version = settings.server.version;
  report.server_path = settings.server.path;
  report.server_options = settings.server.options;
  report.seed = settings.exploration.hunt_seed;
  report.strategy = settings.exploration.strategy_text;
  report.learn = settings.exploration.learn;
  report.engines = engines_of(inputs);
  report.jobs = settings.jobs;
  report.executions_each = settings.executions_each;
  report.not_summarised = settings.not_summarised;
  if (settings.budget) report.budget_s = std::chrono::duration<double>(*settings.budget).count();
  report.inputs = distinct_inputs(inputs);
  report.explorations = inputs.size();
  report.filters = empty_account(settings.exploration.filters.get());
  report.planned = inputs.size() * settings.executions_each;
  return report;
}

InputFigures empty_figures(const ConcreteInput& input) {
  InputFigures figures;
  static_cast<InputKey&>(figures) = key_of(input);
  figures.title = input.input.title;
  figures.clients = input.input.clients.size();
  return figures;
}

}  // namespace

std::vector<std::string> engines_of(const std::vector<ConcreteInput>& inputs) {
  std::vector<std::string> engines;
  for (const ConcreteInput& input : inputs) {
    if (input.engine.empty()) continue;
    if (std::ranges::find(engines, input.engine) == engines.end()) engines.push_back(input.engine);
  }
  return engines;
}

// The threads; joined whatever happens.
class Hunt::Workers {
 public:
  explicit Workers(Hunt& hunt) : hunt_(hunt) {}
  ~Workers() {
    {
      const std::lock_guard lock(hunt_.mutex_);
      hunt_.ending_.store(true);  // does nothing at the regular end, when all have ended
    }
    hunt_.changed_.notify_all();
    for (std::thread& thread : threads_) thread.join();
  }
  Workers(const Workers&) = delete;
  Workers& operator=(const Workers&) = delete;

  void start() {
    const std::lock_guard lock(hunt_.mutex_);
    for (size_t i = 0; i < hunt_.executors_.size(); ++i) {
      threads_.emplace_back([this, i] { hunt_.work(i); });
      ++hunt_.working_;
    }
  }

 private:
  Hunt& hunt_;
  std::vector<std::thread> threads_;
};

Hunt::Hunt(ExecutorFactory executors, std::vector<ConcreteInput> inputs, HuntSettings settings,
           const std::atomic<bool>& stop)
    : make_(std::move(executors)),
      settings_(std::move(settings)),
      stop_(stop),
      plan_(inputs.size(), settings_.executions_each,
            settings_.budget ? Share::kByYield : Share::kEqual, settings_.wave),
      report_(empty_report(inputs, settings_)) {
  for (ConcreteInput& input : inputs) {
    figures_.push_back(empty_figures(input));
    entries_.push_back(
        std::make_unique<Entry>(std::move(input), settings_.exploration, entries_.size()));
  }
  executors_.resize(settings_.jobs);
  for (unsigned i = 0; i < settings_.jobs; ++i) {
    meters_.push_back(std::make_unique<ExecutionMeter>());
    make_executor(i);
  }
}

void Hunt::make_executor(size_t worker) {
  executors_[worker] = make_({.meter = meters_[worker].get()});
}

Hunt::~Hunt() = default;

// ---- what earlier launches did

void Hunt::use(std::shared_ptr<HuntState> state) {
  state_ = std::move(state);
  report_.started = state_->spec().started;
  report_.id = state_->spec().id;
  report_.shard = state_->spec().shard;
  report_.skipped = state_->spec().skipped;
  earlier_s_ = report_.seconds = state_->clock().seconds;
  static_cast<WorkerCounts&>(report_) = state_->clock();
  earlier_time_ = report_.time;
  std::vector<KeptExploration> explorations = state_->take_explorations();
  std::set<std::string> known;
  for (size_t i = 0; i < explorations.size() && i < entries_.size(); ++i) {
    if (explorations[i].experience) entries_[i]->exploration.recall(*explorations[i].experience);
    if (!explorations[i].tally) continue;
    for (const auto& [cause, line] : explorations[i].tally->findings) known.insert(line.id);
    restore(i, std::move(explorations[i]));
  }
  leftovers_.look(settings_.out / "findings", known);
}

void Hunt::restore(size_t index, KeptExploration kept) {
  Entry& entry = *entries_[index];
  entry.tally = std::move(*kept.tally);
  entry.told = kept.told;
  entry.exploration.restore(std::move(*kept.memory));
  ++report_.touched;
  add_counts(report_, entry.tally);
  note_masks(entry);
  restore_findings(entry);
  plan_.restore(index, entry.tally.executions, prospect(entry), kept.given_up);
  report_.planned = plan_.planned();
  note_figures(entry);
  for (const auto& [cause, violation] : entry.tally.unconfirmed) {
    entry.unconfirmed.emplace(cause, report_.unconfirmed.size());
    report_.unconfirmed.push_back(violation);
  }
  if (entry.tally.left_out.empty()) return;
  report_.skipped.push_back({key_of(entry.exploration.input()), entry.tally.left_out});
}

// The file of one may be behind the counts: the hunt was killed between the two.
void Hunt::restore_findings(Entry& entry) {
  for (auto& [cause, line] : entry.tally.findings) {
    Kept kept;
    kept.folder = line.folder = settings_.out / "findings" / line.id;
    kept.finding = read_finding(kept.folder / "finding.yaml");
    const bool behind =
        kept.finding.hits != line.hits || kept.finding.executions != line.executions;
    kept.finding.hits = line.hits;
    kept.finding.drawn_hits = line.drawn_hits;
    kept.finding.executions = line.executions;
    kept.finding.draws = line.draws;
    if (behind) update_finding_folder(kept.folder, kept.finding);
    look_whether_known(kept);
    kept.index = report_.findings.size();
    report_.findings.push_back(line);
    entry.kept.emplace(cause, std::move(kept));
  }
}

// ---- before the hunt

GateReport Hunt::gate() {
  began_ = Clock::now();
  std::vector<GateCandidate> candidates;
  for (const auto& entry : entries_) {
    const ConcreteInput& input = entry->exploration.input();
    candidates.push_back({conditions_of(input), input.input.id});
  }
  std::vector<Exploration*> picked;
  const CorePin pin(0, settings_.jobs);  // that of the worker who goes on with this server
  for (size_t index : pick_for_gate(candidates)) {
    if (can_be_set_up(*entries_[index])) picked.push_back(&entries_[index]->exploration);
  }
  GateReport gate = run_gate(*executors_.front(), picked, stop_);
  const std::lock_guard lock(mutex_);
  report_.gate = gate;
  return gate;
}

// A server that does not start once may have met a busy machine; twice in a row, it will not. If
// the input brings options of its own, for this server or another release of it, they are to blame.
auto Hunt::with_server(const Entry& entry, auto work) {
  try {
    return work();
  } catch (const ServerError&) {
    if (stopping()) throw Executor::Interrupted{};
  }
  const Input& input = entry.exploration.input().input;
  try {
    auto done = work();
    const std::lock_guard lock(mutex_);
    ++report_.server_failures;
    return done;
  } catch (const ServerError& error) {
    if (input.server_options.empty()) throw;
    throw SetupError(
        fmt::format("{}: with the server_options of {}: {}", input.origin, input.id, error.what()));
  }
}

// Of a failing one's end run_batch() tells, when its turn comes.
bool Hunt::can_be_set_up(Entry& entry) {
  if (!settings_.skip_failing_setups) return true;
  try {
    return with_server(entry, [&] {
      entry.exploration.prepare(*executors_.front());
      return true;
    });
  } catch (const SetupError&) {
    return false;
  }
}

std::vector<InputAccount> Hunt::tell_accounts() {
  std::vector<InputAccount> accounts;
  std::vector<ToldCounts> told;
  for (const auto& entry : entries_) {
    const ToldCounts now{entry->tally.executions, entry->kept.size()};
    const ToldCounts before = std::exchange(entry->told, now);
    told.push_back(now);
    if (now.executions <= before.executions) continue;
    const ConcreteInput& input = entry->exploration.input();
    accounts.push_back({input.input.id, input.engine, now.executions - before.executions,
                        now.findings - std::min(now.findings, before.findings),
                        entry->exploration.lessons().conflicts});
  }
  if (state_) state_->keep_told(told);
  return accounts;
}

void Hunt::set_skipped(std::vector<SkippedInput> skipped) {
  const std::lock_guard lock(mutex_);
  report_.skipped = std::move(skipped);
}

HuntReport Hunt::report() const {
  const std::lock_guard lock(mutex_);
  HuntReport report = report_;
  report.figures = figures_;
  return report;
}

void Hunt::run(const Watcher& watcher) {
  started_ = Clock::now();
  if (!began_) began_ = started_;
  if (report_.started.empty()) report_.started = utc_now();
  save();
  look_at_the_time(started_);  // a budget that earlier launches have spent gives nobody a batch
  {
    Workers workers(*this);
    workers.start();
    watch(watcher);
  }
  report_.ended = true;
  report_.interrupted = stop_.load();
  look_at_the_time(Clock::now());
  save();
  if (!state_ || !finished() || failure_) return;
  try {
    state_->end();
  } catch (const DatabaseError&) {
    fail(std::current_exception());
  }
}

// ---- the watching thread

void Hunt::watch(const Watcher& watcher) {
  Clock::time_point saved = started_;
  Clock::duration pause = kSaveEvery;
  for (bool working = true; working;) {
    HuntReport copy;
    bool save_now = false;
    {
      std::unique_lock lock(mutex_);
      changed_.wait_for(lock, kTick, [this] { return working_ == 0 || unsaved_; });
      const auto now = Clock::now();
      look_at_the_time(now);
      free_the_stuck(now);
      save_now = unsaved_ || now - saved > pause;
      unsaved_ = false;
      working = working_ > 0;
      copy = report_;
    }
    if (save_now) {
      const auto before = Clock::now();
      save();
      saved = Clock::now();
      pause = std::max<Clock::duration>(kSaveEvery, kSaveShare * (saved - before));
    }
    watcher(copy);
  }
}

// The budget, and the patience with executions that do not end. With the lock, or alone.
void Hunt::look_at_the_time(Clock::time_point now) {
  const std::chrono::duration<double> all(earlier_s_ +
                                          std::chrono::duration<double>(now - started_).count());
  report_.seconds = all.count();
  report_.time = time_so_far(now);
  if (settings_.budget && all >= *settings_.budget) ending_.store(true);
  if (!stopping()) return;
  changed_.notify_all();
  if (!ending_since_) ending_since_ = now;
  if (now - *ending_since_ < kEndingGrace) return;
  for (auto& executor : executors_) executor->interrupt();
}

// A worker that has ended waits for the others.
WorkerTime Hunt::time_so_far(Clock::time_point now) const {
  WorkerTime time;
  for (const auto& meter : meters_) {
    time.executing_s += meter->executing_s();
    time.preparing_s += meter->preparing_s();
  }
  const double all_s = std::chrono::duration<double>(now - *began_).count() * settings_.jobs;
  time.other_s = std::max(0.0, all_s - time.executing_s - time.preparing_s);
  add_fields(time, earlier_time_);
  return time;
}

// With the lock. The worker notices by what its run throws (run_batch).
void Hunt::free_the_stuck(Clock::time_point now) {
  for (size_t i = 0; i < executors_.size(); ++i) {
    if (meters_[i]->running_for(now) < settings_.stuck_after) continue;
    executors_[i]->interrupt();
    meters_[i]->kill_server();
  }
}

HuntProgress Hunt::progress_of(const HuntReport& report) const {
  HuntProgress progress;
  for (const auto& meter : meters_) progress.runs += meter->runs();
  static_cast<HuntCounts&>(progress) = report;
  progress.findings = report.findings.size();
  progress.seconds = report.seconds;
  progress.ended = report.ended;
  return progress;
}

void Hunt::save() {
  const HuntReport report = this->report();
  try {
    write_whole_file(settings_.out / "hunt.json", report_json(report));
    write_whole_file(settings_.out / "progress.json", progress_json(progress_of(report)));
    if (state_) state_->keep_clock({report, report.seconds});
  } catch (const OutError&) {
    fail(std::current_exception());
  } catch (const DatabaseError&) {
    fail(std::current_exception());
  }
}

// The first failure is the one that is told.
void Hunt::fail(const std::exception_ptr& failure) {
  const std::lock_guard lock(mutex_);
  ending_.store(true);
  if (failure_) return;
  failure_ = failure;
  try {
    std::rethrow_exception(failure);
  } catch (const std::exception& error) {
    report_.failure = error.what();
  } catch (...) {
    report_.failure = "unknown";
  }
}

// ---- the workers

void Hunt::work(size_t worker) {
  try {
    const CorePin pin(worker, settings_.jobs);
    std::optional<Clock::time_point> looked;
    while (const auto batch = take_batch()) {
      run_batch(*executors_[worker], *batch);
      if (!looked || Clock::now() - *looked > kMemoryEvery) {
        note_memory(*executors_[worker]);
        looked = Clock::now();
      }
      if (executors_[worker]->interrupted() && !stopping()) replace_executor(worker);
    }
  } catch (const Executor::Interrupted&) {
    // The hunt ends.
  } catch (...) {
    fail(std::current_exception());
  }
  const std::lock_guard lock(mutex_);
  note_lives(*executors_[worker]);
  --working_;
  changed_.notify_all();
}

// Its servers end with the old one, which may take a while.
void Hunt::replace_executor(size_t worker) {
  std::unique_ptr<Executor> old;
  const std::lock_guard lock(mutex_);
  note_lives(*executors_[worker]);
  memory_kib_.erase(executors_[worker].get());
  old = std::move(executors_[worker]);
  make_executor(worker);
  ++report_.workers_replaced;
  unsaved_ = true;
}

std::optional<Batch> Hunt::take_batch() {
  std::unique_lock lock(mutex_);
  while (!stopping() && !plan_.exhausted()) {
    if (const auto batch = plan_.next()) {
      if (batch->first == 1) ++report_.touched;
      return batch;
    }
    changed_.wait(lock);
  }
  return std::nullopt;
}

// Of the batch's exploration: all that it was promised, or its share of what the time allows.
double Hunt::executions_to_come(const Batch& batch) const {
  const auto promised = static_cast<double>(settings_.executions_each - (batch.first - 1));
  if (!settings_.budget) return promised;
  const std::lock_guard lock(mutex_);
  if (report_.executions == 0) return promised;
  const double spent = earlier_s_ + std::chrono::duration<double>(Clock::now() - started_).count();
  const double left = std::chrono::duration<double>(*settings_.budget).count() - spent;
  const double each = static_cast<double>(report_.executions) / spent * std::max(left, 0.0) /
                      static_cast<double>(plan_.open());
  return std::min(promised, each);
}

void Hunt::run_batch(Executor& executor, const Batch& batch) {
  Entry& entry = *entries_[batch.exploration];
  entry.exploration.expect(executions_to_come(batch));
  try {
    for (uint64_t i = 0; i < batch.count && !stopping() && !entry.exploration.searched(); ++i) {
      execute(executor, entry, batch.first + i);
    }
  } catch (const Executor::Interrupted&) {
    if (!stopping()) return leave_stuck(entry, batch);
    close_batch(entry, batch, End::kCutShort);
    throw;
  } catch (const SetupError& error) {
    if (executor.interrupted() && !stopping()) return leave_stuck(entry, batch);
    entry.setup_failure = fmt::format("its setup fails: {}", error.what());
    close_batch(entry, batch, End::kSetupFailed);
    if (!settings_.skip_failing_setups) throw;
    return;
  } catch (...) {
    close_batch(entry, batch, End::kCutShort);
    throw;
  }
  const bool all = entry.tally.executions == batch.first + batch.count - 1;
  const bool whole = (all || entry.exploration.searched()) && !entry.cut_short;
  close_batch(entry, batch, whole ? End::kWhole : End::kCutShort);
}

void Hunt::leave_stuck(Entry& entry, const Batch& batch) {
  entry.setup_failure = fmt::format("an execution of it did not end within {} s",
                                    settings_.stuck_after.count() / 1000);
  close_batch(entry, batch, End::kStuck);
}

// By each worker at its end, and of each executor that is replaced.
void Hunt::note_lives(const Executor& executor) {
  const RunLives& lives = executor.lives();
  report_.lives.forked += lives.forked;
  report_.lives.rewound += lives.rewound;
  report_.lives.refused += lives.refused;
  if (!lives.why.empty()) report_.lives.why = lives.why;
  report_.lives.restarted += lives.restarted;
  if (!lives.why_restarted.empty()) report_.lives.why_restarted = lives.why_restarted;
}

void Hunt::note_memory(const Executor& executor) {
  const uint64_t own_kib = proportional_memory_kib(getpid());
  const uint64_t servers_kib = executor.memory_kib();
  const std::lock_guard lock(mutex_);
  memory_kib_[&executor] = servers_kib;
  uint64_t sum_kib = own_kib;
  for (const auto& [worker, kib] : memory_kib_) sum_kib += kib;
  report_.memory_kib = std::max(report_.memory_kib, sum_kib);
}

void Hunt::execute(Executor& executor, Entry& entry, uint64_t number) {
  const Judged judged = explore(executor, entry, number);
  count(entry, judged);
  entry.cut_short = judged.cut_short;
  if (!judged.cause) return;
  if (!judged.confirmed) return note_unconfirmed(entry, judged);
  const auto known = entry.kept.find(judged.cause->id);
  if (known != entry.kept.end()) return note_hit(entry, known->second, judged);
  keep_finding(entry, judged);
}

Judged Hunt::explore(Executor& executor, Entry& entry, uint64_t number) {
  return with_server(entry, [&] { return entry.exploration.explore(executor, number); });
}

}  // namespace esox
