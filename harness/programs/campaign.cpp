// SPDX-License-Identifier: Apache-2.0
#include "harness/programs/campaign.h"

#include <fmt/format.h>

#include <algorithm>
#include <thread>

#include "analysis/behaviour.h"
#include "harness/engine/debug_symbols.h"
#include "harness/engine/shared_objects.h"
#include "harness/hunt/pinning.h"
#include "harness/programs/access_learning.h"
#include "harness/programs/program_schedules.h"
#include "harness/programs/reproduction.h"
#include "harness/programs/site_names.h"
#include "preload/strategy/rng.h"

namespace esox {
namespace {

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

constexpr auto kProgressSlice = 100ms;
constexpr uint64_t kMeasured = 8;  // executions before the first, for the strategy's parameters
constexpr size_t kMostConfirmed = 10;
constexpr uint32_t kLearning = 50;  // executions before those, for level conflicting
constexpr uint64_t kMeasureSalt = 0x6d656173757265;
constexpr uint64_t kLearningSalt = 0x6c6561726e;
constexpr size_t kLongestOrdered = 2'000;  // a longer trace is not worth the time to be classed

double seconds_since(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

// What the portfolio goes by.
ProgramShown shown_by(const std::optional<Failure>& failure, const ProgramEnd& end,
                      const ProgramServer& server) {
  ProgramShown shown;
  if (failure) shown.failure = fmt::format("{} {}", failure_name(failure->kind), failure->key);
  const ExecutionRecord record = server.record();
  if (record.trace.size() > kLongestOrdered) return shown;
  shown.order_class = behaviour_of(record, end.threads, {}).trace_class;
  return shown;
}

bool first_before(const FoundFailure& a, const FoundFailure& b) {
  return a.record.number < b.record.number;
}

}  // namespace

uint64_t execution_seed(uint64_t seed, uint64_t number) {
  uint64_t state = seed;
  state = splitmix64(state) ^ number;
  return splitmix64(state);
}

Campaign::Campaign(CampaignPlan plan, const std::atomic<bool>& stop)
    : plan_(std::move(plan)), stop_(stop) {}

void Campaign::learn_accesses(ProgramServer& server) {
  accesses_ = plan_.target.accesses;
  if (accesses_.level != AccessLevel::kConflicting) return;
  accesses_.sites = learn_access_sites(server, plan_.seed ^ kLearningSalt, kLearning, plan_.limit);
  report_.access_sites = site_names(accesses_.sites, server.modules());
}

// How long an execution is and each of its threads, how many threads it has, which objects they
// share: what strategies must know beforehand. Measured on executions that are none of the
// campaign's.
void Campaign::measure(ProgramServer& server) {
  expected_points_of_.assign(kMaxClients, 0);
  if (plan_.search) return;
  for (uint64_t i = 1; i <= kMeasured && !stop_.load(); ++i) {
    ProgramSpec spec;
    spec.strategy.kind = StrategyKind::kRandom;
    spec.strategy.switch_probability = 0.5;
    spec.seed = execution_seed(plan_.seed ^ kMeasureSalt, i);
    spec.limit = plan_.limit;
    const ProgramEnd end = server.run(spec);
    if (end.ending == ControlEnding::kHang || end.out_of_time) break;  // as long as is allowed
    if (end.offered > expected_points_) shared_objects_ = shared_objects_of(server.record().trace);
    expected_points_ = std::max(expected_points_, end.offered);
    for (size_t thread = 0; thread < kMaxClients; ++thread) {
      uint64_t& expected = expected_points_of_[thread];
      expected = std::max(expected, end.offered_of[thread]);
    }
    expected_threads_ = std::max(expected_threads_, end.threads);
  }
  if (plan_.expected_points != 0) expected_points_ = plan_.expected_points;
}

ProgramSpec Campaign::order_of(const Turn& turn) const {
  ProgramSpec spec;
  spec.strategy = plan_.portfolio ? portfolio_->strategy(turn.arm) : plan_.strategy;
  spec.seed = execution_seed(plan_.seed, turn.number);
  spec.expected_points = expected_points_;
  spec.expected_points_of = expected_points_of_;
  spec.shared_objects = shared_objects_;
  spec.expected_threads = expected_threads_;
  spec.limit = plan_.limit;
  return spec;
}

std::string Campaign::strategy_text(const Turn& turn) const {
  const bool dealt = plan_.portfolio && !plan_.search;
  return dealt ? kProgramPortfolio[turn.arm].strategy : plan_.strategy_text;
}

// Waits where the portfolio has to know more first.
std::optional<Campaign::Turn> Campaign::next_turn() {
  std::unique_lock lock(mutex_);
  while (true) {
    if (plan_.budget && Clock::now() - begun_ >= *plan_.budget) enough_ = true;
    if (enough_ || stop_.load() || given_out_ == plan_.executions) return std::nullopt;
    if (!portfolio_) return Turn{++given_out_};
    const uint64_t next = given_out_ + 1;
    if (portfolio_->can_choose(next)) {
      given_out_ = next;
      return Turn{next, portfolio_->arm_of(next, execution_seed(plan_.seed, next))};
    }
    noted_.wait_for(lock, kProgressSlice);
  }
}

void Campaign::take(const Turn& turn, const ProgramEnd& end, const ProgramServer& server,
                    Symbols& symbols) {
  const auto kind = failure_class(end, plan_.thread_leaks);
  const std::vector<std::string> doubts = doubts_about(end);
  std::optional<Failure> failure;
  if (kind && doubts.empty()) failure = describe_failure(*kind, end, server, symbols);
  ProgramShown shown;
  if (plan_.portfolio && doubts.empty()) shown = shown_by(failure, end, server);
  const std::lock_guard lock(mutex_);
  ++report_.executions;
  if (portfolio_) portfolio_->note(turn.number, turn.arm, std::move(shown));
  noted_.notify_all();
  report_.points += end.points;
  report_.switches += end.switches;
  report_.longest = std::max(report_.longest, end.offered);
  report_.threads = std::max(report_.threads, end.threads);
  for (const std::string& doubt : doubts) ++report_.doubts[doubt];
  report_.out_of_time += end.out_of_time;
  enough_ = enough_ || report_.out_of_time == kMostOutOfTime;
  if (!doubts.empty()) return;
  ++report_.judged;
  report_.leaking += end.live_threads != 0 && (!kind || *kind == FailureClass::kThreadLeak);
  if (failure) take_failure(turn, *failure, server, symbols);
}

// The lock is held.
void Campaign::take_failure(const Turn& turn, const Failure& failure, const ProgramServer& server,
                            Symbols& symbols) {
  const uint64_t number = turn.number;
  ++report_.failed;
  enough_ = enough_ || plan_.until_failure;
  auto& failures = report_.failures;
  auto at = std::ranges::find_if(failures, [&](const FoundFailure& one) {
    return one.failure.kind == failure.kind && one.failure.key == failure.key;
  });
  if (at == failures.end()) {
    if (failures.size() == kMostDistinctFailures) {
      ++report_.more_failures;
      return;
    }
    at = failures.insert(failures.end(), FoundFailure{});
  } else if (at->record.number < number) {
    ++at->hits;
    return;
  }
  ++at->hits;
  at->failure = failure;
  at->record = server.record();
  at->record.number = number;
  at->record.seed = plan_.search ? plan_.seed : execution_seed(plan_.seed, number);
  at->record.strategy = strategy_text(turn);
  at->threads = thread_names(server.routines(), symbols);
  if (failure.kind == FailureClass::kDeadlock || failure.kind == FailureClass::kHang) {
    at->standing = waiting_lines(server.waiting(), at->record, at->threads, symbols);
  }
  at->output = server.output();
}

void Campaign::sample(ProgramServer& server, Symbols& symbols) {
  while (const auto turn = next_turn()) {
    const ProgramEnd end = server.run(order_of(*turn));
    if (!end.stopped) take(*turn, end, server, symbols);
  }
}

// One execution is made for each number given out.
void Campaign::search(ProgramServer& server, Symbols& symbols) {
  ProgramSchedules schedules(server, plan_.seed, plan_.limit, plan_.thread_leaks,
                             [&](const ProgramEnd& end) {
                               if (!end.stopped) take({given_out_}, end, server, symbols);
                             });
  plan_.search->iterative ? search_iteratively(schedules, symbols) : search_one_tree(schedules);
}

void Campaign::search_one_tree(exhaustive::ScheduleRunner& schedules) {
  exhaustive::SearchOptions options;
  options.bound = plan_.search->bound;
  options.most = plan_.search->most;
  const auto search = exhaustive::begin_search(options);
  const exhaustive::SearchResult& result = search->result();
  for (bool more = true; more && next_turn();) {
    more = search->take(schedules.run(search->next()));
    tell_search({"", result.share, result.estimated_executions()});
  }
  report_.search = result;
}

void Campaign::search_iteratively(exhaustive::ScheduleRunner& schedules, Symbols& symbols) {
  exhaustive::IterativeSearch search([this] { return executions_left(); });
  for (bool more = true; more && next_turn();) {
    more = search.step(schedules);
    if (const exhaustive::Job* job = search.current()) {
      tell_search(
          {text_of(job->points, symbols), job->result.share, job->result.estimated_executions()});
    }
  }
  search.lay_down();
  report_.jobs_exhausted = search.exhausted();
  report_.jobs = told_jobs(search, symbols);
}

void Campaign::tell_search(SearchState state) {
  const std::lock_guard lock(mutex_);
  search_ = std::move(state);
}

// By their number, and by the time they took so far.
double Campaign::executions_left() {
  const auto by_number = static_cast<double>(plan_.executions - given_out_);
  if (!plan_.budget) return by_number;
  const double spent = seconds_since(begun_);
  const double left = std::chrono::duration<double>(*plan_.budget).count() - spent;
  return std::min(by_number, static_cast<double>(given_out_) / spent * std::max(left, 0.0));
}

void Campaign::work(size_t worker) {
  try {
    const CorePin pin(worker, plan_.jobs);
    ProgramServer server(plan_.target, stop_);
    server.offer(accesses_);
    Symbols symbols = debug_symbols(server.modules());
    plan_.search ? search(server, symbols) : sample(server, symbols);
  } catch (...) {
    const std::lock_guard lock(mutex_);
    if (!error_ && !stop_.load()) error_ = std::current_exception();
    enough_ = true;
    noted_.notify_all();
  }
  const std::lock_guard lock(mutex_);
  --at_work_;
  all_done_.notify_all();
}

void Campaign::await_workers(const std::function<void(const CampaignProgress&)>& progress) {
  std::unique_lock lock(mutex_);
  while (!all_done_.wait_for(lock, kProgressSlice, [this] { return at_work_ == 0; })) {
    const CampaignProgress now{report_.executions, report_.failed, report_.failures.size(),
                               seconds_since(begun_), search_};
    lock.unlock();
    progress(now);
    lock.lock();
  }
}

void Campaign::confirm(ProgramServer& server) {
  Symbols symbols = debug_symbols(server.modules());
  const size_t count = std::min(report_.failures.size(), kMostConfirmed);
  for (size_t i = 0; i < count; ++i) {
    FoundFailure& found = report_.failures[i];
    // Each of these takes all the time it is given.
    const bool slow = found.failure.kind == FailureClass::kHang;
    for (unsigned n = 0; n < (slow ? 1 : kConfirmations) && !stop_.load(); ++n) {
      const Reproduction again = reproduce(server, found.failure, found.record, plan_.limit,
                                           /*look=*/n == 0, symbols);
      if (stop_.load()) break;
      ++found.replays;
      found.replayed += again.same;
      if (n == 0 && again.same) found.stacks = again.stacks;
    }
  }
}

CampaignReport Campaign::run(const std::function<void(const CampaignProgress&)>& progress) {
  std::optional<CorePin> pin(std::in_place, 0, 1);
  ProgramServer server(plan_.target, stop_);  // on that core as long as it lives
  report_.obstacle = server.obstacle();
  report_.at_start = server.forks_at_start();
  learn_accesses(server);
  measure(server);
  report_.tells_accesses = server.tells_accesses();
  pin.reset();
  if (plan_.portfolio) portfolio_.emplace();
  begun_ = Clock::now();
  at_work_ = plan_.jobs;
  std::vector<std::thread> workers;
  for (unsigned i = 0; i < plan_.jobs; ++i) workers.emplace_back([this, i] { work(i); });
  await_workers(progress);
  for (std::thread& worker : workers) worker.join();
  report_.seconds = seconds_since(begun_);
  report_.interrupted = stop_.load();
  if (error_) std::rethrow_exception(error_);
  if (portfolio_ && !plan_.search) report_.arms = portfolio_->arms();
  std::ranges::sort(report_.failures, first_before);
  confirm(server);
  return std::move(report_);
}

}  // namespace esox
