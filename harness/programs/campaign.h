// SPDX-License-Identifier: Apache-2.0
// Many executions of one program, each under a schedule of its own, and what failed in them.
//
// Execution number i (from 1) has a seed that follows from the campaign's seed and i alone, and the
// numbers are given out in order: so which executions fail, and which failed first, depends neither
// on the number of workers nor on their speed. Under the portfolio (program_portfolio.h) it follows
// from the executions before it, too.
//
// A campaign that searches (harness/search/exhaustive) has one worker, since which execution comes
// next depends on those before.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <exception>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "harness/programs/failure.h"
#include "harness/programs/program_portfolio.h"
#include "harness/programs/program_server.h"
#include "harness/search/exhaustive/search_spec.h"
#include "harness/search/search_jobs.h"

namespace esox {

struct CampaignPlan {
  ProgramTarget target;
  StrategySpec strategy;
  std::string strategy_text;
  bool portfolio = false;                        // instead of the strategy: program_portfolio.h
  std::optional<exhaustive::SearchSpec> search;  // instead of either
  uint64_t seed = 0;
  uint64_t expected_points = 0;  // of one execution; 0: measured beforehand
  uint64_t executions = 1000;
  bool until_failure = false;
  std::optional<std::chrono::milliseconds> budget;  // of all executions together
  std::chrono::milliseconds limit{10'000};          // of one
  unsigned jobs = 1;
  bool thread_leaks = false;  // is a failure
};

// One distinct failure, as its first execution showed it.
struct FoundFailure {
  Failure failure;
  uint64_t hits = 0;
  ExecutionRecord record;             // with number, seed and strategy
  std::vector<std::string> threads;   // their names
  std::vector<std::string> standing;  // a deadlock, a hang: where each thread stands
  std::string output;
  std::vector<std::string> stacks;  // of the replay, for people
  unsigned replays = 0;
  unsigned replayed = 0;  // of them, how many showed the failure again
};

// How far a search has come.
struct SearchState {
  std::string now;      // which of its jobs it is at; empty: it has one
  double share = 0;     // of the tree
  double estimate = 0;  // of its executions; 0: not known
};

struct CampaignReport {
  uint64_t executions = 0;
  uint64_t judged = 0;
  uint64_t failed = 0;
  uint64_t leaking = 0;                    // ended with threads left
  std::map<std::string, uint64_t> doubts;  // why executions were not judged, how often each
  std::vector<FoundFailure> failures;      // by the number of their first execution
  uint64_t more_failures = 0;              // executions whose failure there was no room for
  uint64_t points = 0;                     // of all executions
  uint64_t switches = 0;
  uint64_t longest = 0;      // points offered to the strategy, of one execution
  uint32_t threads = 0;      // at most, of one execution
  uint64_t out_of_time = 0;  // executions that took longer than they may
  double seconds = 0;
  bool interrupted = false;
  std::string obstacle;  // why executions begin with the program; empty: with its first thread
  bool at_start = false;
  std::optional<exhaustive::SearchResult> search;  // of a campaign that is one and not iterative
  std::vector<SearchJob> jobs;                     // of an iterative one, as they were made
  bool jobs_exhausted = false;                     // ... it left nothing out
  std::vector<ProgramArm> arms;                    // of the portfolio
  bool tells_accesses = false;                     // the program was built for it
  std::vector<std::string> access_sites;  // level conflicting: those offered (site_names.h)
};

struct CampaignProgress {
  uint64_t executions = 0;
  uint64_t failed = 0;
  size_t failures = 0;  // distinct ones
  double seconds = 0;
  SearchState search;
};

inline constexpr size_t kMostDistinctFailures = 50;
// After so many executions that went on and on there are no more: they take all the time there is,
// and would be told as the same failure.
inline constexpr uint64_t kMostOutOfTime = 10;
inline constexpr unsigned kConfirmations = 3;  // replays of a failure before it is told

uint64_t execution_seed(uint64_t seed, uint64_t number);

class Campaign {
 public:
  // `stop` ends it soon, with what there is.
  Campaign(CampaignPlan plan, const std::atomic<bool>& stop);

  // Throws ServerError. `progress` is told now and then what there is so far, by this thread.
  CampaignReport run(const std::function<void(const CampaignProgress&)>& progress);

 private:
  void learn_accesses(ProgramServer& server);
  void measure(ProgramServer& server);
  // An execution to be made.
  struct Turn {
    uint64_t number = 0;
    size_t arm = 0;  // of the portfolio
  };

  ProgramSpec order_of(const Turn& turn) const;
  std::string strategy_text(const Turn& turn) const;
  std::optional<Turn> next_turn();
  void work(size_t worker);
  void sample(ProgramServer& server, Symbols& symbols);
  void search(ProgramServer& server, Symbols& symbols);
  void search_one_tree(exhaustive::ScheduleRunner& schedules);
  void search_iteratively(exhaustive::ScheduleRunner& schedules, Symbols& symbols);
  double executions_left();
  void tell_search(SearchState state);
  void take(const Turn& turn, const ProgramEnd& end, const ProgramServer& server, Symbols& symbols);
  void take_failure(const Turn& turn, const Failure& failure, const ProgramServer& server,
                    Symbols& symbols);
  void await_workers(const std::function<void(const CampaignProgress&)>& progress);
  void confirm(ProgramServer& server);

  const CampaignPlan plan_;
  const std::atomic<bool>& stop_;
  uint64_t expected_points_ = 0;              // of one execution, measured
  std::vector<uint64_t> expected_points_of_;  // by thread, of the first ones
  std::vector<ObjectPoints> shared_objects_;
  uint32_t expected_threads_ = 0;
  AccessSettings accesses_;
  std::chrono::steady_clock::time_point begun_;

  std::mutex mutex_;        // guards what follows
  uint64_t given_out_ = 0;  // the number of the last execution
  bool enough_ = false;
  unsigned at_work_ = 0;
  std::condition_variable all_done_;
  std::optional<ProgramPortfolio> portfolio_;
  std::condition_variable noted_;  // an execution, by the portfolio; or it is enough
  std::exception_ptr error_;
  CampaignReport report_;
  SearchState search_;
};

}  // namespace esox
