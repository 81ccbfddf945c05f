// SPDX-License-Identifier: Apache-2.0
// See leg_plan.h.
#include "harness/nights/night/leg_plan.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "base/text/input_error.h"
#include "harness/nights/hunt_file/server_place.h"
#include "harness/records/shard.h"
#include "harness/search/input_order.h"
#include "harness/search/plan.h"
#include "targets/registry.h"

namespace esox {
namespace {

constexpr double kMostSeconds = 365.0 * 24 * 3600;

// As --budget takes it.
std::string seconds_text(double seconds) {
  return fmt::format("{}s", static_cast<uint64_t>(std::clamp(seconds, 1.0, kMostSeconds)));
}

// Of a budget in executions, what this leg's share comes to in inputs.
std::optional<uint64_t> inputs_in_budget(const HuntFile& file, const Leg& leg, uint64_t each) {
  if (!file.budget.executions) return std::nullopt;
  const double share = leg.share * static_cast<double>(*file.budget.executions);
  return std::max<uint64_t>(1, static_cast<uint64_t>(share) / each);
}

TurnRules rules_of(const HuntFile& file, const Leg& leg, uint64_t night, const LegPlan& plan,
                   NightStore* store) {
  TurnRules rules;
  rules.night = night;
  rules.rest_nights = file.rest_nights;
  rules.within = file.turn_within;
  rules.most = inputs_in_budget(file, leg, plan.executions_each);
  if (store != nullptr) rules.reach = store->reach(leg.name);
  return rules;
}

void take_turns(LegPlan& plan, const std::vector<LegInput>& inputs, const TurnPlan& turns,
                const std::vector<TurnHistory>& history, const TurnRules& rules) {
  for (const size_t i : turns.order) plan.order.push_back(inputs[i]);
  for (const size_t i : turns.resting) {
    plan.not_now.push_back({inputs[i].input, inputs[i].engine,
                            fmt::format("rests, for it showed nothing new any more; last turn {} "
                                        "night{} ago",
                                        rules.night - history[i].last_night,
                                        rules.night - history[i].last_night == 1 ? "" : "s")});
  }
  for (const size_t i : turns.later) {
    plan.not_now.push_back({inputs[i].input, inputs[i].engine,
                            "beyond the budget of executions; its turn is in a later night"});
  }
  plan.nights_until_all = turns.nights_until_all;
  plan.must_reach = turns.must_reach;
}

void add_what_both_have(std::vector<std::string>& arguments, const HuntFile& file,
                        const LegSitting& sitting) {
  const auto add = [&](const char* option, const std::string& value) {
    arguments.emplace_back(option);
    arguments.push_back(value);
  };
  if (sitting.hunt_s) add("--budget", seconds_text(*sitting.hunt_s));
  add("--diagnose-budget", sitting.diagnose_s < 1 ? "0" : seconds_text(sitting.diagnose_s));
  if (sitting.jobs != 0) add("--jobs", std::to_string(sitting.jobs));
  add("--report", file.outputs.reports);
  add("--store", (file.out / "findings.db").string());
  add("--fail-on", "none");
  // Workers are freed before the night takes the whole leg for stuck.
  const double stuck_s = std::chrono::duration<double>(file.limits.stuck_after).count();
  add("--stuck-after", seconds_text(stuck_s / 2));
}

// As `esox hunt --shard` sees it.
bool is_in(const LegInput& input, const Shard& shard) {
  ConcreteInput concrete;
  concrete.input.id = input.input;
  concrete.engine = input.engine;
  return shard_of(concrete, shard.of) == shard.number;
}

}  // namespace

LegPlan plan_leg(const HuntFile& file, const Leg& leg, uint64_t night, NightStore* store) {
  LegPlan plan;
  if (leg.no_engine_fits) {
    throw InputError(file.file.string(), 0,
                     fmt::format("leg {}: the engines of the file, of options {} and of corpus {} "
                                 "have none in common",
                                 leg.name, leg.options.name, leg.corpus.name));
  }
  plan.program = program_of(leg.server, target_named(file.server_kind).places());
  std::vector<LegInput> inputs = inputs_of(leg, file.server_kind);
  if (inputs.empty()) {
    throw InputError(
        file.file.string(), 0,
        fmt::format("corpus {} holds no input for {}{}{}", leg.corpus.name, file.server_kind,
                    leg.engines.empty() ? "" : " on ", fmt::join(leg.engines, ", ")));
  }
  if (const auto shard = shard_from_text(file.shard)) {
    std::erase_if(inputs, [&](const LegInput& one) { return !is_in(one, *shard); });
  }
  plan.inputs = inputs.size();
  plan.executions_each = leg.corpus.executions_each.value_or(file.executions_each);
  if (file.budget.executions) {
    const double share = leg.share * static_cast<double>(*file.budget.executions);
    plan.executions_each =
        std::clamp<uint64_t>(static_cast<uint64_t>(share), 1, plan.executions_each);
  }
  std::map<TurnKey, TurnHistory> known;
  if (store != nullptr) known = store->turns(leg.name);
  std::vector<TurnHistory> history;
  for (const LegInput& one : inputs) {
    const auto found = known.find({one.input, one.engine});
    history.push_back(found == known.end() ? TurnHistory{} : found->second);
  }
  const TurnRules rules = rules_of(file, leg, night, plan, store);
  take_turns(plan, inputs, plan_turns(history, rules), history, rules);
  return plan;
}

std::vector<std::string> hunt_arguments(const HuntFile& file, const Leg& leg, const LegPlan& plan,
                                        const LegSitting& sitting) {
  std::vector<std::string> arguments = {"hunt"};
  const auto add = [&](const char* option, const std::string& value) {
    arguments.emplace_back(option);
    arguments.push_back(value);
  };
  add("--out", sitting.folder.string());
  add("--order", sitting.order_file.string());
  if (plan.must_reach > kWave) add("--wide", std::to_string(plan.must_reach));
  add("--executions", std::to_string(plan.executions_each));
  add("--server", plan.program);
  for (const std::string& option : leg.options.server_options) {
    arguments.push_back("--server-option=" + option);
  }
  if (!leg.engines.empty()) add("--engine", fmt::format("{}", fmt::join(leg.engines, ",")));
  add("--strategy", leg.strategy);
  add("--seed", std::to_string(sitting.seed));
  if (!file.shard.empty()) {
    add("--shard", file.shard);
    add("--campaign", file.campaign.empty() ? leg.name : file.campaign + "/" + leg.name);
  }
  if (file.learn) add("--learn", "on");
  if (!sitting.learn_from.empty()) add("--learn-from", sitting.learn_from.string());
  if (!file.gate) arguments.emplace_back("--no-gate");
  add("--isolation", file.isolation);
  if (!file.data_choices.empty()) add("--data-choices", file.data_choices);
  if (file.filters.none) arguments.emplace_back("--no-filters");
  for (const std::string& rules : file.filters.files) add("--filters", rules);
  add_what_both_have(arguments, file, sitting);
  if (leg.corpus.top == 0) {
    arguments.emplace_back("--all");
  } else {
    add("--top", std::to_string(leg.corpus.top));
  }
  for (const std::string& input : corpus_paths(leg, file.server_kind)) arguments.push_back(input);
  return arguments;
}

std::vector<std::string> resume_arguments(const HuntFile& file, const LegSitting& sitting) {
  std::vector<std::string> arguments = {"hunt", "--resume", sitting.folder.string()};
  add_what_both_have(arguments, file, sitting);
  return arguments;
}

std::string order_text(const LegPlan& plan) {
  std::string text = "# Tonight's inputs: those first whose last turn is the longest ago.\n";
  for (const LegInput& one : plan.order) text += order_line({one.input, one.engine, ""}) + "\n";
  return text;
}

}  // namespace esox
