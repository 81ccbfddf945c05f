// SPDX-License-Identifier: Apache-2.0
// See hunt.h.
#include "harness/hunt/hunt.h"

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <ctime>
#include <set>

#include "analysis/masks.h"
#include "harness/execution/memory.h"
#include "harness/hunt/brief.h"
#include "harness/hunt/control_record.h"
#include "harness/hunt/finding_folder.h"
#include "harness/hunt/gate.h"
#include "harness/hunt/lines.h"
#include "harness/hunt/out_folder.h"
#include "harness/hunt/pinning.h"

namespace esox {
namespace {

constexpr std::chrono::milliseconds kTick{100};
constexpr std::chrono::seconds kSaveEvery{3};
// How long the executions under way may go on once the hunt is to end.
constexpr std::chrono::seconds kEndingGrace{10};
// An input of which so many executions in a row from the first were degraded is given up.
constexpr uint64_t kHopeless = 2 * kBatchExecutions;

std::string utc_now() {
  const std::time_t now = std::time(nullptr);
  std::tm utc{};
  gmtime_r(&now, &utc);
  return fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", utc);
}

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
  report.engines = engines_of(inputs);
  report.jobs = settings.jobs;
  report.executions_each = settings.executions_each;
  if (settings.budget) report.budget_s = std::chrono::duration<double>(*settings.budget).count();
  report.inputs = distinct_inputs(inputs);
  report.explorations = inputs.size();
  report.filters = empty_account(settings.exploration.filters.get());
  report.planned = inputs.size() * settings.executions_each;
  return report;
}

}  // namespace

std::vector<std::string> engines_of(const std::vector<ConcreteInput>& inputs) {
  std::vector<std::string> engines;
  for (const ConcreteInput& input : inputs) {
    if (input.engine.empty()) continue;
    if (std::find(engines.begin(), engines.end(), input.engine) == engines.end()) {
      engines.push_back(input.engine);
    }
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

Hunt::Hunt(Server& server, std::vector<ConcreteInput> inputs, HuntSettings settings,
           const std::atomic<bool>& stop)
    : server_(server),
      settings_(std::move(settings)),
      stop_(stop),
      plan_(inputs.size(), settings_.executions_each),
      report_(empty_report(inputs, settings_)) {
  for (ConcreteInput& input : inputs) {
    entries_.push_back(std::make_unique<Entry>(std::move(input), settings_.exploration));
  }
  for (unsigned i = 0; i < settings_.jobs; ++i) {
    executors_.push_back(std::make_unique<Executor>(server_, settings_.executor));
  }
}

Hunt::~Hunt() = default;

GateReport Hunt::gate() {
  std::vector<GateCandidate> candidates;
  for (const auto& entry : entries_) {
    const ConcreteInput& input = entry->exploration.input();
    candidates.push_back({conditions_of(input.engine, input.setting), input.input.id});
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

// Of a failing one's end run_batch() tells, when its turn comes.
bool Hunt::can_be_set_up(Entry& entry) {
  if (!settings_.skip_failing_setups) return true;
  try {
    entry.exploration.prepare(*executors_.front());
    return true;
  } catch (const SetupError&) {
    return false;
  }
}

std::vector<InputAccount> Hunt::accounts() const {
  std::vector<InputAccount> accounts;
  for (const auto& entry : entries_) {
    if (entry->executions == 0) continue;
    const ConcreteInput& input = entry->exploration.input();
    accounts.push_back({input.input.id, input.engine, entry->executions, entry->kept.size()});
  }
  return accounts;
}

void Hunt::set_skipped(std::vector<SkippedInput> skipped) {
  const std::lock_guard lock(mutex_);
  report_.skipped = std::move(skipped);
}

HuntReport Hunt::report() const {
  const std::lock_guard lock(mutex_);
  return report_;
}

void Hunt::run(const Watcher& watcher) {
  started_ = Clock::now();
  report_.started = utc_now();
  save();
  {
    Workers workers(*this);
    workers.start();
    watch(watcher);
  }
  report_.ended = true;
  report_.interrupted = stop_.load();
  look_at_the_time(Clock::now());
  save();
}

// ---- the watching thread

void Hunt::watch(const Watcher& watcher) {
  Clock::time_point saved = started_;
  for (bool working = true; working;) {
    HuntReport copy;
    bool save_now = false;
    {
      std::unique_lock lock(mutex_);
      changed_.wait_for(lock, kTick, [this] { return working_ == 0 || unsaved_; });
      const auto now = Clock::now();
      look_at_the_time(now);
      save_now = unsaved_ || now - saved > kSaveEvery;
      if (save_now) saved = now;
      unsaved_ = false;
      working = working_ > 0;
      copy = report_;
    }
    if (save_now) save();
    watcher(copy);
  }
}

// The budget, and the patience with executions that do not end. With the lock, or alone.
void Hunt::look_at_the_time(Clock::time_point now) {
  report_.seconds = std::chrono::duration<double>(now - started_).count();
  if (settings_.budget && now - started_ >= *settings_.budget) ending_.store(true);
  if (!stopping()) return;
  changed_.notify_all();
  if (!ending_since_) ending_since_ = now;
  if (now - *ending_since_ < kEndingGrace) return;
  for (auto& executor : executors_) executor->interrupt();
}

void Hunt::save() {
  try {
    write_whole_file(settings_.out / "hunt.json", report_json(report()));
  } catch (const OutError&) {
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
    while (const auto batch = take_batch()) run_batch(*executors_[worker], *batch);
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

void Hunt::run_batch(Executor& executor, const Batch& batch) {
  Entry& entry = *entries_[batch.exploration];
  try {
    for (uint64_t i = 0; i < batch.count && !stopping(); ++i) {
      execute(executor, entry, batch.first + i);
    }
  } catch (const SetupError& error) {
    entry.setup_failure = error.what();
    close_batch(entry, batch);
    if (!settings_.skip_failing_setups) throw;
    return;
  } catch (...) {
    close_batch(entry, batch);
    throw;
  }
  close_batch(entry, batch);
  note_memory(executor);
}

// By each worker at its end.
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
  ++entry.executions;
  if (judged.verdict.verdict == VerdictClass::kDegraded) ++entry.degraded;
  count(entry, judged);
  if (!judged.cause) return;
  if (!judged.confirmed) return note_unconfirmed(entry, judged);
  const auto known = entry.kept.find(judged.cause->id);
  if (known != entry.kept.end()) return note_hit(entry, known->second);
  keep_finding(entry, judged);
}

// A server that does not start once may have met a busy machine; twice in a row, it will not.
Judged Hunt::explore(Executor& executor, Entry& entry, uint64_t number) {
  try {
    return entry.exploration.explore(executor, number);
  } catch (const ServerError&) {
    if (stopping()) throw Executor::Interrupted{};
  }
  Judged judged = entry.exploration.explore(executor, number);
  const std::lock_guard lock(mutex_);
  ++report_.server_failures;
  return judged;
}

void Hunt::count(const Entry& entry, const Judged& judged) {
  const std::lock_guard lock(mutex_);
  ++report_.executions;
  note_forgiven(report_.filters, entry.exploration.input(), judged.report.record, judged.verdict);
  for (const auto& [cause, kept] : entry.kept) {
    report_.findings[kept.index].executions = entry.executions;
  }
  if (judged.verdict.verdict != VerdictClass::kDegraded) return;
  ++report_.degraded;
  for (const std::string& reason : judged.verdict.degraded_reasons) {
    ++report_.degraded_reasons[reason];
  }
}

void Hunt::keep_finding(Entry& entry, const Judged& judged) {
  const Exploration& exploration = entry.exploration;
  const ConcreteInput& input = exploration.input();
  const ExecutionRecord& record = judged.report.record;
  Kept kept;
  kept.finding = make_finding(input, record, judged.verdict, exploration.serial_runs(),
                              exploration.masks(), *judged.cause, exploration.rules());
  kept.finding.executions = entry.executions;
  kept.finding.server = settings_.server;
  kept.finding.esox_version = settings_.esox_version;
  kept.finding.clock_base_ns = static_cast<uint64_t>(settings_.exploration.clock_base_ns);
  kept.finding.control = control_record(settings_.executor.control);
  Symbols symbols(record.modules);
  kept.finding.operations = operations_of(record, symbols);

  HuntFinding line;
  line.id = kept.finding.id;
  line.input = input.input.id;
  line.title = input.input.title;
  line.engine = input.engine;
  line.setting = input.setting;
  line.verdict = judged.verdict.verdict;
  line.latent = judged.verdict.latent;
  line.hits = 1;
  line.executions = entry.executions;
  line.first_execution = record.number;
  line.seed = record.seed;
  line.cause = lines_of(judged.cause->text);
  line.brief = statement_lines(input.input);
  for (std::string& text : explanation_lines(input.input, record, judged.verdict)) {
    line.brief.push_back(std::move(text));
  }
  {
    // First told, then written: should the writing fail, the summary still knows of it.
    const std::lock_guard lock(mutex_);
    kept.index = report_.findings.size();
    report_.findings.push_back(std::move(line));
  }
  kept.folder =
      write_finding_folder(settings_.out / "findings", kept.finding, judged, exploration.masks());
  const std::lock_guard lock(mutex_);
  report_.findings[kept.index].folder = kept.folder;
  unsaved_ = true;
  changed_.notify_all();
  entry.kept.emplace(judged.cause->id, std::move(kept));
}

void Hunt::note_hit(Entry& entry, Kept& kept) {
  ++kept.finding.hits;
  const std::lock_guard lock(mutex_);
  report_.findings[kept.index].hits = kept.finding.hits;
  report_.findings[kept.index].executions = entry.executions;
}

void Hunt::note_unconfirmed(Entry& entry, const Judged& judged) {
  const std::lock_guard lock(mutex_);
  const auto [known, fresh] =
      entry.unconfirmed.try_emplace(judged.cause->id, report_.unconfirmed.size());
  if (fresh) {
    UnconfirmedViolation violation;
    violation.input = entry.exploration.input().input.id;
    violation.engine = entry.exploration.input().engine;
    violation.setting = entry.exploration.input().setting;
    violation.verdict = judged.verdict.verdict;
    violation.cause = lines_of(judged.cause->text);
    violation.doubt = judged.doubt;
    violation.first_execution = judged.report.record.number;
    violation.seed = judged.report.record.seed;
    report_.unconfirmed.push_back(std::move(violation));
  }
  ++report_.unconfirmed[known->second].hits;
}

void Hunt::close_batch(Entry& entry, const Batch& batch) {
  const bool hopeless = entry.degraded >= kHopeless && entry.degraded == entry.executions;
  {
    const std::lock_guard lock(mutex_);
    report_.serial_executions += entry.exploration.serial_executions() - entry.counted_serial;
    report_.replays += entry.exploration.replays() - entry.counted_replays;
    const SerialGraph::Counts graph = entry.exploration.serial_counts();
    report_.serial_steps += graph.steps - entry.counted_graph.steps;
    report_.serial_states += graph.states - entry.counted_graph.states;
    entry.counted_graph = graph;
    entry.counted_serial = entry.exploration.serial_executions();
    entry.counted_replays = entry.exploration.replays();
    note_masks(entry);
    if (hopeless || !entry.setup_failure.empty()) {
      report_.planned -= plan_.given_up(batch);
      report_.skipped.push_back(
          {entry.exploration.input().input.id, entry.exploration.input().engine,
           entry.exploration.input().setting,
           entry.setup_failure.empty()
               ? fmt::format("given up: control was lost in each of {} executions",
                             entry.executions)
               : "its setup fails: " + entry.setup_failure});
    } else {
      plan_.finished(batch);
    }
    changed_.notify_all();
  }
  for (auto& [cause, kept] : entry.kept) {
    kept.finding.executions = entry.executions;
    update_finding_folder(kept.folder, kept.finding);
  }
}

void Hunt::note_masks(Entry& entry) {
  const ConcreteInput& input = entry.exploration.input();
  InputMasks masks{input.input.id, input.engine, input.setting, {}};
  for (const NamedMask& mask : mask_names(entry.exploration.masks(), client_names(input.input))) {
    masks.places.push_back({mask.name, mask.orders});
  }
  if (masks.places.empty()) return;
  if (!entry.masks) {
    entry.masks = report_.nondeterminism.size();
    report_.nondeterminism.emplace_back();
  }
  report_.nondeterminism[*entry.masks] = std::move(masks);
}

}  // namespace esox
