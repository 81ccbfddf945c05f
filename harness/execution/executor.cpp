// SPDX-License-Identifier: Apache-2.0
#include "harness/execution/executor.h"

#include <fmt/format.h>
#include <linux/futex.h>
#include <poll.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <climits>
#include <cstring>
#include <thread>

#include "analysis/report/symbols.h"
#include "harness/execution/dialect.h"
#include "harness/execution/settle.h"
#include "harness/execution/stacks.h"
#include "harness/server/server_error.h"
#include "summaries/source.h"

namespace esox {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

constexpr milliseconds kWatchSlice{5};
constexpr milliseconds kTagSlice{1};
constexpr milliseconds kTagLimit{5'000};
constexpr milliseconds kDyingLimit{10'000};
constexpr size_t kLogLines = 60;

bool process_ended(int pidfd) {
  pollfd ended{pidfd, POLLIN, 0};
  return ::poll(&ended, 1, 0) > 0;
}

double ms_since(Clock::time_point start) {
  return std::chrono::duration<double, std::milli>(Clock::now() - start).count();
}

std::map<uint64_t, std::string> read_names(const ControlBlock& block) {
  std::map<uint64_t, std::string> names;
  uint32_t at = 0;
  while (at + sizeof(uint64_t) + sizeof(uint32_t) <= block.name_bytes) {
    uint64_t object;
    uint32_t length;
    memcpy(&object, block.names + at, sizeof object);
    memcpy(&length, block.names + at + sizeof object, sizeof length);
    at += sizeof object + sizeof length;
    if (length > kMaxNameBytes - at) break;
    names[object].assign(block.names + at, length);
    at += length;
  }
  return names;
}

EndingKind ending_kind(ControlEnding ending) {
  switch (ending) {
    case ControlEnding::kFinished:
      return EndingKind::kFinished;
    case ControlEnding::kDeadlock:
      return EndingKind::kDeadlock;
    case ControlEnding::kHang:
      return EndingKind::kHang;
    default:
      return EndingKind::kDegraded;
  }
}

}  // namespace

// One execution's server, clients and what comes of them.
class Executor::Run {
 public:
  Run(Executor& executor, const ExecutionPlan& plan)
      : options_(executor.options_),
        interrupted_(executor.interrupted_),
        control_(executor.control_),
        plan_(plan),
        input_(plan.input->input),
        dialect_(make_dialect(input_.server)),
        own_(dialect_->make_client()) {}

  ExecutionReport go(Server& server, const PrivateDirectory& directory) {
    const auto start = Clock::now();
    boot(server, directory);
    set_up();
    rest();
    arm();
    {
      const SessionsGuard sessions(*this);
      send_requests();
      watch();
      if (record_.ending.kind != EndingKind::kFinished) end_badly();
    }
    control_.disarm();
    if (interrupted_.load()) throw Interrupted{};
    read_results();
    if (record_.ending.kind == EndingKind::kFinished) take_state();
    server_->stop();
    report_.total_ms = ms_since(start);
    report_.record = std::move(record_);
    return std::move(report_);
  }

 private:
  ControlBlock& block() { return control_.block(); }

  void boot(Server& server, const PrivateDirectory& directory) {
    control_.reset(ControlMode::kClients, options_.control, plan_.clock_base_ns,
                   directory.path().string());
    StartRequest request;
    request.directory = &directory;
    request.environment = control_.environment(options_.preload_library.string());
    for (std::string& added : dialect_->environment(options_.preload_library)) {
      request.environment.push_back(std::move(added));
    }
    request.options = dialect_->options(input_);
    request.options.insert(request.options.end(), input_.server_options.begin(),
                           input_.server_options.end());
    server_ = server.start(request);
    report_.boot_ms = server_->times().boot_ms;
    report_.server_command_line = server_->command_line();
    if (block().loaded.load() == 0) {
      throw ServerError(
          fmt::format("the server did not load {}: it is linked statically, set-user-id, or made "
                      "for another architecture; give a dynamically linked {} server",
                      options_.preload_library.string(), "x86-64"));
    }
  }

  void set_up() {
    try {
      own_->connect(server_->socket_path());
      rest();
      own_->run_setup(input_.setup, [this] { rest(); });
      for (size_t i = 0; i < input_.clients.size(); ++i) connect_client(i);
    } catch (const ClientError& error) {
      if (!server_->alive()) {
        throw ServerError(fmt::format("the server died during the setup of {} ({}): {}", input_.id,
                                      input_.origin, server_->exit_text()),
                          server_->log_tail(kLogLines));
      }
      throw SetupError(fmt::format("{}: setup of {}: {}", input_.origin, input_.id, error.what()));
    }
    summary_ = dialect_->make_source(*own_, clients_, input_);
    summary_->begin();
  }

  // Announced, so that the preload knows whose connection the server accepts.
  void connect_client(size_t index) {
    clients_.push_back(dialect_->make_client());
    block().connecting_client.store(static_cast<uint32_t>(index) + 1);
    clients_.back()->connect(server_->socket_path());
    const auto until = Clock::now() + kTagLimit;
    while ((block().tagged.load() & (1u << index)) == 0 && Clock::now() < until) {
      std::this_thread::sleep_for(kTagSlice);
    }
    block().connecting_client.store(0);
    if ((block().tagged.load() & (1u << index)) == 0) {
      throw ServerError("the server accepts connections in a way that esox does not see");
    }
    clients_.back()->run_setup(input_.clients[index].setup, [this] { rest(); });
  }

  // What boot and setup set in motion inside the server comes to rest.
  void rest() { settle(server_->pid(), options_.settle_limit); }

  void arm() {
    ControlPlan plan;
    plan.strategy = plan_.strategy;
    plan.seed = plan_.seed;
    plan.expected_points = plan_.expected_points;
    plan.expected_points_of = plan_.expected_points_of;
    plan.serial_order = plan_.serial_order;
    plan.choices = plan_.choices;
    plan.values = plan_.values;
    for (const InputClient& client : input_.clients) {
      plan.requests.push_back(static_cast<uint32_t>(client.requests.size()));
    }
    control_.arm(plan);
  }

  // Joins the sessions' threads, also when something throws: then the server goes first, so that
  // nobody waits for it.
  struct SessionsGuard {
    explicit SessionsGuard(Run& owner) : run(owner), exceptions(std::uncaught_exceptions()) {}
    ~SessionsGuard() {
      if (std::uncaught_exceptions() > exceptions) {
        run.server_->stop();
        for (auto& client : run.clients_) client->abort();
      }
      for (std::thread& session : run.sessions_) session.join();
    }
    Run& run;
    int exceptions;
  };

  void send_requests() {
    record_.outcome.outputs.resize(clients_.size());
    for (size_t i = 0; i < clients_.size(); ++i) {
      record_.outcome.outputs[i].resize(input_.clients[i].requests.size());
      sessions_.emplace_back([this, i] {
        const auto& requests = input_.clients[i].requests;
        for (size_t r = 0; r < requests.size(); ++r) {
          Output output = clients_[i]->run(requests[r]);
          output.ordered = requests[r].ordered;
          const bool answered = output.answered;
          record_.outcome.outputs[i][r] = std::move(output);
          if (!answered) break;
        }
      });
    }
  }

  // Until the execution ends in one way or another; sets the ending.
  void watch() {
    ControlBlock& b = block();
    const auto start = Clock::now();
    auto last_progress = start;
    uint64_t last_heartbeat = 0;
    ControlEnding& ending = b.ending;
    while (!control_.wait_end(kWatchSlice)) {
      if (b.crash.state.load() == 2 || process_ended(server_->pidfd())) return crashed();
      const auto now = Clock::now();
      const uint64_t heartbeat = b.heartbeat.load();
      if (heartbeat != last_heartbeat || b.quiescent.load() != 0) last_progress = now;
      last_heartbeat = heartbeat;
      const bool arming = b.phase.load() == Phase::kArming;
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
      add_stacks("stacks at the crash:", static_cast<pid_t>(crash.tid));
      crash.state.store(3);
      syscall(SYS_futex, &crash.state, FUTEX_WAKE, INT_MAX, nullptr, nullptr, 0);
    }
    // The server may still write its own report; then it dies.
    const auto until = Clock::now() + kDyingLimit;
    while (!process_ended(server_->pidfd()) && Clock::now() < until) {
      std::this_thread::sleep_for(kWatchSlice);
    }
    server_->stop();
    record_.ending.detail.push_back(fmt::format("the server: {}", server_->exit_text()));
    if (record_.ending.signal == 0 && server_->exit_text() == "exit status 0") {
      record_.ending.kind = EndingKind::kDegraded;  // it was asked to end (SHUTDOWN)
    }
  }

  void add_stacks(const std::string& title, pid_t crashed_tid = 0) {
    std::string why;
    const pid_t pid = server_->pid();
    record_.modules = mapped_modules(pid);
    std::vector<ThreadStack> stacks = take_stacks(pid, &why);
    Symbols symbols(record_.modules);
    record_.ending.detail.push_back(title);
    // The clients' threads first: they are what the reader looks for.
    std::stable_partition(stacks.begin(), stacks.end(),
                          [&](const ThreadStack& stack) { return client_of(stack.tid) >= 0; });
    for (const ThreadStack& stack : stacks) {
      const int client = client_of(stack.tid);
      if (client < 0 && stack.tid != crashed_tid && crashed_tid != 0) continue;
      record_.ending.detail.push_back(
          client < 0 ? fmt::format("thread {}:", stack.tid)
                     : fmt::format("thread {} (client {}):", stack.tid,
                                   input_.clients[static_cast<size_t>(client)].name));
      for (size_t i = 0; i < stack.addresses.size(); ++i) {
        record_.ending.detail.push_back(
            fmt::format("  #{} {}", i, symbols.site(stack.addresses[i])));
      }
      if (stack.tid == crashed_tid) record_.ending.stack = stack.addresses;
    }
    if (!why.empty()) record_.ending.detail.push_back(why);
  }

  int client_of(pid_t tid) {
    const ControlBlock& b = block();
    for (uint32_t i = 0; i < b.clients; ++i) {
      if (b.slots[i].tid == static_cast<uint32_t>(tid)) return static_cast<int>(i);
    }
    return -1;
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
    if (record_.ending.kind == EndingKind::kHang) {
      add_stacks(fmt::format("more than {} scheduling points; all stacks:", b.step_limit));
    }
    if (record_.ending.kind != EndingKind::kDegraded) {
      record_.ending.detail.push_back("the end of the server's log:");
      record_.ending.detail.push_back(server_->log_tail(kLogLines));
    }
    server_->stop();
    for (auto& client : clients_) client->abort();
  }

  void read_results() {
    ControlBlock& b = block();
    record_.number = plan_.number;
    record_.seed = plan_.seed;
    record_.strategy = plan_.strategy_text;
    record_.stamps.resize(clients_.size());
    for (size_t c = 0; c < clients_.size(); ++c) {
      for (size_t r = 0; r < input_.clients[c].requests.size(); ++r) {
        record_.stamps[c].push_back({b.stamps[c][r].invocation, b.stamps[c][r].response});
      }
    }
    record_.degraded_reasons = degraded_texts(b.degraded.load());
    record_.choices.assign(b.choices, b.choices + b.choice_count);
    record_.values.assign(b.values, b.values + b.value_count);
    record_.trace.assign(b.trace, b.trace + b.trace_count);
    record_.names = read_names(b);
    if (record_.modules.empty()) record_.modules = mapped_modules(server_->pid());
    report_.offered = b.offered;
    report_.offered_of.assign(b.offered_of, b.offered_of + clients_.size());
    report_.points = b.points;
    report_.switches = b.switches;
    report_.external_wakes = b.external_wakes;
    report_.external_lock_waits = b.external_lock_waits;
    report_.timer_firings = b.timer_firings;
    report_.diverged = b.diverged;
  }

  void take_state() {
    for (size_t c = 0; c < clients_.size(); ++c) {
      auto& outputs = record_.outcome.outputs[c];
      if (!outputs.empty() && outputs.back().answered && outputs.back().warning_count > 0) {
        outputs.back().warnings = clients_[c]->warnings();
      }
    }
    dialect_->name_identities(record_.outcome);
    record_.outcome.state = make_summary(summary_->take());
    // The server may have died of what the execution left behind.
    if (block().crash.state.load() == 2 || process_ended(server_->pidfd())) {
      crashed();
      record_.ending.detail.insert(record_.ending.detail.begin(),
                                   "the server died while its state was read");
    }
  }

  const ExecutorOptions& options_;
  std::atomic<bool>& interrupted_;
  ControlMemory& control_;
  const ExecutionPlan& plan_;
  const Input& input_;
  std::unique_ptr<RunningServer> server_;
  std::unique_ptr<Dialect> dialect_;
  std::unique_ptr<Client> own_;
  std::vector<std::unique_ptr<Client>> clients_;
  std::vector<std::thread> sessions_;  // one per client, while the execution runs
  std::unique_ptr<SummarySource> summary_;
  ExecutionRecord record_;
  ExecutionReport report_;
};

Executor::Executor(Server& server, ExecutorOptions options)
    : server_(server), options_(std::move(options)) {
  directory_ = std::make_unique<PrivateDirectory>(options_.base);
}

Executor::~Executor() = default;

ExecutionReport Executor::run(const ExecutionPlan& plan) {
  if (interrupted_.load()) throw Interrupted{};
  Run run(*this, plan);
  return run.go(server_, *directory_);
}

void Executor::interrupt() {
  interrupted_.store(true);
}

}  // namespace esox
