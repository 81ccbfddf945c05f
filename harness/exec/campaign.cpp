// SPDX-License-Identifier: Apache-2.0
// See campaign.h.
#include "harness/exec/campaign.h"

#include <algorithm>
#include <thread>

#include "harness/exec/access_learning.h"
#include "harness/exec/reproduction.h"
#include "harness/exec/site_names.h"
#include "harness/hunt/pinning.h"
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

double seconds_since(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
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

// How long an execution is, and how many threads it has: what PCT must know beforehand. Measured on
// executions that are none of the campaign's.
void Campaign::measure(ProgramServer& server) {
  for (uint64_t i = 1; i <= kMeasured && !stop_.load(); ++i) {
    ProgramOrder order;
    order.strategy.kind = StrategyKind::kRandom;
    order.strategy.switch_probability = 0.5;
    order.seed = execution_seed(plan_.seed ^ kMeasureSalt, i);
    order.limit = plan_.limit;
    const ProgramEnd end = server.run(order);
    if (end.ending == ControlEnding::kHang || end.out_of_time) break;  // as long as is allowed
    expected_points_ = std::max(expected_points_, end.offered);
    expected_threads_ = std::max(expected_threads_, end.threads);
  }
  if (plan_.expected_points != 0) expected_points_ = plan_.expected_points;
}

ProgramOrder Campaign::order_of(uint64_t number) const {
  ProgramOrder order;
  order.strategy = plan_.strategy;
  order.seed = execution_seed(plan_.seed, number);
  order.expected_points = expected_points_;
  order.expected_threads = expected_threads_;
  order.limit = plan_.limit;
  return order;
}

std::optional<uint64_t> Campaign::next_number() {
  const std::lock_guard lock(mutex_);
  if (plan_.budget && Clock::now() - begun_ >= *plan_.budget) enough_ = true;
  if (enough_ || stop_.load() || given_out_ == plan_.executions) return std::nullopt;
  return ++given_out_;
}

void Campaign::take(uint64_t number, const ProgramEnd& end, const ProgramServer& server,
                    Symbols& symbols) {
  const auto kind = failure_class(end, plan_.thread_leaks);
  const std::vector<std::string> doubts = doubts_about(end);
  std::optional<Failure> failure;
  if (kind && doubts.empty()) failure = describe_failure(*kind, end, server, symbols);
  const std::lock_guard lock(mutex_);
  ++report_.executions;
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
  if (failure) take_failure(number, *failure, server, symbols);
}

// The lock is held.
void Campaign::take_failure(uint64_t number, const Failure& failure, const ProgramServer& server,
                            Symbols& symbols) {
  ++report_.failed;
  enough_ = enough_ || plan_.until_failure;
  auto& failures = report_.failures;
  auto at = std::find_if(failures.begin(), failures.end(), [&](const FoundFailure& one) {
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
  at->record.seed = execution_seed(plan_.seed, number);
  at->record.strategy = plan_.strategy_text;
  at->threads = thread_names(server.routines(), symbols);
  if (failure.kind == FailureClass::kDeadlock) {
    at->standing = waiting_lines(server.waiting(), at->record, at->threads, symbols);
  }
  at->output = server.output();
}

void Campaign::work(size_t worker) {
  try {
    const CorePin pin(worker, plan_.jobs);
    ProgramServer server(plan_.target, stop_);
    server.offer(accesses_);
    Symbols symbols(server.modules());
    while (const auto number = next_number()) {
      const ProgramEnd end = server.run(order_of(*number));
      if (!end.stopped) take(*number, end, server, symbols);
    }
  } catch (...) {
    const std::lock_guard lock(mutex_);
    if (!error_ && !stop_.load()) error_ = std::current_exception();
    enough_ = true;
  }
  const std::lock_guard lock(mutex_);
  --at_work_;
  all_done_.notify_all();
}

void Campaign::await_workers(const std::function<void(const CampaignProgress&)>& progress) {
  std::unique_lock lock(mutex_);
  while (!all_done_.wait_for(lock, kProgressSlice, [this] { return at_work_ == 0; })) {
    const CampaignProgress now{report_.executions, report_.failed, report_.failures.size(),
                               seconds_since(begun_)};
    lock.unlock();
    progress(now);
    lock.lock();
  }
}

void Campaign::confirm(ProgramServer& server) {
  Symbols symbols(server.modules());
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
  begun_ = Clock::now();
  at_work_ = plan_.jobs;
  std::vector<std::thread> workers;
  for (unsigned i = 0; i < plan_.jobs; ++i) workers.emplace_back([this, i] { work(i); });
  await_workers(progress);
  for (std::thread& worker : workers) worker.join();
  report_.seconds = seconds_since(begun_);
  report_.interrupted = stop_.load();
  if (error_) std::rethrow_exception(error_);
  std::sort(report_.failures.begin(), report_.failures.end(), first_before);
  confirm(server);
  return std::move(report_);
}

}  // namespace esox
