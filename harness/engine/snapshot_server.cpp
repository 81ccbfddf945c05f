// SPDX-License-Identifier: Apache-2.0
#include "harness/engine/snapshot_server.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/socket.h>

#include <cerrno>
#include <cstring>
#include <stdexcept>
#include <utility>

#include "base/mapped.h"
#include "base/process/log_file.h"
#include "base/process/proc.h"
#include "base/process/server_error.h"
#include "harness/engine/settle.h"
#include "harness/engine/snapshot/refused.h"
#include "harness/engine/stacks.h"
#include "targets/annotated_program.h"
#include "targets/registry.h"

namespace esox {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

// Before which no timer of the server's own comes that it had when it was forked: a setup takes
// some ten milliseconds, but a second and more on a busy machine, and what comes in its middle
// (purge, once a second) makes another server of it: of 110 hunts beside twenty processes eight had
// InnoDB allocate other pages, of 160 since none.
constexpr auto kQuietSetup = std::chrono::seconds(5);
constexpr auto kQuiet = std::chrono::seconds(1);
constexpr auto kLongestTimer = std::chrono::seconds(61);  // threads of MariaDB's pool idle for 60 s
// A server that listens may still sleep for a moment before it serves (memcached's main thread: one
// millisecond). Forked in the middle of it, each setup would have it sleep for kQuietSetup instead.
constexpr auto kStartUpSleep = std::chrono::milliseconds(50);
constexpr uint32_t kNest = 0;       // each template has one
constexpr uint32_t kFreshNest = 1;  // of runs beside one that waits for its next life
constexpr unsigned kSetUpCopy = 0;
constexpr unsigned kRunCopy = 1;  // of the runs in kNest; the next one of those in kFreshNest
// Whatever a child might gather without being noticed is limited so.
constexpr uint32_t kMostLives = 500;
// After so many refusals in a row, runs of this setup are only forked: trying costs, too.
constexpr unsigned kMostRefused = 5;

struct SocketPair {
  UniqueFd ours;
  UniqueFd theirs;
};

std::vector<SocketPair> make_sockets(size_t count) {
  std::vector<SocketPair> pairs;
  for (size_t i = 0; i < count; ++i) {
    int ends[2];
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) {
      throw ServerError(fmt::format(
          "no more sockets for a server's clients: {}; raise the limit of open files (ulimit -n)",
          strerror(errno)));
    }
    pairs.push_back({UniqueFd(ends[0]), UniqueFd(ends[1])});
  }
  return pairs;
}

std::vector<int> ends(const std::vector<SocketPair>& pairs, UniqueFd SocketPair::*which) {
  return mapped<int>(pairs, [&](const SocketPair& pair) { return (pair.*which).get(); });
}

}  // namespace

// A forked server as the rest of the harness knows servers.
class SnapshotServer::Run final : public RunningServer {
 public:
  Run(UniqueFd pidfd, SnapshotChannel channel, SnapshotProcess& parent, uint32_t nest,
      const std::filesystem::path& folder)
      : process_(std::make_unique<SnapshotProcess>(std::move(pidfd), std::move(channel))),
        parent_(parent),
        nest_(nest),
        socket_((folder / "socket").string()),
        log_(folder / "server.log") {}

  SnapshotProcess& process() { return *process_; }
  uint32_t next_life() { return ++lives_; }
  std::unique_ptr<SnapshotProcess> take_process() { return std::move(process_); }

  const std::string& socket_path() const override { return socket_; }
  pid_t pid() const override { return process_->pid(); }
  int pidfd() const override { return process_->pidfd(); }
  bool alive() override { return !process_->ended(); }
  bool wait_for_end(milliseconds limit) override { return process_->wait(limit); }
  // Throws TemplateLost: it may have ended only because its template did.
  std::string exit_text() override {
    if (alive()) return {};
    if (exit_text_.empty()) {
      try {
        exit_text_ = text_of(parent_.reap(nest_));
      } catch (const TemplateLost&) {
        throw;
      } catch (const SnapshotRefused&) {
        exit_text_ = "ended; how is not known";
      }
    }
    return exit_text_;
  }
  const std::filesystem::path& log_path() const override { return log_; }
  std::string log_tail(size_t lines) const override { return tail_of(log_, lines); }
  StartTimes times() const override { return {}; }
  void stop() override {
    (void)pid();  // while it can be asked for
    process_->kill();
  }

 private:
  std::unique_ptr<SnapshotProcess> process_;
  SnapshotProcess& parent_;
  uint32_t nest_;
  std::string socket_;
  std::filesystem::path log_;
  std::string exit_text_;
  uint32_t lives_ = 1;
};

SnapshotServer::SnapshotServer(Server& server, SnapshotServerOptions options,
                               ControlMemory& control, RunLives& lives)
    : server_(server), options_(std::move(options)), control_(control), lives_(lives) {}

SnapshotServer::~SnapshotServer() {
  discard();
}

uint64_t SnapshotServer::memory_kib() const {
  uint64_t sum = 0;
  const SnapshotProcess* run = kept_ != nullptr ? &kept_->process() : nullptr;
  const SnapshotProcess* const all[] = {booted_.get(), set_up_.get(), run};
  for (const SnapshotProcess* process : all) {
    if (process != nullptr) sum += proportional_memory_kib(process->pid());
  }
  return sum;
}

// Children before parents, and everybody before the folders that they write to.
void SnapshotServer::discard() {
  ended_.reset();
  kept_.reset();
  session_.reset();
  set_up_.reset();
  for (std::unique_ptr<FileCopy>& files : run_files_) files.reset();
  set_up_files_.reset();
  booted_.reset();
  first_.reset();
  enclosure_.reset();
  store_.reset();
  folder_.reset();
}

std::string SnapshotServer::folder_of_copy(unsigned number) const {
  return (store_->path() / std::to_string(number)).string();
}

std::filesystem::path SnapshotServer::our_folder_of_copy(unsigned number) const {
  return fmt::format("/proc/self/fd/{}/{}", enclosure_->store_fd(), number);
}

NestPlan SnapshotServer::nest(uint32_t number, unsigned copy) const {
  NestPlan plan;
  plan.number = number;
  plan.from = folder_of_copy(copy);
  plan.onto = folder_->path().string();
  std::error_code error;
  plan.folder =
      std::filesystem::read_symlink(fmt::format("/proc/{}/cwd", enclosure_->program_pid()), error)
          .string();
  if (error)
    throw SnapshotRefused("the server's working folder cannot be read: " + error.message());
  return plan;
}

// All or nothing: half of it would be taken for a template.
void SnapshotServer::boot(const Target& target, const Input& input, int64_t clock_base_ns) {
  discard();
  try {
    make_template(target, input, clock_base_ns);
  } catch (const TemplateLost&) {
    discard();
    throw;
  } catch (const std::runtime_error& error) {
    discard();
    throw SnapshotRefused(error.what());
  }
}

void SnapshotServer::make_template(const Target& target, const Input& input,
                                   int64_t clock_base_ns) {
  folder_ = std::make_unique<PrivateDirectory>(options_.base);
  store_ = std::make_unique<PrivateDirectory>(options_.base);
  enclosure_ = std::make_unique<Enclosure>(store_->path(), options_.store_bytes);
  control_.reset(ControlMode::kClients, options_.control, clock_base_ns, folder_->path().string());
  auto [ours, theirs] = SnapshotChannel::make_pair();
  StartRequest request;
  request.directory = folder_.get();
  request.environment =
      control_.enclose(*enclosure_, options_.preload_library.string(), theirs.get());
  for (std::string& added : annotation_environment(server_.program(), options_.preload_library)) {
    request.environment.push_back(std::move(added));
  }
  request.options = server_options(target, input);
  request.enclosure = enclosure_.get();
  first_ = server_.start(request);
  if (options_.meter != nullptr) options_.meter->set_server(pidfd());
  theirs.reset();
  enclosure_->receive();
  if (control_.block().loaded.load() == 0) {
    throw SnapshotRefused("the server did not load the preload library");
  }
  booted_ = std::make_unique<SnapshotProcess>(
      UniqueFd(fcntl(enclosure_->program_pidfd(), F_DUPFD_CLOEXEC, 0)),
      SnapshotChannel(std::move(ours)));
  settle(booted_->pid(), options_.settle_limit);
  options_.contexts ? let_timers_come() : let_pass(kStartUpSleep);
  booted_modules_ = mapped_modules(booted_->pid());
  PlanRequest plan;
  plan.root = folder_->path().string();
  booted_->park(plan, /*move_memory=*/true);
  const FileState origin{folder_->path(), {}};
  set_up_files_ = std::make_unique<FileCopy>(our_folder_of_copy(kSetUpCopy), origin);
  run_files_[kNest] = std::make_unique<FileCopy>(our_folder_of_copy(kRunCopy), origin);
  booted_->add_nest(nest(kNest, kSetUpCopy));
  booted_control_ = control_.save();
  booted_options_ = std::move(request.options);
}

// What sleeps in the booted server for less than that wakes up.
void SnapshotServer::let_pass(std::chrono::milliseconds time) {
  PlanRequest plan;
  plan.root = folder_->path().string();
  booted_->park(plan);
  booted_->resume(time);
  settle(booted_->pid(), options_.settle_limit);
}

// When a server's timers come, and how many threads its pools have, depends on how quickly it has
// started. So time passes until all of it has come twice: the first time from wherever it was, the
// second time from one moment.
void SnapshotServer::let_timers_come() {
  let_pass(kLongestTimer);
  let_pass(kLongestTimer);
}

void SnapshotServer::set_up() {
  if (Run* kept = kept_.get()) kept->process().begin_kill();
  ended_ = std::move(kept_);  // waited for before its files are touched
  refused_in_a_row_ = 0;
  has_fresh_nest_ = false;
  session_.reset();
  set_up_.reset();
  set_up_files_->become(FileState{folder_->path(), {}});
  control_.restore(booted_control_);
  auto [ours, theirs] = SnapshotChannel::make_pair();
  SnapshotProcess::Fork fork;
  fork.nest = kNest;
  fork.channel = theirs.get();
  fork.quiet = kQuietSetup;
  booted_->begin_fork(fork);
  UniqueFd pidfd = booted_->end_fork();
  theirs.reset();
  auto run = std::make_unique<Run>(std::move(pidfd), SnapshotChannel(std::move(ours)), *booted_,
                                   kNest, our_folder_of_copy(kSetUpCopy));
  try {
    run->process().await_life();
  } catch (const SnapshotRefused&) {
    const std::string words = booted_->last_words();
    if (words.empty()) throw;
    throw SnapshotRefused(words);
  }
  session_ = std::make_unique<Session>(control_, input_);
  try {
    session_->open(*run, [&] { settle(run->pid(), options_.settle_limit); });
  } catch (const std::runtime_error&) {
    if (booted_->ended()) throw TemplateLost("the snapshot's server ended during the setup");
    throw;  // the input's fault, or its server's alone
  }
  modules_ = mapped_modules(run->pid(), booted_modules_);
  PlanRequest plan;
  plan.root = folder_->path().string();
  plan.sockets = session_->server_sockets();
  run->process().park(plan);
  run->process().add_nest(nest(kNest, kRunCopy));
  set_up_state_ = set_up_files_->state();
  set_up_control_ = control_.save();
  set_up_ = run->take_process();
}

void SnapshotServer::prepare(const ConcreteInput& input, int64_t clock_base_ns, StepTimes& times) {
  const auto start = Clock::now();
  const Target& target = target_named(input.input.server());
  if (booted_ == nullptr || booted_->ended() ||
      booted_options_ != server_options(target, input.input)) {
    boot(target, input.input, clock_base_ns);
    times.boot_ms = ms_since(start);
  }
  if (set_up_ != nullptr && !set_up_->ended() && input.input == input_) return;
  const auto setting_up = Clock::now();
  session_.reset();  // it refers to the input
  input_ = input.input;
  set_up();
  times.set_up_ms = ms_since(setting_up);
}

// Before anything that the run might still read or write is changed.
void SnapshotServer::await_rewound() {
  if (kept_ == nullptr || kept_waits_) return;
  try {
    kept_waits_ = kept_->process().end_rewind(lives_.why);
  } catch (const TemplateLost& lost) {
    lives_.why = lost.what();
  }
  if (kept_waits_) {
    refused_in_a_row_ = 0;
    return;
  }
  ++lives_.refused;
  ++refused_in_a_row_;
  kept_->stop();
  kept_.reset();
}

// Most setups need no second nest.
void SnapshotServer::prepare_fresh_nest() {
  std::unique_ptr<FileCopy>& files = run_files_[kFreshNest];
  const unsigned copy = kRunCopy + kFreshNest;
  if (files == nullptr) {
    files = std::make_unique<FileCopy>(our_folder_of_copy(copy), FileState{folder_->path(), {}});
  }
  if (!has_fresh_nest_) set_up_->add_nest(nest(kFreshNest, copy));
  has_fresh_nest_ = true;
}

std::unique_ptr<SnapshotServer::Run> SnapshotServer::forked(SnapshotProcess::Fork request) {
  SnapshotChannel channel;
  UniqueFd theirs;
  if (options_.rewind && request.nest == kNest) {
    auto [ours, its] = SnapshotChannel::make_pair();
    channel = SnapshotChannel(std::move(ours));
    theirs = std::move(its);
    request.channel = theirs.get();
    request.rewindable = true;
  }
  set_up_->begin_fork(request);
  UniqueFd pidfd = set_up_->end_fork();
  return std::make_unique<Run>(std::move(pidfd), std::move(channel), *set_up_, request.nest,
                               our_folder_of_copy(kRunCopy + request.nest));
}

std::unique_ptr<RunningServer> SnapshotServer::fork(int64_t clock_base_ns, bool fresh,
                                                    StepTimes& times) {
  auto at = Clock::now();
  ended_.reset();
  await_rewound();
  std::unique_ptr<Run> run;
  if (!fresh) run = std::move(kept_);
  times.fork_ms = ms_since(at);
  at = Clock::now();
  std::vector<SocketPair> sockets = make_sockets(session_->clients() + 1);
  // A reply that was cut off leaves a connection that cannot go on: set up anew. The old session
  // shuts down, as it goes, the sockets on which others of its connections went on already.
  if (!session_->continue_on(ends(sockets, &SocketPair::ours))) {
    run.reset();
    set_up();
    times.set_up_ms += ms_since(at);
    sockets = make_sockets(session_->clients() + 1);
    if (!session_->continue_on(ends(sockets, &SocketPair::ours))) {
      throw SnapshotRefused("a client's connection cannot go on");
    }
    at = Clock::now();
  }
  SnapshotProcess::Fork request;
  request.nest = kept_ == nullptr ? kNest : kFreshNest;
  if (request.nest == kFreshNest) prepare_fresh_nest();
  run_files_[request.nest]->become(set_up_state_);
  times.files_ms = ms_since(at);
  at = Clock::now();
  control_.restore(set_up_control_);
  control_.block().clock_base_ns = clock_base_ns;
  request.sockets = ends(sockets, &SocketPair::theirs);
  request.quiet = kQuiet;
  request.fail_at = options_.fail_at;
  if (run != nullptr) {
    run->process().live_again(request);
    ++lives_.rewound;
    times.rewound = true;
  } else {
    run = forked(std::move(request));
    ++lives_.forked;
  }
  times.fork_ms += ms_since(at);
  return run;
}

void SnapshotServer::give_back(std::unique_ptr<RunningServer> run) {
  std::unique_ptr<Run> ours(static_cast<Run*>(run.release()));
  const bool in_vain = refused_in_a_row_ >= kMostRefused || kept_ != nullptr;
  if (!options_.rewind || in_vain || ours->next_life() > kMostLives) return ours->stop();
  try {
    ours->process().begin_rewind();
  } catch (const TemplateLost&) {
    return ours->stop();
  }
  kept_ = std::move(ours);
  kept_waits_ = false;
}

std::string SnapshotServer::last_words(RunningServer& run) {
  const std::string words = set_up_->last_words();
  return words.empty() ? static_cast<Run&>(run).process().last_words() : words;
}

}  // namespace esox
