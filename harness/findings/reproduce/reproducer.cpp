// SPDX-License-Identifier: Apache-2.0
#include "harness/findings/reproduce/reproducer.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "analysis/thread_name.h"
#include "base/mapped.h"
#include "base/process/paths.h"
#include "base/process/server_error.h"
#include "harness/engine/debug_symbols.h"
#include "harness/findings/diagnosis/critical_switch.h"
#include "harness/findings/diagnosis/fewest_choices.h"
#include "harness/findings/diagnosis/fewest_switches.h"
#include "harness/findings/diagnosis/parked_stacks.h"
#include "harness/findings/minimise/smallest_subset.h"
#include "harness/findings/reproduce/plan_json.h"
#include "harness/findings/reproduce/play_reproducer.h"
#include "harness/findings/reproduce/player.h"
#include "harness/records/ending_stacks.h"
#include "harness/records/finding_file.h"
#include "harness/records/out_folder.h"
#include "harness/records/synopsis.h"
#include "inputs/signals.h"
#include "preload/protocol/data_choice.h"
#include "targets/reproduce_script.h"

namespace esox {
namespace {

using Json = nlohmann::json;
using OrderedJson = nlohmann::ordered_json;
using Clock = std::chrono::steady_clock;

// Of findings that are no matter of holding threads; empty: of the others.
std::string beyond_holds(const Finding& finding) {
  if (finding.verdict == VerdictClass::kSerial) {
    return "a serial order goes wrong by itself: the requests one after the other show it";
  }
  if (ends_server(finding.input.input.clients)) {
    return "the server ends, and what it left behind is compared, which no script does";
  }
  return {};
}

std::vector<std::string> module_names(const std::vector<Module>& modules) {
  std::vector<std::string> names;
  names.reserve(modules.size());
  for (const Module& module : modules) names.push_back(module.name());
  return names;
}

// The functions below which each hold lies.
StackFunctions stack_functions(const Holds& holds, const Tried& tried, const Judged& judged,
                               const Finding& finding, const Exploration& exploration,
                               const ExecutorFactory& executors, Symbols& symbols) {
  StackFunctions functions;
  for (const HeldSegment& held : holds) {
    if (held.until != HeldSegment::Until::kPlace || held.point == 0) continue;
    const std::vector<std::string> detail =
        parked_stacks(executors, exploration, tried, finding.seed, held.point);
    functions[held.point] =
        functions_on(stack_from(detail, thread_name(client_names(finding.input.input), held.client),
                                symbols.site(held.site)),
                     module_names(judged.report.record.modules));
  }
  return functions;
}

// The search on one server, counted and within its budget.
class HoldSearch {
 public:
  HoldSearch(Player& player, const Input& input, const HoldLimits& limits,
             const std::atomic<bool>& stop)
      : player_(player), input_(input), stop_(stop), end_(Clock::now() + limits.budget) {}

  std::optional<HoldRounds> operator()(const Holds& holds, const RoundsWanted& wanted) {
    if (spent()) return std::nullopt;
    ++trials_;
    OrderedJson asked = {{"segments", segments_json(holds, input_)},
                         {"rounds", wanted.rounds},
                         {"all_must", wanted.all_must}};
    if (!wanted.counted.functions.empty()) {
      asked["counted"] = {wanted.counted.segment, wanted.counted.functions};
    }
    const Json answer = player_.ask(asked);
    const Json& what = answer.at("what");
    HoldRounds rounds{.rounds = answer.at("rounds"),
                      .violated = answer.at("violated"),
                      .held = what.value("held", 0u),
                      .counts = {}};
    if (answer.at("counts").is_array()) answer.at("counts").get_to(rounds.counts);
    for (const auto& [name, count] : what.items()) outcomes_[name] += count.get<unsigned>();
    return rounds;
  }

  bool spent() const { return stop_.load() || Clock::now() >= end_; }
  unsigned trials() const { return trials_; }

  std::string why_none() const {
    std::vector<std::string> seen;
    for (const auto& [name, count] : outcomes_) seen.push_back(fmt::format("{} {}", name, count));
    return fmt::format(
        "no place that was tried gave it in each of {} rounds{}: rounds of {} trials: {}", kSurely,
        spent() ? " before the budget was spent" : "", trials_, fmt::join(seen, ", "));
  }

 private:
  Player& player_;
  const Input& input_;
  const std::atomic<bool>& stop_;
  const Clock::time_point end_;
  unsigned trials_ = 0;
  std::map<std::string, unsigned> outcomes_;
};

// Each place without a name replaced by the innermost function around it that has one, where it was
// entered last.
Holds by_names(const FoundHolds& found, const StackFunctions& functions, HoldSearch& search) {
  Holds named = found.holds;
  for (size_t segment = 0; segment < named.size(); ++segment) {
    HeldSegment& held = named[segment];
    const auto names = functions.find(held.point);
    if (!held.place || !held.place->function.empty() || names == functions.end()) continue;
    for (const std::string& name : names->second) {
      const auto tried = search(found.holds, {.rounds = 1, .counted = {segment, {name}}});
      if (!tried || tried->counts.empty() || tried->counts.front() == 0) continue;
      held.place = HoldPlace{.function = name, .at = HoldPlace::At::kEntry, .module = {}};
      held.hit = tried->counts.front();
      break;
    }
  }
  return named;
}

constexpr unsigned kRoundsEach = 3;  // with other options; the last rounds are as many as wanted

// Of the plan's options for the server those without which its holds do not violate: a developer
// wants to know which these are, and mostly there are none. Those that are left when time is up are
// kept. `player` is taken over.
std::vector<std::string> needed_options(std::unique_ptr<Player> player, OrderedJson plan,
                                        const Finding& finding, const FindingServer& server,
                                        bool each, Clock::time_point end,
                                        const std::atomic<bool>& stop) {
  const unsigned rounds = std::min(kRoundsEach, rounds_wanted(finding));
  std::vector<std::string> all = plan["server"]["options"];
  const auto some = [&](const std::vector<size_t>& kept) {
    return mapped<std::string>(kept, [&](size_t option) { return all[option]; });
  };
  const auto violates = [&](const std::vector<size_t>& kept) {
    if (stop.load() || Clock::now() >= end) return false;
    plan["server"]["options"] = some(kept);
    try {
      if (!player) player = std::make_unique<Player>(server.path, plan, stop);
      const OrderedJson asked = {{"options", some(kept)},
                                 {"segments", plan["segments"]},
                                 {"rounds", rounds},
                                 {"all_must", true}};
      return player->ask(asked).at("violated") == rounds;
    } catch (const ServerError&) {
      player.reset();
      return false;  // it does not start so, say
    }
  };
  if (all.empty()) return all;
  if (!each) return violates({}) ? std::vector<std::string>() : all;
  return some(smallest_subset(all.size(), violates));
}

std::string why_nothing_compared(const Json& greeting, const Finding& finding) {
  const bool by_outcome = !greeting.at("compared").empty();
  const bool has_outcome = finding.ending == EndingKind::kFinished;
  if (by_outcome || !has_outcome) return {};
  return fmt::format("it differs in {}, of which plain statements tell nothing",
                     fmt::join(parts_that_differ(finding), ", "));
}

bool all_have_names(const Holds& holds) {
  return std::all_of(holds.begin(), holds.end(), [](const HeldSegment& held) {
    return !held.place || !held.place->function.empty();
  });
}

}  // namespace

HoldMaterial hold_material(Trials& trials, const Exploration& exploration, const Finding& finding,
                           const ExecutorFactory& executors) {
  HoldMaterial material;
  material.needs_esox = beyond_holds(finding);
  const Judged original = trials.original();
  const ReplayMatch match = match_replay(original.report.record, finding, exploration.rules());
  material.came = match.same && original.verdict.violation();
  if (!material.came) material.why_not = match.same ? "it is accepted now" : match.why;
  if (!material.came || !material.needs_esox.empty()) return material;
  const Input& input = finding.input.input;
  material.title = finding.ending == EndingKind::kFinished
                       ? headline(input, original.report.record, original.verdict)
                       : class_in_words(finding.verdict, finding.latent);

  const Tried start =
      fewest_choices(trials.tried_of(original), [&](const Schedule& schedule, const auto& values) {
        return trials.with_values(schedule, values);
      });
  trials.use_values(start.values);
  const Tried fewest =
      fewest_switches(start, [&](const Schedule& schedule) { return trials(schedule); });
  material.switches = switch_count(fewest.schedule);
  if (std::any_of(fewest.values.begin(), fewest.values.end(), is_taken_choice)) {
    material.needs_esox =
        "it needs data choices (a spurious wake-up, a short read, ...), which no hold brings about";
    return material;
  }
  const auto add_form = [&](const Tried& tried) {
    const std::optional<Judged> judged = trials.repeat(tried);
    if (!judged) return;
    Symbols symbols = debug_symbols(judged->report.record.modules);
    const Holds holds = holds_of(judged->report.record, judged->report.points, symbols);
    material.forms.push_back(
        {{holds, held_after_waits(holds, symbols)},
         stack_functions(holds, tried, *judged, finding, exploration, executors, symbols)});
  };
  add_form(fewest);
  const std::optional<CriticalSwitch> critical =
      critical_switch(fewest, [&](const Schedule& schedule) { return trials(schedule); });
  if (critical && switch_count(critical->violating.schedule) <= material.switches) {
    add_form(critical->violating);
    std::reverse(material.forms.begin(), material.forms.end());
  }
  if (material.forms.empty()) {
    material.needs_esox = "the budget was spent before its shortest schedule was found";
    material.out_of_time = true;
  }
  return material;
}

Reproducer reproduce(const HoldMaterial& material, const Finding& finding,
                     const FindingServer& server, const HoldLimits& limits,
                     const std::atomic<bool>& stop) {
  const auto started = Clock::now();
  Reproducer done;
  std::string& needs_esox = done.measured.needs_esox;
  needs_esox = material.needs_esox;
  done.out_of_time = material.out_of_time;
  if (!needs_esox.empty()) return done;
  const Input& input = finding.input.input;
  done.plan = plan_json(finding, material.title, server, plain_options(finding, server));
  auto player = std::make_unique<Player>(server.path, done.plan, stop);
  needs_esox = why_nothing_compared(player->greeting(), finding);
  if (!needs_esox.empty()) return done;
  HoldSearch search(*player, input, limits, stop);
  std::optional<FoundHolds> found;
  const StackFunctions* functions = nullptr;
  for (const HoldForm& form : material.forms) {
    if (found) break;
    found = find_holds(form.starts, form.functions, rounds_wanted(finding), std::ref(search));
    functions = &form.functions;
  }
  done.trials = search.trials();
  if (found) {
    done.functions = *functions;
    done.by_names = by_names(*found, *functions, search);
    done.plan["segments"] = segments_json(found->holds, input);
    if (found->control) done.plan["control"] = segments_json(*found->control, input);
    done.plan["build_id"] = player->greeting().value("build_id", "");
    OrderedJson& options = done.plan["server"]["options"];
    const OrderedJson all_options = options;
    options = needed_options(std::move(player), done.plan, finding, server, limits.each_option,
                             started + limits.budget, stop);
    const bool fewer = options != all_options;
    const auto last_rounds = [&] {
      return played_rounds(play(server.path, done.plan, limits.rounds, stop));
    };
    PlayedRounds rounds;
    try {
      rounds = last_rounds();
    } catch (const ServerError&) {
      if (!fewer || stop.load()) throw;
    }
    // Fewer options were tried on data that was made with all of them.
    if (fewer && (rounds.violated < limits.rounds || rounds.control_violated > 0)) {
      options = all_options;
      rounds = last_rounds();
    }
    rounds.as_made = true;
    done.measured = {.needs_esox = {},
                     .by_name = all_have_names(found->holds),
                     .version = server.version,
                     .rounds = rounds};
    if (rounds.control_violated > 0) {
      needs_esox = fmt::format("the control violated, too, in {} of {} rounds",
                               rounds.control_violated, rounds.control_rounds);
    }
  } else {
    needs_esox = search.why_none();
    done.out_of_time = search.spent();
  }
  done.seconds = std::chrono::duration<double>(Clock::now() - started).count();
  return done;
}

void write_reproducer(const std::filesystem::path& finding_file, const Reproducer& reproducer) {
  const std::filesystem::path file = beside_finding(finding_file, "reproduce.json");
  const std::filesystem::path script = beside_finding(finding_file, "reproduce.py");
  if (!reproducer.violates()) {
    const bool kept = reproducer.measured.needs_esox.empty() || reproducer.out_of_time;
    if (kept || is_there(script)) return;
  } else {
    write_whole_file(script, kReproduceScript);
  }
  OrderedJson plan = reproducer.violates() ? reproducer.plan : OrderedJson{{"format", kPlanFormat}};
  plan["measured"] = OrderedJson::parse(to_json(reproducer.measured, 0));
  write_whole_file(file, plan.dump(1, ' ', false, OrderedJson::error_handler_t::replace) + "\n");
}

}  // namespace esox
