// SPDX-License-Identifier: Apache-2.0
#include "harness/engine/server_executor.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/process/server_error.h"
#include "base/text/enum_names.h"
#include "harness/engine/run.h"
#include "harness/engine/snapshot/refused.h"
#include "targets/registry.h"

namespace esox {
namespace {

// Servers kept booted at a time, each with other options: an input's engines differ in them, and a
// boot takes as long as some hundred executions.
constexpr size_t kMostBooted = 4;
constexpr unsigned kMostRefused = 2;     // times, of one execution; the second on a new server
constexpr unsigned kMostExceptions = 5;  // inputs in a row
constexpr unsigned kMostLost = 3;        // templates in a row, with no execution between them

}  // namespace

const char* isolation_name(Isolation isolation) {
  static constexpr const char* kNames[] = {"auto", "snapshot", "restart"};
  return name_in(kNames, isolation);
}

ServerExecutor::ServerExecutor(Server& server, ExecutorOptions options)
    : server_(server), options_(std::move(options)), isolation_(options_.isolation) {}

ServerExecutor::~ServerExecutor() = default;

ExecutionReport ServerExecutor::run(const ExecutionPlan& plan) {
  MeteredRun metered(options_.meter);
  ExecutionReport report = run_once(plan);
  if (report.written_log && report.record.ending.kind == EndingKind::kFinished) {
    add_replayed_log(plan, report);
  }
  metered.succeeded(report.steps.boot_ms + report.steps.set_up_ms);
  return report;
}

void ServerExecutor::add_replayed_log(const ExecutionPlan& plan, ExecutionReport& report) {
  const WrittenLog& log = *report.written_log;
  const ReplayedLogs::Key key{plan.clock_base_ns, log.digest};
  const bool replayable = !log.gone && log.unavailable.empty();
  const ReplayedLog* known = replayable ? replayed_logs_.find(plan.input->input, key) : nullptr;
  ReplayedLog replayed = known != nullptr ? *known : replay(plan, log);
  if (interrupted_.load()) throw Interrupted{};
  if (known == nullptr && replayable && replayed.unavailable.empty()) {
    replayed_logs_.keep(key, replayed);
  }
  StateSummary& state = report.record.outcome.state;
  std::vector<Component> components =
      target_named(plan.input->input.server()).compare_with_replayed(state, replayed);
  for (Component& component : state.components) components.push_back(std::move(component));
  state = make_summary(std::move(components));
}

// What fails here is the replay's alone: the execution's record stands.
ReplayedLog ServerExecutor::replay(const ExecutionPlan& plan, const WrittenLog& log) {
  ReplayedLog replayed;
  replayed.gone = log.gone;
  replayed.unavailable = log.unavailable;
  if (replayed.gone || !replayed.unavailable.empty()) return replayed;
  const std::string failure =
      use_set_up(plan, [&](Session& session, const std::filesystem::path& folder) {
        replayed = session.replay(log, folder, [this] { return interrupted_.load(); });
      });
  if (!failure.empty()) replayed.unavailable = failure;
  return replayed;
}

std::vector<StateAnswer> ServerExecutor::answer(const ExecutionPlan& plan, const RowLog& log,
                                                std::span<const StateQuestion> questions) {
  std::vector<StateAnswer> answers;
  const std::string failure =
      use_set_up(plan, [&](Session& session, const std::filesystem::path& folder) {
        answers = session.answer(log, questions, folder, [this] { return interrupted_.load(); });
      });
  if (interrupted_.load()) throw Interrupted{};
  if (failure.empty()) return answers;
  return std::vector<StateAnswer>(questions.size(),
                                  {.output = {}, .unjudged = failure, .passing = true});
}

// With a server in the state after the setup; why there is none.
std::string ServerExecutor::use_set_up(const ExecutionPlan& plan, const SetUpUse& use) {
  try {
    if (by_restart(plan)) {
      use_by_restart(context(plan, control_), *directory_, use);
      return "";
    }
    Booted& booted = booted_for(plan.input->input);
    use_by_snapshot(context(plan, booted.control), *booted.snapshots, use);
    return "";
  } catch (const TemplateLost& why) {
    drop_booted();
    return why.what();
  } catch (const std::runtime_error& why) {
    return why.what();
  }
}

ExecutionReport ServerExecutor::run_once(const ExecutionPlan& plan) {
  if (interrupted_.load()) throw Interrupted{};
  unsigned refused = 0;
  std::string first_refusal;
  for (unsigned lost = 0; !by_restart(plan);) {
    try {
      return run_snapshot(plan);
    } catch (const TemplateLost& why) {
      drop_booted();
      if (interrupted_.load()) throw Interrupted{};
      if (++lost == kMostLost) {
        return run_as_exception(plan, fmt::format("{} ({} in a row)", why.what(), lost));
      }
    } catch (const RunLost& why) {
      ++lives_.refused;
      lives_.why = why.what();
    } catch (const SnapshotRefused& why) {
      drop_booted();
      if (++refused == 1) first_refusal = why.what();
      if (refused == kMostRefused) return run_as_exception(plan, first_refusal);
    }
  }
  return run_restart(plan);
}

bool ServerExecutor::by_restart(const ExecutionPlan& plan) const {
  return isolation_ == Isolation::kRestart || (exception_ && *exception_ == plan.input->input);
}

// A machine that forks other inputs' servers has something against this one: a file that it has
// open, a thread that it made. Many of them in a row, or the very first: it is the machine. Unless
// the server does not come to its end without snapshots either (options with which it does not
// start): that throws here, and is the input's.
ExecutionReport ServerExecutor::run_as_exception(const ExecutionPlan& plan,
                                                 const std::string& reason) {
  if (options_.isolation == Isolation::kSnapshot) do_without(reason);
  exception_ = plan.input->input;
  lives_.why_restarted = reason;
  ExecutionReport run = run_restart(plan);
  const bool worked = isolation_ == Isolation::kSnapshot;
  if (!worked || ++exceptions_in_a_row_ > kMostExceptions) do_without(reason);
  return run;
}

void ServerExecutor::do_without(const std::string& reason) {
  booted_.clear();
  if (options_.isolation == Isolation::kSnapshot) {
    throw ServerError(fmt::format("no snapshots: {}", reason));
  }
  fallback_reason_ = reason;
  isolation_ = Isolation::kRestart;
  if (options_.on_fallback) options_.on_fallback(fallback_reason_);
}

RunContext ServerExecutor::context(const ExecutionPlan& plan, ControlMemory& control) const {
  return {options_, interrupted_, control, plan, server_};
}

ExecutionReport ServerExecutor::run_restart(const ExecutionPlan& plan) {
  if (directory_ == nullptr) directory_ = std::make_unique<PrivateDirectory>(options_.base);
  if (isolation_ != Isolation::kRestart) ++lives_.restarted;
  return run_by_restart(context(plan, control_), *directory_);
}

ExecutionReport ServerExecutor::run_snapshot(const ExecutionPlan& plan) {
  Booted& booted = booted_for(plan.input->input);
  if (options_.meter != nullptr) options_.meter->set_server(booted.snapshots->pidfd());
  ExecutionReport run = run_by_snapshot(context(plan, booted.control), *booted.snapshots);
  isolation_ = Isolation::kSnapshot;
  exceptions_in_a_row_ = 0;
  return run;
}

// That of the input's server options; it is the first one then.
ServerExecutor::Booted& ServerExecutor::booted_for(const Input& input) {
  std::vector<std::string> options = server_options(target_named(input.server()), input);
  const auto found = std::ranges::find(booted_, options, &Booted::options);
  if (found != booted_.end()) {
    booted_.splice(booted_.begin(), booted_, found);
    return booted_.front();
  }
  if (booted_.size() >= kMostBooted) booted_.pop_back();
  Booted& booted = booted_.emplace_front();
  booted.options = std::move(options);
  SnapshotServerOptions wanted;
  wanted.preload_library = options_.preload_library;
  wanted.base = options_.base;
  wanted.control = options_.control;
  wanted.contexts = options_.contexts;
  wanted.settle_limit = options_.settle_limit;
  wanted.store_bytes = options_.snapshot_store_bytes;
  wanted.fail_at = options_.snapshot_fail_at;
  wanted.meter = options_.meter;
  booted.snapshots =
      std::make_unique<SnapshotServer>(server_, std::move(wanted), booted.control, lives_);
  return booted;
}

// The one that was used last.
void ServerExecutor::drop_booted() {
  if (!booted_.empty()) booted_.pop_front();
}

uint64_t ServerExecutor::memory_kib() const {
  uint64_t sum_kib = 0;
  for (const Booted& booted : booted_) sum_kib += booted.snapshots->memory_kib();
  return sum_kib;
}

ExecutorFactory server_executors(Server& server, ExecutorOptions options) {
  return [&server, options = std::move(options)](const ExecutorWishes& wishes) {
    ExecutorOptions wanted = options;
    if (wishes.meter != nullptr) wanted.meter = wishes.meter;
    if (wishes.restart) wanted.isolation = Isolation::kRestart;
    if (wishes.step_limit) wanted.control.step_limit = *wishes.step_limit;
    return std::make_unique<ServerExecutor>(server, std::move(wanted));
  };
}

}  // namespace esox
