// SPDX-License-Identifier: Apache-2.0
// One input on one engine: its serial orders executed, its schedules explored and judged.
//
// Its serial orders are executed when they are needed (serial_orders.h), each execution is judged
// by them (judge.h). A violation with a new cause is confirmed before it is believed: its serial
// orders are executed twice more under further dates, which may uncover rarer nondeterminism, and
// its schedule is replayed on a fresh server. Only what is still a violation, with the same
// outcome, is a finding.
//
// Where the settings ask for a search (harness/search/exhaustive), each execution is the search's
// next one and the search is told what came of it. It is not kept from one launch to the next but
// made again, by the executions that it had, unjudged. Under the portfolio a part of the executions
// is that of the systematic pass (preemption_pass.h), which is kept.
//
// An Exploration is used by one thread at a time, with any executor. Throws SetupError and
// ServerError (executor.h).
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "analysis/conflict_pool.h"
#include "analysis/coverage.h"
#include "analysis/finding.h"
#include "analysis/masks.h"
#include "analysis/serial_run.h"
#include "filters/rules_in_force.h"
#include "harness/engine/background.h"
#include "harness/engine/executor.h"
#include "harness/hunt/judge.h"
#include "harness/hunt/serial_orders.h"
#include "harness/records/exploration_memory.h"
#include "harness/records/report.h"
#include "harness/search/exhaustive/preemption_pass.h"
#include "harness/search/exhaustive/search_spec.h"
#include "harness/search/input_search.h"
#include "harness/search/learning.h"
#include "harness/search/portfolio.h"
#include "harness/search/prediction.h"
#include "harness/search/variation.h"

namespace esox {

// Where the virtual clock of every execution begins: 2030-01-01 00:00:00 UTC. Later than any file
// of the template, and always the same, so that a seed means the same on every day.
inline constexpr int64_t kClockBase_ns = 1'893'456'000'000'000'000;

struct ExplorationSettings {
  StrategySpec strategy;
  std::string strategy_text;
  bool portfolio = false;  // `strategy` is not used: each execution is as portfolio.h says
  std::optional<exhaustive::SearchSpec> search;  // instead of it, in explore()
  uint64_t hunt_seed = 1;
  bool learn = false;  // filter part of the executions by what earlier ones showed (learning.h)
  std::shared_ptr<const ConflictPool> pool;  // of earlier hunts, where it learns; may be null
  int64_t clock_base_ns = 0;
  Background background = Background::kOff;
  ServerFacts server;                      // for the filters' scopes
  std::shared_ptr<const RuleSet> filters;  // null: nothing is forgiven
  unsigned confirmations = 2;  // replays that must agree before a violation is a finding
  // Violations that would be none of the news, as findings that nobody has confirmed: they are not
  // looked into, and told as doubtful. Empty: all are news.
  std::function<bool(const Finding&)> is_no_news;
};

class Exploration {
 public:
  Exploration(ConcreteInput input, ExplorationSettings settings);
  Exploration(const Exploration&) = delete;
  Exploration& operator=(const Exploration&) = delete;

  const ConcreteInput& input() const { return input_; }
  std::string name() const;  // "pairs/a--b [Aria]"

  // Executes the two extreme serial orders, if not done yet: lengths and nondeterminism.
  void prepare(Executor& executor);
  bool prepared() const { return prepared_; }

  // Places known to differ between equal serial runs: of a finding, say, that was judged under
  // them.
  void add_known_masks(const Masks& masks);

  // What an earlier hunt passes on, to begin with; before anything is executed.
  void recall(const Experience& experience);

  // What an earlier launch of the same hunt knew, and goes on from; before anything is executed.
  // The serial orders are executed again by prepare(), and not counted again.
  void restore(ExplorationMemory memory);
  ExplorationMemory memory() const;

  // The `number`-th concurrent execution (from 1), with its seed and, where there is a portfolio,
  // the strategy that is next as things stand. The seed follows from the hunt's seed, the input,
  // the engine and the number. Executions that were left out (`esox run --from`), and that it is to
  // have learnt from, are made first; numbers ascend.
  Judged explore(Executor& executor, uint64_t number);

  // Judges an execution that was made elsewhere (a replay).
  Judged judge_report(Executor& executor, ExecutionReport report);

  // Looks for doubts in a violation as explore() does with a new one. Its cause is gone if it turns
  // out to be nondeterminism.
  void confirm(Executor& executor, Judged& judged);

  uint64_t seed_of(uint64_t number) const;
  ExecutionPlan plan(uint64_t number) const;
  ExecutionPlan plan_replay(const std::vector<Choice>& choices, const std::vector<uint64_t>& values,
                            uint64_t seed) const;

  // Of a violation with a cause, judged here.
  Finding finding_in(const Judged& judged) const;

  const std::vector<SerialRun>& serial_runs() const { return orders_.runs(); }
  const Masks& masks() const { return orders_.masks(); }
  const RulesInForce& rules() const { return judge_.rules(); }
  // Whether threads of the server's own are scheduled; after prepare().
  bool has_contexts() const { return orders_.contexts(); }
  uint64_t expected_points() const;
  // Of the graph of serial states; all 0 for an input with few orders.
  SerialGraph::Counts serial_counts() const { return orders_.graph_counts(); }
  uint64_t serial_executions() const;
  uint64_t endless_orders() const { return orders_.endless(); }  // serial executions that hung
  uint64_t replays() const { return replays_; }
  const Lessons& lessons() const { return lessons_; }
  const std::vector<Prediction>& predictions() const { return predictions_; }
  std::vector<ArmFigures> arms() const;  // none without a portfolio
  // How far the systematic pass has come; nothing without a portfolio.
  std::optional<exhaustive::PassFigures> systematic() const;
  // It is laid down for a while: what would be large in memory is forgotten, and had again by
  // executions that need no verdict.
  void rest();
  // How far the search has come; null where there is none.
  const InputSearch* search() const { return search_.get(); }
  // So many executions of this input are to come, as far as is known: a search goes by it.
  void expect(double executions);
  // How far the search has come, for people; empty where there is none.
  std::string search_text() const;
  // Nothing is left to be executed: the search has ended.
  bool searched() const { return searched_; }
  const Coverage& coverage() const { return coverage_; }  // of what explore() gave

 private:
  void catch_up(Executor& executor, uint64_t number);
  Judged explore_next(Executor& executor, uint64_t number);
  bool is_systematic(Executor& executor, uint64_t number);
  ExecutionPlan plan_beginning(const exhaustive::Beginning& beginning, uint64_t number) const;
  void choose_strategy(ExecutionPlan& plan) const;
  size_t arm_of(uint64_t seed) const;
  void search_on(const ExecutionReport& report, bool violation);
  void search_again(Executor& executor, uint64_t number);
  void watch(const ExecutionRecord& record, uint64_t number);
  void note_behaviour(const Judged& judged, ArmRecord& arm);
  void learn_from(const ExecutionRecord& record, uint64_t number);
  void filter(ExecutionPlan& plan, const ConflictTable& table,
              const std::vector<double>& shares) const;
  void examine(Executor& executor, Judged& judged);
  void leave_out_idle_values(Executor& executor, Judged& judged);

  ConcreteInput input_;
  ExplorationSettings settings_;
  SerialOrders orders_;
  Judge judge_;
  bool prepared_ = false;
  std::optional<ExplorationMemory> restored_;  // until prepare() has brought it back
  uint64_t replays_ = 0;
  std::map<std::string, ExplorationMemory::Doubt> doubts_;  // cause id -> why not believed
  std::set<std::string> causes_;                            // confirmed ones
  ConflictTable pooled_;                                    // what the pool has for this input
  Lessons lessons_;
  Coverage coverage_;
  uint64_t last_ = 0;  // number of the last execution
  PortfolioRecord portfolio_;
  PortfolioRecord recalled_;  // what it began with
  std::optional<exhaustive::PreemptionPass> pass_;
  ArmRecord pass_arm_;
  std::vector<Exemplar> exemplars_;
  TroubleCollector troubles_;
  std::vector<Prediction> predictions_;
  std::unique_ptr<InputSearch> search_;
  std::vector<Module> search_modules_;  // of its last execution
  ExplorationMemory::SearchMemory search_memory_;
  bool searched_ = false;
};

}  // namespace esox
