// SPDX-License-Identifier: Apache-2.0
// esox night: one night of a hunt file (harness/nights/night): what it would do (--check), what it
// does, and what it tells at its end.
#include <fmt/format.h>

#include <atomic>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <optional>
#include <stdexcept>
#include <utility>

#include "base/process/paths.h"
#include "base/process/server_error.h"
#include "base/text/counted.h"
#include "base/text/input_error.h"
#include "harness/commands/command.h"
#include "harness/commands/options.h"
#include "harness/commands/output.h"
#include "harness/commands/stop_signals.h"
#include "harness/commands/workbench.h"
#include "harness/engine/data_choice_list.h"
#include "harness/nights/hunt_file/hunt_file_reader.h"
#include "harness/nights/hunt_file/server_place.h"
#include "harness/nights/night/hook.h"
#include "harness/nights/night/night_summary.h"
#include "harness/nights/night/night_summary_files.h"
#include "harness/nights/night/recheck.h"
#include "harness/nights/night/stage_plan.h"
#include "harness/nights/night/supervisor.h"
#include "harness/records/progress.h"
#include "harness/records/shard.h"
#include "targets/registry.h"

namespace esox {
namespace {

namespace fs = std::filesystem;

constexpr const char* kNightExamples = R"(
Examples:
  esox init mariadb                   writes nightly.yaml, a hunt file
  esox night nightly.yaml --check     what a night would do; nothing is run
  esox night nightly.yaml             one night; the same again goes on with one that was ended
  esox nights nightly                 all nights so far

A hunt file says what is hunted on which servers, under which options and for how long. A night does
all of it, unattended, and ends with a summary of what is new, still there or gone: docs/nights.md.

Exit status: 0 nothing that fails the night (`fail_on` of the file), 1 findings that do, 2 wrong
use, bad input, or a night that cannot be done, 3 esox itself failed.)";

struct NightOptions {
  std::string file;
  bool check = false;
  bool begin_anew = false;
  // Empty: as the file says, and all of it.
  std::string out;
  std::string seed;
  std::string shard;
  std::string campaign;
};

// What only the parts that know strategies, rules and data choices can say of a hunt file.
void check_words(const HuntFile& file) {
  const auto in_file = [&](const std::string& key, const auto& look) {
    try {
      look();
    } catch (const std::exception& error) {
      throw InputError(file.file.string(), 0, fmt::format("'{}': {}", key, error.what()));
    }
  };
  for (const std::string& strategy : file.strategies) {
    in_file("strategies", [&] {
      SearchOptions search;
      search.strategy = strategy;
      search.learn = file.learn ? "on" : "off";
      search.seed = "0";
      (void)exploration_settings(search);
    });
  }
  in_file("filters", [&] {
    (void)load_filters({file.filters.files, file.filters.none}, file.server_kind);
  });
  if (file.data_choices.empty()) return;
  in_file("data_choices",
          [&] { (void)parse_data_choices(file.data_choices, DataChoiceUse::kServer); });
}

// ---- --check

std::string time_of(const HuntFile& file, const Stage& stage) {
  if (file.budget.executions) {
    return fmt::format("{:.0f} executions",
                       stage.share * static_cast<double>(*file.budget.executions));
  }
  const double all_s = std::chrono::duration<double>(*file.budget.time).count();
  return duration_text(stage.share * all_s);
}

std::string turns_text(const HuntFile& file, const StagePlan& plan) {
  std::string text = fmt::format("{} inputs (times engines)", plan.inputs);
  if (plan.ranking.size() != plan.inputs) {
    text += fmt::format(", {} of them tonight", plan.ranking.size());
  }
  text += fmt::format(", at most {} executions each", plan.executions_each);
  if (plan.nights_until_all > 0) {
    text += fmt::format("; each has its turn within {}", counted(plan.nights_until_all, "night"));
  } else {
    text += "; within how many nights each has its turn is known after the first";
  }
  if (file.turn_within > 0 && plan.nights_until_all > file.turn_within) {
    text += fmt::format(" - asked for are {}: give it more time", file.turn_within);
  }
  return text;
}

int check_night(const HuntFile& file) {
  std::unique_ptr<NightStore> store;
  if (is_there(file.out / "nights.db")) store = std::make_unique<NightStore>(file.out);
  const auto last = store ? store->last_night() : std::nullopt;
  const uint64_t number = last ? last->number + 1 : 1;
  const std::vector<Stage> stages = stages_of(file, number);
  put_line(fmt::format("{}: night {} of {} would have {}, and write to {}", file.file.string(),
                       number, file.name, counted(stages.size(), "stage"), file.out.string()));
  if (last && last->state == NightState::kOpen) {
    put_line(
        fmt::format("The night {} has not come to its end; it is gone on with first, unless "
                    "it is too old or the file has changed.",
                    last->id));
  }
  size_t bad = 0;
  for (const Stage& stage : stages) {
    std::string text = fmt::format("\n{}  ({})\n", stage.name, time_of(file, stage));
    try {
      const StagePlan plan = plan_stage(file, stage, number, store.get());
      text += fmt::format("  server  {}\n  inputs  {}\n", plan.program, turns_text(file, plan));
    } catch (const std::runtime_error& problem) {
      ++bad;
      text += fmt::format("  cannot be done: {}\n", problem.what());
    }
    put(text);
  }
  if (bad == 0) return kNothingFound;
  warn(fmt::format("{} of {} stages cannot be done", bad, stages.size()));
  return kBadInput;
}

fs::path store_of(const Supervisor& supervisor) {
  return supervisor.spec().file.out / "findings.db";
}

// A server that is not there is told of by its stages.
std::vector<RecheckTarget> targets_of(const Supervisor& supervisor) {
  const HuntFile& file = supervisor.spec().file;
  std::vector<RecheckTarget> targets;
  for (const Stage& stage : supervisor.stages()) {
    try {
      targets.push_back({stage.server.name,
                         program_of(stage.server, target_named(file.server_kind).places()),
                         stage.options.server_options});
    } catch (const ServerError&) {
      continue;
    }
  }
  return targets;
}

void tell(Supervisor& supervisor, const Rechecked& one) {
  if (one.regressed) {
    std::fputs(fmt::format("regressed on {}: {} ({})\n", one.server_name, one.headline, one.finding)
                   .c_str(),
               stderr);
  }
  supervisor.log().write_through("known finding tried again", "",
                                 {{"finding", one.finding},
                                  {"server", one.server_name},
                                  {"result", recheck_name(one.result)},
                                  {"why", one.why},
                                  {"regressed", one.regressed}});
}

NightSummary summary_of(Supervisor& supervisor, const fs::path& metrics) {
  Store store(store_of(supervisor));
  NightSummary summary = gather_night_summary(supervisor.report(), supervisor.folder(), store);
  write_night_summary(summary, supervisor.folder(), metrics);
  return summary;
}

// Called by the night before its stages. What cannot be done is among what is missing of the night.
// The night's summary is there from then on.
void recheck_first(Supervisor& supervisor, const std::atomic<bool>& stop, double budget_s) {
  RecheckSpec spec;
  spec.night = supervisor.report().id;
  spec.esox = supervisor.spec().esox;
  spec.targets = targets_of(supervisor);
  spec.budget = std::chrono::milliseconds(static_cast<int64_t>(budget_s * 1000));
  spec.isolation = supervisor.spec().file.isolation;
  spec.folder = supervisor.folder();
  try {
    Store store(store_of(supervisor));
    const RecheckAccount account =
        recheck_known(spec, store, stop, [&](const Rechecked& one) { tell(supervisor, one); });
    supervisor.log().write("known findings were tried again", "",
                           {{"tried", account.tried.size()},
                            {"no_time_for", account.left},
                            {"no_file_of", account.no_file},
                            {"seconds", account.seconds}});
    summary_of(supervisor, {});
  } catch (const std::runtime_error& error) {
    supervisor.report().missing.push_back(
        fmt::format("known findings could not be tried again: {}", error.what()));
  }
}

// Nothing: that could not be done, which was told on the standard error output.
std::optional<NightSummary> end_with_summary(Supervisor& supervisor) {
  try {
    return summary_of(supervisor, supervisor.spec().file.outputs.metrics);
  } catch (...) {
    tell_error(std::current_exception());
    warn(fmt::format("esox report {} makes the night's summary later",
                     supervisor.folder().string()));
    return std::nullopt;
  }
}

// ---- a night

std::string account_text(const NightReport& night) {
  std::string text;
  for (const StageReport& stage : night.stages) {
    text += fmt::format("{}: {} of {} inputs, {} executions, {} in {}", stage.name,
                        stage.inputs_reached, stage.inputs_planned, stage.executions,
                        counted(stage.findings, "finding"), duration_text(stage.seconds));
    if (stage.time.total_s() > 0) {
      text += fmt::format(", {:.0f} % of the workers' time in executions",
                          100 * stage.time.executing_share());
    }
    text += "\n";
  }
  if (night.nights_until_all > 0) {
    text += fmt::format("Each input has its turn within {}.\n",
                        counted(night.nights_until_all, "night"));
  }
  for (const std::string& one : night.missing) text += "missing: " + one + "\n";
  return text;
}

uint64_t findings_of(const NightReport& night) {
  uint64_t sum = 0;
  for (const StageReport& stage : night.stages) sum += stage.findings;
  return sum;
}

// What a hook finds in its environment; without a summary only what the night itself knows.
std::vector<std::string> told_to_hook(const Supervisor& supervisor, const NightReport& night,
                                      const std::optional<NightSummary>& summary, int status) {
  std::vector<std::string> told{
      "ESOX_NIGHT=" + night.id,
      "ESOX_NAME=" + night.name,
      "ESOX_FOLDER=" + supervisor.folder().string(),
      "ESOX_FINDINGS=" + std::to_string(findings_of(night)),
      "ESOX_MISSING=" + std::to_string(summary ? summary->missing.size() : night.missing.size()),
      "ESOX_STATUS=" + std::to_string(status)};
  if (!summary) return told;
  told.push_back("ESOX_HEADLINE=" + night_summary_headline(*summary));
  told.push_back("ESOX_SUMMARY=" + (supervisor.folder() / "summary.txt").string());
  for (const auto& [name, fate] :
       {std::pair{"ESOX_NEW=", Fate::kNew}, std::pair{"ESOX_REGRESSED=", Fate::kRegressed},
        std::pair{"ESOX_STILL_THERE=", Fate::kStillThere}, std::pair{"ESOX_GONE=", Fate::kGone}}) {
    told.push_back(name + std::to_string(summary->count(fate)));
  }
  return told;
}

void run_the_hook(const HuntFile& file, Supervisor& supervisor,
                  const std::optional<NightSummary>& summary, int status) {
  if (file.outputs.hook.empty()) return;
  const HookResult hook = run_hook(file.outputs.hook, file.outputs.hook_limit, supervisor.folder(),
                                   told_to_hook(supervisor, supervisor.report(), summary, status));
  supervisor.log().write_through("hook", "", {{"ran", hook.ran}, {"trouble", hook.trouble}});
  if (hook.trouble.empty()) return;
  warn("the hook: " + hook.trouble);
}

int hunt_night(const HuntFile& file, bool begin_anew) {
  const StopSignals signals;
  NightSpec spec;
  spec.file = file;
  spec.esox = fs::read_symlink("/proc/self/exe");
  spec.esox_version = kEsoxVersion;
  spec.begin_anew = begin_anew;
  // Another campaign is another night.
  spec.shard = file.shard + (file.campaign.empty() ? "" : " of " + file.campaign);
  Supervisor supervisor(std::move(spec), signals.stop(), [](const std::string& line) {
    std::fputs((line + "\n").c_str(), stderr);
    std::fflush(stderr);
  });
  supervisor.set_recheck(
      [&](double budget_s) { recheck_first(supervisor, signals.stop(), budget_s); });
  const NightReport& night = supervisor.run();
  const std::optional<NightSummary> summary = end_with_summary(supervisor);
  put(account_text(night));
  if (summary) {
    put_line(night_summary_headline(*summary));
    put_line((supervisor.folder() / "summary.txt").string());
  }
  const int status = summary ? night_summary_status(*summary, file.fail_on) : kBadInput;
  if (!supervisor.finished()) {
    warn("the night was interrupted; the same command goes on with it");
    return status == kFound ? kFound : kNothingFound;
  }
  run_the_hook(file, supervisor, summary, status);
  return status;
}

int run_night(const NightOptions& options) {
  HuntFile file = read_hunt_file(options.file);
  if (!options.out.empty()) file.out = fs::absolute(options.out).lexically_normal();
  if (!options.seed.empty()) {
    file.seed = seed_of(options.seed);
    file.seed_fixed = true;
  }
  if (!options.shard.empty() && !shard_from_text(options.shard)) {
    throw UsageError(fmt::format("--shard {}: write NUMBER/OF, such as 3/20; at most {}",
                                 options.shard, kMostShards));
  }
  if (!options.shard.empty() && !file.seed_fixed) {
    throw UsageError("--shard needs --seed: all shards of one night have the same");
  }
  file.shard = options.shard;
  file.campaign = options.campaign;
  check_words(file);
  if (options.check) return check_night(file);
  return hunt_night(file, options.begin_anew);
}

}  // namespace

void add_night_command(Command& app, Chosen& chosen) {
  const auto [command, options] = define<NightOptions>(
      app, chosen, {"night", "one night of a hunt file, unattended", kNightExamples}, run_night);
  command.add_option("FILE", options.file, "a hunt file, as esox init writes it")->required();
  command.add_flag("--check", options.check, "only say what the night would do");
  command.add_flag("--new", options.begin_anew,
                   "begin another night even if one has not come to its end");
  command.add_option("--out", options.out, "in place of the file's `out`");
  command.add_option("--seed", options.seed, "in place of the file's `seed`");
  add_shard_options(command, options.shard, options.campaign);
}

}  // namespace esox
