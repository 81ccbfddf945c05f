// SPDX-License-Identifier: Apache-2.0
#include "harness/nights/night/stage_plan.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "base/text/counted.h"
#include "base/text/input_error.h"
#include "harness/nights/hunt_file/server_place.h"
#include "harness/records/shard.h"
#include "harness/search/input_ranking.h"
#include "harness/search/plan.h"
#include "targets/registry.h"

namespace esox {
namespace {

constexpr double kMostSeconds = 365.0 * 24 * 3600;

// As --budget takes it.
std::string seconds_text(double seconds) {
  return fmt::format("{}s", static_cast<uint64_t>(std::clamp(seconds, 1.0, kMostSeconds)));
}

// Of a budget in executions, what this stage's share comes to in inputs.
std::optional<uint64_t> inputs_in_budget(const HuntFile& file, const Stage& stage, uint64_t each) {
  if (!file.budget.executions) return std::nullopt;
  const double share = stage.share * static_cast<double>(*file.budget.executions);
  return std::max<uint64_t>(1, static_cast<uint64_t>(share) / each);
}

TurnRules rules_of(const HuntFile& file, const Stage& stage, uint64_t night, const StagePlan& plan,
                   NightStore* store) {
  TurnRules rules;
  rules.night = night;
  rules.rest_nights = file.rest_nights;
  rules.within = file.turn_within;
  rules.most = inputs_in_budget(file, stage, plan.executions_each);
  if (store != nullptr) rules.reach = store->reach(stage.name);
  return rules;
}

void take_turns(StagePlan& plan, const std::vector<StageInput>& inputs, const TurnPlan& turns,
                const std::vector<TurnHistory>& history, const TurnRules& rules) {
  for (const size_t i : turns.ranking) plan.ranking.push_back(inputs[i]);
  for (const size_t i : turns.resting) {
    plan.not_now.push_back(
        {inputs[i].input, inputs[i].engine,
         fmt::format("rests, for it showed nothing new any more; last turn {} ago",
                     counted(rules.night - history[i].last_night, "night"))});
  }
  for (const size_t i : turns.later) {
    plan.not_now.push_back({inputs[i].input, inputs[i].engine,
                            "beyond the budget of executions; its turn is in a later night"});
  }
  plan.nights_until_all = turns.nights_until_all;
  plan.must_reach = turns.must_reach;
}

void add_what_both_have(std::vector<std::string>& arguments, const HuntFile& file,
                        const StageLaunch& launch) {
  const auto add = [&](const char* option, const std::string& value) {
    arguments.emplace_back(option);
    arguments.push_back(value);
  };
  if (launch.hunt_s) add("--budget", seconds_text(*launch.hunt_s));
  add("--diagnose-budget", launch.diagnose_s < 1 ? "0" : seconds_text(launch.diagnose_s));
  if (launch.jobs != 0) add("--jobs", std::to_string(launch.jobs));
  add("--report", file.outputs.reports);
  add("--store", (file.out / "findings.db").string());
  add("--fail-on", "none");
  // Workers are freed before the night takes the whole stage for stuck.
  const double stuck_s = std::chrono::duration<double>(file.limits.stuck_after).count();
  add("--stuck-after", seconds_text(stuck_s / 2));
}

// The server, and how its executions are made and judged.
void add_server(std::vector<std::string>& arguments, const HuntFile& file, const Stage& stage,
                const StagePlan& plan, const StageLaunch& launch) {
  const auto add = [&](const char* option, const std::string& value) {
    arguments.emplace_back(option);
    arguments.push_back(value);
  };
  add("--server", plan.program);
  for (const std::string& option : stage.options.server_options) {
    arguments.push_back("--server-option=" + option);
  }
  add("--seed", std::to_string(launch.seed));
  add("--isolation", file.isolation);
  if (!file.data_choices.empty()) add("--data-choices", file.data_choices);
  add("--background", name_in(kBackgroundNames, file.background));
  if (file.filters.none) arguments.emplace_back("--no-filters");
  for (const std::string& rules : file.filters.files) add("--filters", rules);
}

// As `esox hunt --shard` sees it.
bool is_in(const StageInput& input, const Shard& shard) {
  ConcreteInput concrete;
  concrete.input.id = input.input;
  concrete.engine = input.engine;
  return shard_of(concrete, shard.of) == shard.number;
}

}  // namespace

StagePlan plan_stage(const HuntFile& file, const Stage& stage, uint64_t night, NightStore* store) {
  StagePlan plan;
  if (stage.no_engine_fits) {
    throw InputError(
        file.file.string(), 0,
        fmt::format("stage {}: the engines of the file, of options {} and of corpus {} "
                    "have none in common",
                    stage.name, stage.options.name, stage.corpus.name));
  }
  plan.program = program_of(stage.server, target_named(file.server_kind).places());
  if (stage.corpus.grammar) return plan;
  std::vector<StageInput> inputs = inputs_of(stage, file.server_kind);
  if (inputs.empty()) {
    throw InputError(
        file.file.string(), 0,
        fmt::format("corpus {} holds no input for {}{}{}", stage.corpus.name, file.server_kind,
                    stage.engines.empty() ? "" : " on ", fmt::join(stage.engines, ", ")));
  }
  if (const auto shard = shard_from_text(file.shard)) {
    std::erase_if(inputs, [&](const StageInput& one) { return !is_in(one, *shard); });
  }
  plan.inputs = inputs.size();
  plan.executions_each = stage.corpus.executions_each.value_or(file.executions_each);
  if (file.budget.executions) {
    const double share = stage.share * static_cast<double>(*file.budget.executions);
    plan.executions_each =
        std::clamp<uint64_t>(static_cast<uint64_t>(share), 1, plan.executions_each);
  }
  std::map<TurnKey, TurnHistory> known;
  if (store != nullptr) known = store->turns(stage.name);
  std::vector<TurnHistory> history;
  for (const StageInput& one : inputs) {
    const auto found = known.find({one.input, one.engine});
    history.push_back(found == known.end() ? TurnHistory{} : found->second);
  }
  const TurnRules rules = rules_of(file, stage, night, plan, store);
  take_turns(plan, inputs, plan_turns(history, rules), history, rules);
  return plan;
}

std::vector<std::string> hunt_arguments(const HuntFile& file, const Stage& stage,
                                        const StagePlan& plan, const StageLaunch& launch) {
  std::vector<std::string> arguments = {"hunt"};
  const auto add = [&](const char* option, const std::string& value) {
    arguments.emplace_back(option);
    arguments.push_back(value);
  };
  add("--out", launch.folder.string());
  add("--ranking", launch.ranking_file.string());
  if (plan.must_reach > kWave) add("--wide", std::to_string(plan.must_reach));
  add("--executions", std::to_string(plan.executions_each));
  add_server(arguments, file, stage, plan, launch);
  if (!stage.engines.empty()) add("--engine", fmt::format("{}", fmt::join(stage.engines, ",")));
  add("--strategy", stage.strategy);
  if (!file.shard.empty()) {
    add("--shard", file.shard);
    add("--campaign", file.campaign.empty() ? stage.name : file.campaign + "/" + stage.name);
  }
  if (file.learn) add("--learn", "on");
  if (!launch.learn_from.empty()) add("--learn-from", launch.learn_from.string());
  if (!file.gate) arguments.emplace_back("--no-gate");
  add_what_both_have(arguments, file, launch);
  if (stage.corpus.top == 0) {
    arguments.emplace_back("--all");
  } else {
    add("--top", std::to_string(stage.corpus.top));
  }
  for (const std::string& input : corpus_paths(stage, file.server_kind)) arguments.push_back(input);
  return arguments;
}

// To begin it, and to go on with it.
std::vector<std::string> generate_arguments(const HuntFile& file, const Stage& stage,
                                            const StagePlan& plan, const StageLaunch& launch) {
  std::vector<std::string> arguments = {"generate", "--to", launch.folder.string()};
  const auto add = [&](const char* option, const std::string& value) {
    arguments.emplace_back(option);
    arguments.push_back(value);
  };
  if (!stage.corpus.grammar->empty()) add("--grammar", *stage.corpus.grammar);
  if (!launch.learn_from.empty()) add("--from", launch.learn_from.string());
  if (!file.shard.empty()) add("--shard", file.shard);
  if (launch.hunt_s) add("--budget", seconds_text(*launch.hunt_s));
  if (file.budget.executions) {
    const double share = stage.share * static_cast<double>(*file.budget.executions);
    add("--executions", std::to_string(std::max<uint64_t>(1, static_cast<uint64_t>(share))));
  }
  if (launch.jobs != 0) add("--jobs", std::to_string(launch.jobs));
  add("--store", (file.out / "findings.db").string());
  add("--fail-on", "none");
  add_server(arguments, file, stage, plan, launch);
  return arguments;
}

std::vector<std::string> resume_arguments(const HuntFile& file, const StageLaunch& launch) {
  std::vector<std::string> arguments = {"hunt", "--resume", launch.folder.string()};
  add_what_both_have(arguments, file, launch);
  return arguments;
}

std::string ranking_text(const StagePlan& plan) {
  std::string text = "# Tonight's inputs: those first whose last turn is the longest ago.\n";
  for (const StageInput& one : plan.ranking)
    text += ranking_line({one.input, one.engine, ""}) + "\n";
  return text;
}

}  // namespace esox
