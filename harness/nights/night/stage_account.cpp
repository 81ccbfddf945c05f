// SPDX-License-Identifier: Apache-2.0
#include "harness/nights/night/stage_account.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "harness/search/yield.h"

namespace esox {
namespace {

// Inputs that were left out in the hunt's course; an empty engine there means all.
class LeftOut {
 public:
  explicit LeftOut(const HuntReport& hunt) {
    for (const SkippedInput& one : hunt.skipped) why_[{one.input, one.engine}] = one.why;
  }
  const std::string* why(const StageInput& one) const {
    auto found = why_.find({one.input, one.engine});
    if (found == why_.end()) found = why_.find({one.input, ""});
    return found == why_.end() ? nullptr : &found->second;
  }

 private:
  std::map<TurnKey, std::string> why_;
};

std::map<TurnKey, const InputFigures*> figures_by_key(const HuntReport& hunt) {
  std::map<TurnKey, const InputFigures*> figures;
  for (const InputFigures& one : hunt.figures) figures[{one.input, one.engine}] = &one;
  return figures;
}

const InputFigures* reached(const std::map<TurnKey, const InputFigures*>& figures,
                            const StageInput& one) {
  const auto found = figures.find({one.input, one.engine});
  return found == figures.end() || found->second->executions == 0 ? nullptr : found->second;
}

TurnYield turn_yield(const InputFigures& figures) {
  for (const auto& [yield, turn] :
       {std::pair{Yield::kNothing, TurnYield::kSaturated},
        std::pair{Yield::kSome, TurnYield::kSome}, std::pair{Yield::kMuch, TurnYield::kFertile}}) {
    if (figures.yield == yield_name(yield)) return turn;
  }
  return TurnYield::kUnknown;
}

std::string why_not_all(const InputFigures& figures, const HuntReport& hunt) {
  const std::string had =
      fmt::format("{} of {} executions", figures.executions, hunt.executions_each);
  if (turn_yield(figures) == TurnYield::kSaturated) {
    return had + ": it showed nothing new any more, and handed the rest on";
  }
  return had + ": the time was over";
}

}  // namespace

void add_hunt(StageReport& stage, const HuntReport& hunt) {
  stage.server_path = hunt.server_path;
  stage.server_version = hunt.server_version;
  stage.server_options = hunt.server_options;
  stage.strategy = hunt.strategy;
  stage.seed = hunt.seed;
  stage.jobs = hunt.jobs;
  stage.findings = hunt.findings.size();
  static_cast<HuntCounts&>(stage) = hunt;
  stage.inputs_reached = static_cast<uint64_t>(std::ranges::count_if(
      hunt.figures, [](const InputFigures& one) { return one.executions > 0; }));
  // What of the stage's time the workers were not there for: beginning, reporting. A generation
  // does not measure its workers.
  if (stage.time.total_s() == 0) return;
  stage.time.other_s += std::max(0.0, stage.seconds * stage.jobs - stage.time.total_s());
}

std::vector<NotDone> not_done(const StagePlan& plan, const HuntReport* hunt) {
  std::vector<NotDone> list;
  if (hunt == nullptr) {
    for (const StageInput& one : plan.ranking) {
      list.push_back({one.input, one.engine, "not reached; it comes first in the next night"});
    }
  } else {
    const LeftOut left_out(*hunt);
    const auto figures = figures_by_key(*hunt);
    for (const StageInput& one : plan.ranking) {
      const InputFigures* had = reached(figures, one);
      if (const std::string* why = left_out.why(one)) {
        list.push_back({one.input, one.engine, *why});
      } else if (had == nullptr) {
        list.push_back({one.input, one.engine,
                        "not reached before the time was over; it comes first in the next night"});
      } else if (had->executions < hunt->executions_each && !had->search.exhausted) {
        list.push_back({one.input, one.engine, why_not_all(*had, *hunt)});
      }
    }
  }
  list.insert(list.end(), plan.not_now.begin(), plan.not_now.end());
  return list;
}

TurnsTaken turns_taken(const StagePlan& plan, const HuntReport& hunt) {
  const LeftOut left_out(hunt);
  const auto figures = figures_by_key(hunt);
  TurnsTaken taken;
  taken.all = true;
  for (const StageInput& one : plan.ranking) {
    const InputFigures* had = reached(figures, one);
    const bool failed = left_out.why(one) != nullptr;
    if (had != nullptr || failed) {
      // One whose setup fails is tried again after a rest.
      const TurnYield yield = failed ? TurnYield::kSaturated : turn_yield(*had);
      taken.turns.push_back({{one.input, one.engine}, yield});
      if (taken.all) ++taken.reach;
    } else {
      taken.all = false;
    }
  }
  return taken;
}

std::vector<NotDone> shortened(std::vector<NotDone> all) {
  if (all.size() <= kMostNotDone) return all;
  const size_t more = all.size() - kMostNotDone + 1;
  all.resize(kMostNotDone - 1);
  all.push_back(
      {fmt::format("{} more", more), "", "see the stage's hunt.json, and the next night"});
  return all;
}

}  // namespace esox
