// SPDX-License-Identifier: Apache-2.0
#include "harness/engine/run.h"

#include <fmt/format.h>
#include <linux/futex.h>
#include <poll.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <climits>
#include <csignal>
#include <cstring>
#include <thread>

#include "analysis/ended_server.h"
#include "analysis/finding.h"
#include "analysis/report/standstill_text.h"
#include "base/mapped.h"
#include "base/process/server_error.h"
#include "harness/engine/debug_symbols.h"
#include "harness/engine/executor.h"
#include "harness/engine/left_behind.h"
#include "harness/engine/server_stacks.h"
#include "harness/engine/settle.h"
#include "harness/engine/snapshot/refused.h"
#include "harness/engine/stacks.h"
#include "inputs/signals.h"
#include "summaries/garbled.h"
#include "targets/annotated_program.h"

namespace esox {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

constexpr milliseconds kWatchSlice{5};
constexpr milliseconds kDyingLimit{10'000};
constexpr milliseconds kHungUpLimit{500};  // from hanging up on its clients to a server's end
// Of a server that is told to end; MariaDB's own patience is 20 s.
constexpr milliseconds kEndLimit{60'000};
constexpr size_t kLogLines = 60;
constexpr const char* kEndedWell = "exit status 0";

bool process_ended(int pidfd) {
  pollfd ended{pidfd, POLLIN, 0};
  return ::poll(&ended, 1, 0) > 0;
}

EndingKind ending_kind(ControlEnding ending) {
  switch (ending) {
    case ControlEnding::kFinished:
      return EndingKind::kFinished;
    case ControlEnding::kDeadlock:
      return EndingKind::kDeadlock;
    case ControlEnding::kHang:
    case ControlEnding::kOutOfOrder:
      return EndingKind::kHang;
    default:
      return EndingKind::kDegraded;
  }
}

// One execution's server, clients and what comes of them.
class Run {
 public:
  explicit Run(const RunContext& context)
      : context_(context),
        options_(context.options),
        interrupted_(context.interrupted),
        control_(context.control),
        plan_(context.plan),
        input_(context.plan.input->input),
        ends_server_(ends_server(input_.clients)),
        request_counts_(request_counts(context.plan)),
        sent_counts_(sent_counts(context.plan)) {}

  ExecutionReport restart(const PrivateDirectory& directory) {
    const auto start = Clock::now();
    Session session(control_, input_);
    set_up(session, directory);
    execute(start);
    return std::move(report_);
  }

  ExecutionReport snapshot(SnapshotServer& snapshots) {
    const auto start = Clock::now();
    snapshots_ = &snapshots;
    snapshots.prepare(*plan_.input, plan_.clock_base_ns, report_.steps);
    report_.boot_ms = report_.steps.boot_ms;
    server_ = snapshots.fork(plan_.clock_base_ns, plan_.fresh, report_.steps);
    session_ = &snapshots.session();
    record_.modules = snapshots.modules();
    execute(start);
    return std::move(report_);
  }

  void use_by_restart(const PrivateDirectory& directory, const SetUpUse& use) {
    Session session(control_, input_);
    set_up(session, directory);
    use_set_up(use);
  }

  void use_by_snapshot(SnapshotServer& snapshots, const SetUpUse& use) {
    StepTimes times;
    snapshots.prepare(*plan_.input, plan_.clock_base_ns, times);
    server_ = snapshots.fork(plan_.clock_base_ns, /*fresh=*/true, times);
    session_ = &snapshots.session();
    use_set_up(use);
  }

 private:
  ControlBlock& block() { return control_.block(); }

  void set_up(Session& session, const PrivateDirectory& directory) {
    session_ = &session;
    boot(directory, session.target());
    session.open(*server_, [this] { settle(server_->pid(), options_.settle_limit); });
  }

  void use_set_up(const SetUpUse& use) {
    use(*session_, server_->log_path().parent_path());
    server_->stop();
  }

  // From the state after setup on.
  void execute(Clock::time_point start) {
    const auto running = Clock::now();
    record_.outcome.outputs.resize(input_.clients.size());
    for (size_t c = 0; c < input_.clients.size(); ++c) {
      record_.outcome.outputs[c].resize(request_counts_[c]);
    }
    if (has_requests()) {
      play();
    } else if (ends_server_) {
      see_server_end();
    }
    if (interrupted_.load()) throw Executor::Interrupted{};
    report_.steps.run_ms = ms_since(running);
    read_results();
    if (record_.ending.kind == EndingKind::kHang) explain_hang();
    if (ends_server_) {
      session_->take_replies_of_the_end(record_.outcome);
    } else if (session_->says_shutdown(record_.outcome)) {
      record_.ending.kind = EndingKind::kDegraded;  // whom it meets is outside control
      record_.degraded_reasons.emplace_back("the server was being shut down");
    }
    if (reply_missing_) {
      record_.degraded_reasons.emplace_back(
          "the server had done with a request whose client still awaited its reply");
    }
    const auto looking = Clock::now();
    if (record_.ending.kind == EndingKind::kFinished) take_state();
    report_.steps.state_ms = ms_since(looking);
    if (snapshots_ != nullptr) note_fork_times();
    const auto ending = Clock::now();
    end_server();
    report_.steps.end_ms = ms_since(ending);
    report_.total_ms = ms_since(start);
    report_.record = std::move(record_);
  }

  // Without any, what is reported is the state after the setup.
  bool has_requests() const {
    return std::ranges::any_of(sent_counts_, [](uint32_t count) { return count > 0; });
  }

  void play() {
    arm();
    {
      const SessionsGuard sessions(*this);
      session_->play(plan_.first_requests, request_counts_, plan_.without, record_.outcome.outputs);
      send_first_signal();
      watch();
      if (record_.ending.kind == EndingKind::kFinished && ends_server_) see_server_end();
      if (record_.ending.kind == EndingKind::kFinished) expect_replies();
      if (record_.ending.kind != EndingKind::kFinished) end_badly();
    }
    control_.disarm();
  }

  // The server has ended all requests: what it replied can be read. But a client may not take it
  // for one (libmariadb the error 65535 after other results of the same request).
  void expect_replies() {
    if (session_->all_end_within(options_.stall_limit)) return;
    record_.ending.kind = EndingKind::kDegraded;
    reply_missing_ = true;
  }

  // By the signal of the input, or by the same where that was left out.
  void see_server_end() {
    if (plan_.without.contains(*ending_signal(input_).begin())) {
      syscall(SYS_pidfd_send_signal, server_->pidfd(), SIGTERM, nullptr, 0);
    }
    const auto until = Clock::now() + kEndLimit;
    while (!server_->wait_for_end(kWatchSlice)) {
      if (interrupted_.load()) throw Executor::Interrupted{};
      if (block().crash.state.load() == 2) return crashed();
      if (Clock::now() < until) continue;
      record_.ending.kind = EndingKind::kHang;
      record_.ending.detail.push_back(fmt::format(
          "the server was told to end, and did not within {} s", kEndLimit.count() / 1000));
      return add_stacks("all stacks:");
    }
    if (server_->exit_text() != kEndedWell) return crashed();
    session_->abort();  // its template has the connections, too; what was sent is still received
  }

  // What went wrong is not gone back from.
  void end_server() {
    const bool well = record_.ending.kind == EndingKind::kFinished && block().degraded.load() == 0;
    if (snapshots_ != nullptr && well) return snapshots_->give_back(std::move(server_));
    server_->stop();
  }

  void note_fork_times() {
    const SnapshotTimes& times = block().snapshot_times;
    constexpr double kNsPerMs = 1e6;
    report_.steps.descriptors_ms =
        static_cast<double>(times.descriptors_ns - times.forked_ns) / kNsPerMs;
    report_.steps.threads_ms =
        static_cast<double>(times.resumed_ns - times.descriptors_ns) / kNsPerMs;
  }

  void boot(const PrivateDirectory& directory, const Target& target) {
    control_.reset(ControlMode::kClients, options_.control, plan_.clock_base_ns,
                   directory.path().string());
    StartRequest request;
    request.directory = &directory;
    request.environment = control_.environment(options_.preload_library.string());
    for (std::string& added :
         annotation_environment(context_.server.program(), options_.preload_library)) {
      request.environment.push_back(std::move(added));
    }
    request.options = server_options(target, input_);
    server_ = context_.server.start(request);
    if (options_.meter != nullptr) options_.meter->set_server(server_->pidfd());
    report_.boot_ms = report_.steps.boot_ms = server_->times().boot_ms;
    if (block().loaded.load() == 0) {
      throw ServerError(
          fmt::format("the server did not load {}: it is linked statically, set-user-id, or made "
                      "for another architecture; give a dynamically linked {} server",
                      options_.preload_library.string(), "x86-64"));
    }
  }

  static std::vector<uint32_t> request_counts(const ExecutionPlan& plan) {
    if (!plan.requests.empty()) return {plan.requests.begin(), plan.requests.end()};
    return mapped<uint32_t>(plan.input->input.clients, [&](const InputClient& client) {
      return static_cast<uint32_t>(client.requests.size());
    });
  }

  static std::vector<uint32_t> sent_counts(const ExecutionPlan& plan) {
    const std::vector<uint32_t> all = request_counts(plan);
    std::vector<uint32_t> counts = all;
    for (const RequestId& id : plan.without) {
      if (id.client >= all.size()) continue;
      const size_t first = plan.first_requests.empty() ? 0 : plan.first_requests[id.client];
      if (id.request >= first && id.request - first < all[id.client]) --counts[id.client];
    }
    return counts;
  }

  std::vector<int> sent_signals() const {
    const std::optional<size_t> client = signalling_client(input_.clients);
    if (!client) return {};
    const size_t first = plan_.first_requests.empty() ? 0 : plan_.first_requests[*client];
    std::vector<int> signals;
    for (size_t r = first; r < first + request_counts_[*client]; ++r) {
      if (plan_.without.contains({*client, r})) continue;
      signals.push_back(signal_number(input_.clients[*client].requests[r].text));
    }
    return signals;
  }

  // The server raises the others itself (preload/request/boundary.h).
  void send_first_signal() {
    const ControlBlock& b = block();
    if (b.signal_client == 0) return;
    syscall(SYS_pidfd_send_signal, server_->pidfd(), b.signals[0], nullptr, 0);
  }

  void arm() {
    ControlPlan plan;
    plan.strategy = plan_.strategy;
    plan.seed = plan_.seed;
    plan.expected_points = plan_.expected_points;
    plan.expected_points_of = plan_.expected_points_of;
    plan.impatient = plan_.impatient;
    plan.contexts = plan_.contexts;
    plan.contexts_first = plan_.contexts_first;
    plan.shared_objects = plan_.shared_objects;
    plan.serial_order = plan_.serial_order;
    plan.choices = plan_.choices;
    plan.values = plan_.values;
    plan.requests = sent_counts_;
    plan.signals = sent_signals();
    if (!plan.signals.empty()) plan.signal_client = signalling_client(input_.clients);
    plan.ends_server = std::ranges::find(plan.signals, SIGTERM) != plan.signals.end();
    if (plan_.conflicts != nullptr) plan.filter_keys = filter_keys(*plan_.conflicts, modules());
    control_.arm(plan);
  }

  // Of a server that is kept they are known.
  const std::vector<Module>& modules() {
    if (record_.modules.empty()) record_.modules = mapped_modules(server_->pid(), {});
    return record_.modules;
  }

  // Waits for the sessions, also when something throws: then the server goes first, so that nobody
  // waits for it.
  struct SessionsGuard {
    explicit SessionsGuard(Run& owner) : run(owner), exceptions(std::uncaught_exceptions()) {}
    ~SessionsGuard() {
      if (std::uncaught_exceptions() > exceptions) {
        run.server_->stop();
        run.session_->abort();
      }
      run.session_->join();
    }
    Run& run;
    int exceptions;
  };

  // Until the execution ends in one way or another; sets the ending.
  void watch() {
    ControlBlock& b = block();
    const auto start = Clock::now();
    auto last_progress = start;
    uint64_t last_heartbeat = 0;
    ControlEnding& ending = b.ending;
    while (!control_.wait_end(kWatchSlice)) {
      if (b.crash.state.load() == 2) return crashed();
      if (process_ended(server_->pidfd())) {
        if (ends_server_ && server_->exit_text() == kEndedWell) return;
        return crashed();
      }
      const auto now = Clock::now();
      const uint64_t heartbeat = b.heartbeat.load();
      if (heartbeat != last_heartbeat || b.quiescent.load() != 0) last_progress = now;
      last_heartbeat = heartbeat;
      // In this order: one whose session is over while others are awaited never arrived.
      const bool over = session_->someone_is_over(sent_counts_);
      const bool arming = b.phase.load() == Phase::kArming;
      if (arming && over) {
        return server_->wait_for_end(kHungUpLimit) ? crashed() : lost_control(arming);
      }
      if (interrupted_.load() || now - start > options_.execution_limit ||
          now - last_progress > (arming ? options_.arrival_limit : options_.stall_limit)) {
        lost_control(arming);
        return;
      }
    }
    if (b.crash.state.load() == 2) return crashed();
    record_.ending.kind = ending_kind(ending);
    if (ending == ControlEnding::kReleased) lost_control(false);
  }

  void lost_control(bool arming) {
    add_stacks("control was lost; all stacks:");
    if (block().phase.load() != Phase::kReleased) {  // the preload may have said why itself
      control_.release(arming ? kDegradedNoRequest : kDegradedLostThread);
    }
    record_.ending.kind = EndingKind::kDegraded;
  }

  void crashed() {
    record_.ending.kind = EndingKind::kCrash;
    CrashRecord& crash = block().crash;
    if (crash.state.load() == 2) {
      record_.ending.signal = static_cast<int>(crash.signal);
      record_.ending.detail.push_back(fmt::format("signal {} ({}) in thread {}", crash.signal,
                                                  strsignal(static_cast<int>(crash.signal)),
                                                  crash.tid));
      add_stacks("stacks at the crash:", static_cast<pid_t>(crash.tid), crash.pc);
      crash.state.store(3);
      syscall(SYS_futex, &crash.state, FUTEX_WAKE, INT_MAX, nullptr, nullptr, 0);
    }
    // The server may still write its own report; then it dies.
    const auto until = Clock::now() + kDyingLimit;
    while (!process_ended(server_->pidfd()) && Clock::now() < until) {
      std::this_thread::sleep_for(kWatchSlice);
    }
    server_->stop();
    const std::string never_lived = snapshots_ != nullptr ? snapshots_->last_words(*server_) : "";
    if (!never_lived.empty() && report_.steps.rewound) throw RunLost(never_lived);
    if (!never_lived.empty()) throw SnapshotRefused(never_lived);
    record_.ending.detail.push_back(fmt::format("the server: {}", server_->exit_text()));
    if (record_.ending.signal == 0 && server_->exit_text() == kEndedWell) {
      record_.ending.kind = EndingKind::kDegraded;  // it was asked to end (SHUTDOWN)
    }
  }

  void add_stacks(const std::string& title, pid_t crashed_tid = 0, uint64_t pc = 0) {
    add_server_stacks({server_->pid(), block(), input_}, title, record_, crashed_tid, pc);
  }

  ParkedServer parked() {
    const ControlBlock& b = block();
    ParkedServer server{server_->pid(), {}};
    for (uint32_t i = 0; i < b.clients; ++i) {
      server.threads.push_back(static_cast<pid_t>(b.slots[i].tid));
    }
    return server;
  }

  // Deadlock, hang, crash, lost control: what can be said is said, and the server ends.
  void end_badly() {
    ControlBlock& b = block();
    for (uint32_t i = 0; i < b.cycle_length && i < kMaxCycle; ++i) {
      const CycleEntry& entry = b.cycle[i];
      record_.ending.wait_cycle.push_back(
          {entry.thread, entry.owner, entry.kind, entry.object, entry.site});
    }
    if (record_.ending.kind == EndingKind::kDeadlock) add_stacks("deadlock; all stacks:");
    if (b.ending == ControlEnding::kHang && options_.on_parked) options_.on_parked(parked());
    if (b.ending == ControlEnding::kHang) {
      add_stacks(b.points > b.step_limit
                     ? fmt::format("more than {} scheduling points; all stacks:", b.step_limit)
                     : "nothing new but that waits time out; all stacks:");
    }
    if (record_.ending.kind != EndingKind::kDegraded) {
      record_.ending.detail.push_back("the end of the server's log:");
      record_.ending.detail.push_back(server_->log_tail(kLogLines));
    }
    server_->stop();
    session_->abort();
  }

  void explain_hang() {
    Symbols symbols = debug_symbols(record_.modules);
    const auto lines = standstill_lines(record_, client_names(input_), symbols);
    record_.ending.detail.insert(record_.ending.detail.begin(), lines.begin(), lines.end());
  }

  void read_results() {
    ControlBlock& b = block();
    record_.number = plan_.number;
    record_.seed = plan_.seed;
    record_.strategy = plan_.strategy_text;
    record_.stamps.resize(session_->clients());
    for (size_t c = 0; c < session_->clients(); ++c) {
      for (size_t r = 0; r < sent_counts_[c]; ++r) {
        record_.stamps[c].push_back({b.stamps[c][r].invocation, b.stamps[c][r].response});
      }
    }
    if (record_.ending.kind == EndingKind::kFinished && plan_.without.empty()) {
      forget_lost_replies();
    }
    record_.degraded_reasons = degraded_texts(b.degraded.load());
    record_.choices.assign(b.choices, b.choices + b.choice_count);
    record_.values.assign(b.values, b.values + b.value_count);
    record_.trace.assign(b.trace, b.trace + b.trace_count);
    record_.names = read_names(b);
    // Those of the setup, as a rule; a request may have loaded another one (INSTALL SONAME).
    if (record_.modules.empty() || !cover(record_.modules, record_.trace)) {
      record_.modules = mapped_modules(server_->pid(), record_.modules);
    }
    report_.decisions.assign(b.waiting, b.waiting + std::min(b.waiting_count, kMaxWaiting));
    report_.offered = b.offered;
    report_.offered_of.assign(b.offered_of, b.offered_of + session_->clients());
    report_.points = b.points;
    report_.switches = b.switches;
    report_.external_wakes = b.external_wakes;
    report_.external_lock_waits = b.external_lock_waits;
    report_.timer_firings = b.timer_firings;
    report_.given_up = plan_.impatient && b.waited_out != 0;
    report_.diverged = b.ending == ControlEnding::kOutOfOrder ? b.diverged + 1 : b.diverged;
  }

  // What the server sent on a connection that somebody else ended has answered nobody.
  void forget_lost_replies() {
    for (size_t c = 0; c < record_.stamps.size(); ++c) {
      for (size_t r = 0; r < record_.stamps[c].size(); ++r) {
        if (is_missing(record_.outcome.outputs[c][r])) record_.stamps[c][r].response = kNever;
      }
    }
  }

  void take_state() {
    if (ends_server_) {
      if (!plan_.replies_only) take_state_left_behind(context_, *server_, *session_, record_);
      return;
    }
    const bool answered = session_->take_state(*server_, plan_.replies_only,
                                               options_.state_reply_limit, record_.outcome);
    if (!plan_.replies_only) report_.written_log = session_->written_log();
    // The server may have died of what the execution left behind, or stand still for it.
    if (block().crash.state.load() == 2 || process_ended(server_->pidfd())) {
      crashed();
      record_.ending.detail.insert(record_.ending.detail.begin(),
                                   "the server died while its state was read");
    } else if (!answered) {
      record_.ending.kind = EndingKind::kHang;
      record_.ending.detail.push_back(
          fmt::format("the server gave no reply within {} s when its state was read",
                      options_.state_reply_limit.count() / 1000));
      add_stacks("all stacks:");
    }
  }

  const RunContext& context_;
  const ExecutorOptions& options_;
  const std::atomic<bool>& interrupted_;
  ControlMemory& control_;
  const ExecutionPlan& plan_;
  const Input& input_;
  const bool ends_server_;
  std::vector<uint32_t> request_counts_;  // by client
  std::vector<uint32_t> sent_counts_;     // without those that are left out
  SnapshotServer* snapshots_ = nullptr;   // null: restart
  std::unique_ptr<RunningServer> server_;
  Session* session_ = nullptr;
  ExecutionRecord record_;
  ExecutionReport report_;
  bool reply_missing_ = false;
};

}  // namespace

ExecutionReport run_by_restart(const RunContext& context, const PrivateDirectory& directory) {
  return Run(context).restart(directory);
}

ExecutionReport run_by_snapshot(const RunContext& context, SnapshotServer& snapshots) {
  return Run(context).snapshot(snapshots);
}

void use_by_restart(const RunContext& context, const PrivateDirectory& directory,
                    const SetUpUse& use) {
  Run(context).use_by_restart(directory, use);
}

void use_by_snapshot(const RunContext& context, SnapshotServer& snapshots, const SetUpUse& use) {
  Run(context).use_by_snapshot(snapshots, use);
}

}  // namespace esox
