// SPDX-License-Identifier: Apache-2.0
// esox exec: runs any pthread program under many schedules and keeps the ones it fails under.
#include <fmt/format.h>

#include <cstdio>
#include <cstdlib>
#include <stdexcept>
#include <utility>

#include "analysis/rows.h"
#include "base/process/find_program.h"
#include "base/process/server_error.h"
#include "base/text/counted.h"
#include "harness/commands/command.h"
#include "harness/commands/json_option.h"
#include "harness/commands/manual/help_format.h"
#include "harness/commands/options.h"
#include "harness/commands/output.h"
#include "harness/commands/stop_signals.h"
#include "harness/commands/workbench.h"
#include "harness/engine/data_choice_list.h"
#include "harness/engine/debug_symbols.h"
#include "harness/hunt/pinning.h"
#include "harness/programs/access_level.h"
#include "harness/programs/campaign.h"
#include "harness/programs/campaign_text.h"
#include "harness/programs/replay_file.h"
#include "harness/programs/reproduction.h"
#include "harness/programs/schedule_text.h"
#include "harness/programs/site_names.h"
#include "harness/records/json_text.h"
#include "harness/records/lines.h"
#include "harness/records/out_folder.h"
#include "harness/records/progress.h"
#include "harness/records/shard.h"
#include "harness/search/portfolio.h"

namespace esox {
namespace {

namespace fs = std::filesystem;

constexpr uint64_t kMostExecutions = 1'000'000'000;
constexpr uint64_t kExecutions = 1000;             // if nothing else is asked for
constexpr uint64_t kSearchExecutions = 1'000'000;  // of a search
constexpr unsigned kMostJobs = 64;
constexpr unsigned kMostTimes = 1'000'000;
constexpr uint64_t kFewestSteps = 100;
constexpr uint64_t kMostSteps = kMaxTraceEvents / 2;  // a point may be two events of the trace

constexpr const char* kExecExamples = R"(
Examples:
  esox exec -- ./my_test                            1,000 schedules of it
  esox exec --until-failure --executions 100000 -- ./my_test --fast
  esox exec --strategy random:p=1 --seed 7 -- ./my_test
  esox exec --strategy exhaustive:preemptions=2 -- ./my_test        all of its schedules
  esox exec --env MODE=debug --env PATH_TO_DATA --timeout 1m -- ./my_test
  esox exec --replay esox-out/2026-11-22-101500/1-deadlock.json

The program is loaded once and forked just before it makes its first thread, or at its start where
that would not be the same (--begin start); each fork runs under a schedule of its own. It must be
dynamically linked and use pthreads (or C11's, or C++'s threads). Its input is /dev/null, its
environment a small fixed one and what --env adds, its clock a virtual one.

A failure is a crash, a failed assertion, an exit status other than 0, a deadlock, or a hang. For
each distinct one OUT gets N-CLASS.json, for --replay, and N-CLASS.txt, its schedule. More:
docs/programs.md.

Exit status: 0 nothing failed, 1 something did (--replay: it came again), 2 wrong use, bad input, or
a program that cannot be run so, 3 esox itself failed.)";

struct ExecOptions {
  std::vector<std::string> command;
  std::string strategy = kPortfolioName;
  std::string seed;
  std::vector<std::string> environment;
  CommonOptions common;
  std::optional<uint64_t> executions;
  bool until_failure = false;
  std::string budget;
  std::string timeout = "10s";
  std::string virtual_limit = "1h";
  uint64_t step_limit = 50'000;
  unsigned jobs = 0;
  std::string begin = "auto";
  std::string accesses;
  bool thread_leaks = false;
  std::string out;
  std::string replay;
  unsigned times = 10;
};

// "NAME=value" as it is; "NAME" with the value it has here.
std::vector<std::string> environment_of(const std::vector<std::string>& given) {
  std::vector<std::string> environment;
  for (const std::string& one : given) {
    const std::string name = one.substr(0, one.find('='));
    if (name.empty() || name == "LD_PRELOAD" || name.starts_with("ESOX_")) {
      throw UsageError(
          fmt::format("--env {}: not a variable that can be given; write NAME=value, and leave "
                      "LD_PRELOAD to esox",
                      one));
    }
    const char* here = std::getenv(name.c_str());
    if (name.size() == one.size() && here == nullptr) {
      throw UsageError(fmt::format("--env {0}: there is no such variable; write {0}=value", name));
    }
    environment.push_back(name.size() == one.size() ? fmt::format("{}={}", name, here) : one);
  }
  return environment;
}

fs::path program_of(const std::string& wanted) {
  fs::path program = find_program({wanted, {}, ".", "give the path of a program"});
  std::error_code error;
  if (!fs::equivalent(program, "/proc/self/exe", error)) return program;
  throw UsageError(fmt::format("{} is esox, which cannot run under its own control", wanted));
}

ProgramTarget program_target(const ExecOptions& options) {
  ProgramTarget target;
  target.program = program_of(options.command.front());
  target.arguments.assign(options.command.begin() + 1, options.command.end());
  target.environment = environment_of(options.environment);
  target.folder = fs::current_path();
  target.preload_library = find_preload(options.common.preload);
  target.fork_at_start = options.begin == "start";
  target.accesses.level = access_level_named(options.accesses).value_or(AccessLevel::kAll);
  target.control = program_control();
  target.control.step_limit = options.step_limit;
  target.control.data_choices = data_choices_given(options.common, DataChoiceUse::kProgram);
  target.virtual_limit = std::chrono::duration_cast<std::chrono::seconds>(
      duration_given("--virtual-limit", options.virtual_limit));
  return target;
}

constexpr const char* kStartOrder = "start-order=on";

// What a search has to do with.
bool is_of_orders(const std::string& data_choices) {
  return data_choices == kStartOrder || data_choices == data_choices_text(shipped_data_choices());
}

void check_search(const ExecOptions& options) {
  if (options.jobs > 1) {
    throw UsageError(
        fmt::format("--jobs {}: strategy {} makes one execution after the other; leave --jobs away",
                    options.jobs, options.strategy));
  }
  if (!is_of_orders(options.common.data_choices)) {
    throw UsageError(
        fmt::format("--data-choices: strategy {} tries orders of operations and varies nothing "
                    "else; give start-order=on, or leave --data-choices away",
                    options.strategy));
  }
}

CampaignPlan plan_of(const ExecOptions& options) {
  CampaignPlan plan;
  SearchOptions search;
  search.strategy = options.strategy;
  search.seed = options.seed;
  const ExplorationSettings settings = exploration_settings(search);
  plan.search = settings.search;
  if (plan.search) check_search(options);
  plan.strategy = settings.strategy;
  plan.portfolio = settings.portfolio;
  plan.strategy_text = settings.strategy_text;
  plan.seed = settings.hunt_seed;
  plan.executions = options.executions.value_or(plan.search ? kSearchExecutions : kExecutions);
  plan.until_failure = options.until_failure;
  if (!options.budget.empty()) plan.budget = duration_given("--budget", options.budget);
  plan.limit = duration_given("--timeout", options.timeout);
  plan.jobs = options.jobs != 0 ? options.jobs : static_cast<unsigned>(usable_cores());
  if (plan.search) plan.jobs = 1;
  plan.thread_leaks = options.thread_leaks;
  plan.target = program_target(options);
  if (plan.search) {
    DataChoiceModes& modes = plan.target.control.data_choices;
    modes = {};
    if (options.common.data_choices == kStartOrder) modes.start_order = DataChoiceMode::kOn;
  }
  return plan;
}

// "1-exit-status"
std::string file_name(size_t number, FailureClass kind) {
  std::string name = fmt::format("{}-{}", number, failure_name(kind));
  for (char& c : name) c = c == ' ' ? '-' : c;
  return name;
}

// Gives the replay files, one per failure.
std::vector<std::string> write_failures(const CampaignPlan& plan, const CampaignReport& report,
                                        const fs::path& out) {
  std::vector<std::string> files;
  if (report.failures.empty()) return files;
  make_folder(out);
  ReplayFile file;
  file.target = plan.target;
  file.target.fork_at_start = report.at_start;
  file.program_digest = file_digest(plan.target.program);
  file.esox_version = kEsoxVersion;
  file.c_library = c_library();
  file.limit = plan.limit;
  file.access_sites = report.access_sites;
  for (const FoundFailure& found : report.failures) {
    file.failure = found.failure;
    file.record = found.record;
    const fs::path path = out / file_name(files.size() + 1, found.failure.kind);
    write_whole_file(path.string() + ".json", replay_file_text(file));
    write_whole_file(path.string() + ".txt", failure_text(found, report.judged, !plan.search));
    files.push_back(path.string() + ".json");
  }
  return files;
}

std::string begin_text(const CampaignPlan& plan, const CampaignReport& report) {
  if (!report.at_start) return "";
  if (plan.target.fork_at_start) return "each execution begins with the program's start\n";
  return fmt::format(
      "each execution begins with the program's start, not with its first thread: {}\n",
      report.obstacle);
}

int tell(const CampaignPlan& plan, const CampaignReport& report, const ExecOptions& options,
         const fs::path& out) {
  const std::vector<std::string> files = write_failures(plan, report, out);
  put_report(options.common.json,
             "\n" + begin_text(plan, report) + campaign_text(plan, report, files),
             campaign_json(plan, report, files, kEsoxVersion));
  if (!options.accesses.empty() && !report.tells_accesses) {
    warn(fmt::format(
        "--accesses {}: {} tells no memory accesses; build it as docs/lock-free.md says",
        options.accesses, plan.target.program.string()));
  }
  if (!report.failures.empty()) return kFound;
  if (report.judged > 0 || report.interrupted) return kNothingFound;
  warn("no execution could be judged; the lines above say why");
  return kBadInput;
}

std::string head_text(const CampaignPlan& plan) {
  std::string command = plan.target.program.string();
  for (const std::string& argument : plan.target.arguments) command += " " + printable(argument);
  return fmt::format("esox {} runs {}\nseed {}, strategy {}, at most {} executions{}, {}",
                     kEsoxVersion, command, plan.seed, plan.strategy_text, plan.executions,
                     plan.until_failure ? ", until one fails" : "", counted(plan.jobs, "job"));
}

int run_campaign(const ExecOptions& options) {
  const fs::path out = options.out.empty() ? default_out() : fs::path(options.out);
  const CampaignPlan plan = plan_of(options);
  if (!options.out.empty()) check_out(out);
  const StopSignals signals;
  Progress progress(stderr);
  std::string head = head_text(plan) + "\n";  // told once the program has turned out to be one
  const auto tell_head = [&head] { std::fputs(std::exchange(head, "").c_str(), stderr); };
  Campaign campaign(plan, signals.stop());
  const CampaignReport report = campaign.run([&](const CampaignProgress& now) {
    tell_head();
    progress.show(campaign_progress_text(plan, now));
  });
  progress.clear();
  tell_head();
  return tell(plan, report, options, out);
}

void warn_of_changes(const ReplayFile& file) {
  const std::string program = file.target.program.string();
  if (file_digest(file.target.program) != file.program_digest) {
    warn(fmt::format("{} has changed since; its schedule may not fit any more", program));
  }
  if (file.c_library != c_library()) {
    warn(fmt::format("recorded with {}, replayed with {}", file.c_library, c_library()));
  }
  if (file.esox_version != kEsoxVersion) {
    warn(fmt::format("recorded by esox {}, replayed by esox {}", file.esox_version, kEsoxVersion));
  }
}

std::string replayed_text(const Reproduction& again, const std::vector<std::string>& threads,
                          Symbols& symbols) {
  std::string text = "its schedule:\n";
  text += schedule_text(again.record, threads, symbols);
  text += again.output.empty() ? "its output: none\n" : "its output:\n";
  for (const std::string& line : lines_of(again.output)) text += "  | " + printable(line) + "\n";
  if (!again.stacks.empty()) text += "the threads' stacks at its end:\n";
  for (const std::string& line : again.stacks) text += "  " + line + "\n";
  return text;
}

int replay(const ExecOptions& options) {
  ReplayFile file = read_replay_file(options.replay);
  file.target.preload_library = find_preload(options.common.preload);
  const StopSignals signals;
  warn_of_changes(file);
  const CorePin pin(0, 1);
  ProgramServer server(file.target, signals.stop());
  file.target.accesses.sites = sites_named(file.access_sites, server.modules());
  server.offer(file.target.accesses);
  Symbols symbols = debug_symbols(server.modules());
  const auto say = [&options](const std::string& text) {
    if (!options.common.json.on_stdout()) put(text);
  };
  say(fmt::format("{}: {}\n", failure_name(file.failure.kind), file.failure.title));
  unsigned same = 0;
  unsigned same_operations = 0;
  unsigned made = 0;
  OrderedJson others = OrderedJson::array();
  for (; made < options.times && !signals.stop().load(); ++made) {
    Reproduction again =
        reproduce(server, file.failure, file.record, file.limit, /*look=*/made == 0, symbols);
    same += again.same;
    if (made == 0) {
      say(replayed_text(again, thread_names(server.routines(), symbols), symbols));
      file.record.trace = again.record.trace;  // with which the others are compared
      file.record.modules = again.record.modules;
      again.same_trace = true;
    }
    same_operations += again.same_trace;
    if (again.same) continue;
    say(fmt::format("replay {}: not the same: {}\n", made + 1, again.what));
    others.push_back({{"replay", made + 1}, {"what", again.what}});
  }
  put_report(options.common.json,
             fmt::format("{} of {} replays showed it again, {} of them by the same operations\n",
                         same, made, same_operations),
             json_text({{"version", kEsoxVersion},
                        {"class", failure_name(file.failure.kind)},
                        {"title", file.failure.title},
                        {"times", made},
                        {"same", same},
                        {"same_operations", same_operations},
                        {"not_the_same", others}}));
  return same > 0 ? kFound : kNothingFound;
}

int exec(const ExecOptions& options) {
  try {
    if (options.replay.empty() == options.command.empty()) {
      throw UsageError("exec: give either -- PROGRAM ARGS or --replay FILE; see esox exec --help");
    }
    return options.replay.empty() ? run_campaign(options) : replay(options);
  } catch (const ReplayFileError& error) {
    throw UsageError(error.what());
  } catch (const ServerError& error) {
    return tell_server_error(error, "its output:\n");
  }
}

void add_limits(Command& command, ExecOptions& options) {
  command
      .add_option("--executions", options.executions,
                  "at most so many (default: 1000, of a search 1000000)")
      ->check(within(uint64_t{1}, kMostExecutions));
  command.add_flag("--until-failure", options.until_failure, "end with the first that fails");
  command.add_option("--budget", options.budget, "end after so long: 90s, 2m, 1h30m");
  command.add_defaulted("--timeout", options.timeout,
                        "an execution that takes longer hangs (real time, not the virtual one)");
  command.add_defaulted("--virtual-limit", options.virtual_limit,
                        "an execution in which more virtual time passes hangs");
  command.add_defaulted("--step-limit", options.step_limit,
                        "an execution with more scheduling points hangs",
                        within(kFewestSteps, kMostSteps));
  command.add_option("--jobs", options.jobs, "executions at once (default: one per core)")
      ->check(within(1u, kMostJobs));
}

}  // namespace

void add_exec_command(Command& app, Chosen& chosen) {
  const auto [command, options] = define<ExecOptions>(
      app, chosen,
      {"exec", "run any pthread program under many schedules, and see it fail", kExecExamples},
      exec);
  command.add_option("PROGRAM", options.command, "after --: the program and its arguments");
  add_strategy_option(command, options.strategy);
  command.add_option("--seed", options.seed, "repeats an earlier run (default: drawn and printed)");
  add_limits(command, options);
  command
      .add_option(
          "--env", options.environment,
          "a variable for the program: NAME=value, or NAME with its value here; may be repeated")
      ->allow_extra_args(false);
  add_data_choices_option(command, options.common, "start-order");
  command.add_defaulted("--begin", options.begin,
                        "where an execution begins: auto (with the first thread, where that is "
                        "safe) or start (with the program)",
                        one_of({"auto", "start"}));
  command
      .add_option("--accesses", options.accesses,
                  "memory accesses that are scheduling points, of a program built for it "
                  "(docs/lock-free.md): all (the default), conflicting, atomics, none")
      ->check(one_of({"all", "conflicting", "atomics", "none"}));
  command.add_flag("--thread-leaks", options.thread_leaks,
                   "to end with threads neither joined nor detached is a failure");
  command.add_option("--out", options.out,
                     "folder for what fails, new or empty (default: esox-out/DATE-TIME)");
  add_report_options(command, options.common);
  command.add_option("--replay", options.replay, "run a recorded failure's schedule again");
  command.add_defaulted("--times", options.times, "how often, with --replay",
                        within(1u, kMostTimes));
  shorten_help(command.app(),
               {"--strategy", "--seed", "--executions", "--until-failure", "--budget", "--timeout",
                "--jobs", "--env", "--out", "--json", "--replay", "--times"});
}

}  // namespace esox
