// SPDX-License-Identifier: Apache-2.0
#include "harness/engine/session.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <functional>
#include <list>
#include <mutex>
#include <set>
#include <thread>

#include "analysis/ended_server.h"
#include "base/process/server_error.h"
#include "harness/engine/structures.h"
#include "inputs/isolation_level.h"
#include "inputs/signals.h"
#include "summaries/frozen/frozen_state.h"

namespace esox {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::chrono::milliseconds kTagLimit{5'000};
constexpr std::chrono::microseconds kTagSlice{100};
constexpr std::chrono::milliseconds kSignalSlice{5};
constexpr size_t kLogLinesOfFailure = 60;
constexpr uint32_t kConnectionKilled = 1927;  // the shutdown's own connection, too

}  // namespace

// A thread that plays one client's requests, whenever it is told to.
class Session::Player {
 public:
  // Of one that is the so-many-th to be sent, the reply.
  using Send = std::function<Output(const Request&, size_t)>;

  Player(Send send, const InputClient& input)
      : send_(std::move(send)), input_(input), thread_([this] { loop(); }) {}
  ~Player() {
    {
      const std::lock_guard lock(mutex_);
      ending_ = true;
    }
    changed_.notify_all();
    thread_.join();
  }

  // From its request `first` on, but without those in `without`.
  void begin(std::vector<Output>& outputs, size_t first, std::set<size_t> without) {
    {
      const std::lock_guard lock(mutex_);
      first_ = first;
      without_ = std::move(without);
      outputs_ = &outputs;
    }
    changed_.notify_all();
  }

  void wait() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return outputs_ == nullptr; });
  }

  // False: it still plays.
  bool wait_until(std::chrono::steady_clock::time_point end) {
    std::unique_lock lock(mutex_);
    return changed_.wait_until(lock, end, [this] { return outputs_ == nullptr; });
  }

  bool over() {
    const std::lock_guard lock(mutex_);
    return outputs_ == nullptr;
  }

 private:
  void loop() {
    std::unique_lock lock(mutex_);
    for (;;) {
      changed_.wait(lock, [this] { return outputs_ != nullptr || ending_; });
      if (outputs_ == nullptr) return;
      lock.unlock();
      play(*outputs_);
      lock.lock();
      outputs_ = nullptr;
      changed_.notify_all();
    }
  }

  void play(std::vector<Output>& outputs) {
    size_t sent = 0;
    for (size_t r = 0; r < outputs.size(); ++r) {
      if (without_.contains(first_ + r)) continue;
      const Request& request = input_.requests[first_ + r];
      Output output = send_(request, sent++);
      output.ordered = request.ordered;
      const bool answered = output.answered;
      outputs[r] = std::move(output);
      if (!answered) break;
    }
  }

  Send send_;
  const InputClient& input_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<Output>* outputs_ = nullptr;  // not null: it plays
  size_t first_ = 0;                        // request to play
  std::set<size_t> without_;                // while it plays, its thread's alone
  bool ending_ = false;
  std::thread thread_;
};

Session::Session(ControlMemory& control, const Input& input)
    : control_(control),
      input_(input),
      target_(target_named(input.server())),
      own_(target_.make_client()) {}

Session::~Session() {
  abort();
  players_.clear();
}

void Session::open(RunningServer& server, const std::function<void()>& rest) {
  const std::string& socket_path = server.socket_path();
  try {
    announce_and_connect(kOwnConnection, *own_, socket_path);
    rest();
    own_->run_setup(input_.setup, rest_after(rest));
    for (size_t i = 0; i < input_.clients.size(); ++i) connect_client(i, socket_path, rest);
  } catch (const ClientError& error) {
    if (!server.alive()) {
      throw ServerError(fmt::format("the server died during the setup of {} ({}): {}", input_.id,
                                    input_.origin, server.exit_text()),
                        server.log_tail(kLogLinesOfFailure));
    }
    throw SetupError(fmt::format("{}: setup of {}: {}", input_.origin, input_.id, error.what()));
  }
  check_signals();
  const std::optional<size_t> signalling = signalling_client(input_.clients);
  for (size_t i = 0; i < clients_.size(); ++i) {
    Player::Send send = [&client = *clients_[i]](const Request& request, size_t) {
      return client.run(request);
    };
    if (i == signalling) {
      send = [this, i](const Request&, size_t number) { return reply_to_signal(i, number); };
    }
    players_.push_back(std::make_unique<Player>(std::move(send), input_.clients[i]));
  }
  const auto process = [this] { return server_->pid(); };
  state_ = target_.make_state({*own_, clients_, input_, process, folder_});
  state_->begin();
  frozen_ = std::make_unique<FrozenState>(process, structures_of(input_));
  frozen_->begin();
  rest();
}

// To a thread that waits for them, that is: what a handler does is not seen.
void Session::check_signals() const {
  const std::optional<size_t> client = signalling_client(input_.clients);
  if (!client) return;
  const std::string why = signals_complaint(input_.clients);  // of an input that was generated
  if (!why.empty()) throw SetupError(fmt::format("{}: {}", input_.id, why));
  const uint64_t awaited = control_.block().awaited_signals.load();
  for (const Request& request : input_.clients[*client].requests) {
    if ((awaited >> (signal_number(request.text) - 1) & 1) != 0) continue;
    throw SetupError(fmt::format("{}: {}: no thread of this server waits for {} (sigwait)",
                                 input_.origin, input_.id, request.text));
  }
}

// None but that it has been served, which is known at the latest when the execution has ended.
Output Session::reply_to_signal(size_t client, size_t number) const {
  while (!aborted_.load() && !control_.wait_end(kSignalSlice)) {
  }
  Output output;
  output.answered = control_.block().stamps[client][number].response != UINT64_MAX;
  if (!output.answered) output.message = "the signal was not served to its end";
  return output;
}

// Half of all imported setups are settings, and a rest costs more than they do.
Client::AfterEach Session::rest_after(const std::function<void()>& rest) const {
  return [&rest, &language = *input_.language](const std::string& statement) {
    if (!language.is_mere_session_setting(statement)) rest();
  };
}

void Session::announce_and_connect(uint32_t number, Client& client,
                                   const std::string& socket_path) {
  ControlBlock& block = control_.block();
  block.connection_fd[number - 1].store(-1);
  block.connecting_client.store(number);
  client.connect(socket_path);
  const auto until = Clock::now() + kTagLimit;
  while (block.connection_fd[number - 1].load() < 0 && Clock::now() < until) {
    std::this_thread::sleep_for(kTagSlice);
  }
  block.connecting_client.store(0);
  if (block.connection_fd[number - 1].load() < 0) {
    throw ServerError("the server accepts connections in a way that esox does not see");
  }
}

void Session::connect_client(size_t index, const std::string& socket_path,
                             const std::function<void()>& rest) {
  clients_.push_back(target_.make_client());
  announce_and_connect(static_cast<uint32_t>(index) + 1, *clients_.back(), socket_path);
  clients_.back()->run_setup(session_setup(input_, input_.clients[index]), rest_after(rest));
}

std::map<int, size_t> Session::server_sockets() const {
  const ControlBlock& block = control_.block();
  std::map<int, size_t> sockets;
  for (size_t i = 0; i < clients_.size(); ++i) sockets[block.connection_fd[i].load()] = i;
  sockets[block.connection_fd[kOwnConnection - 1].load()] = clients_.size();
  return sockets;
}

bool Session::continue_on(const std::vector<int>& sockets) {
  for (size_t i = 0; i < clients_.size(); ++i) {
    if (!clients_[i]->continue_on(sockets[i])) return false;
  }
  return own_->continue_on(sockets[clients_.size()]);
}

void Session::play(const std::vector<size_t>& first, const std::vector<uint32_t>& counts,
                   const RequestSet& without, std::vector<std::vector<Output>>& outputs) {
  aborted_.store(false);
  for (size_t i = 0; i < clients_.size(); ++i) {
    outputs[i].resize(counts[i]);
    std::set<size_t> left_out;
    for (const RequestId& id : without) {
      if (id.client == i) left_out.insert(id.request);
    }
    players_[i]->begin(outputs[i], first.empty() ? 0 : first[i], std::move(left_out));
  }
}

void Session::join() {
  for (auto& player : players_) player->wait();
}

bool Session::all_end_within(std::chrono::milliseconds limit) {
  const auto end = std::chrono::steady_clock::now() + limit;
  return std::ranges::all_of(players_, [&](auto& player) { return player->wait_until(end); });
}

bool Session::someone_is_over(const std::vector<uint32_t>& counts) {
  for (size_t i = 0; i < players_.size(); ++i) {
    if (counts[i] > 0 && players_[i]->over()) return true;
  }
  return false;
}

void Session::abort() {
  aborted_.store(true);
  own_->abort();
  for (auto& client : clients_) client->abort();
}

bool Session::says_shutdown(const Outcome& outcome) const {
  for (size_t c = 0; c < outcome.outputs.size(); ++c) {
    for (size_t r = 0; r < outcome.outputs[c].size(); ++r) {
      const Output& reply = outcome.outputs[c][r];
      if (target_.says_shutdown(reply)) return true;
      const bool asked = input_.language->ends_server(input_.clients[c].requests[r].text);
      if (asked && (reply.error == 0 || reply.error == kConnectionKilled)) return true;
    }
  }
  return false;
}

// The interface first: what it asks may change memory (what is dead goes, caches are filled), in
// every execution alike; and with its last answer the server is done with what came before.
bool Session::take_state(const RunningServer& server, bool replies_only,
                         std::chrono::milliseconds reply_limit, Outcome& outcome) {
  server_ = &server;
  folder_ = server.log_path().parent_path();
  const auto begun = std::chrono::steady_clock::now();
  std::list<ReplyLimit> limits;
  std::vector<Client*> asked;
  for (Client* client : connections()) {
    if (!client->connected()) continue;
    limits.emplace_back(*client, static_cast<int>(reply_limit.count()));
    asked.push_back(client);
  }
  read_state(replies_only, outcome);
  // Who waited in vain has closed the connection; so has who was hung up on, but sooner.
  return std::chrono::steady_clock::now() - begun < reply_limit ||
         std::ranges::all_of(asked, [](const Client* client) { return client->connected(); });
}

void Session::read_state(bool replies_only, Outcome& outcome) {
  for (size_t c = 0; c < clients_.size(); ++c) {
    auto& outputs = outcome.outputs[c];
    if (!outputs.empty() && outputs.back().answered && outputs.back().warning_count > 0) {
      outputs.back().warnings = clients_[c]->warnings();
    }
  }
  state_->name_identities(outcome);
  if (replies_only) return;
  std::vector<Component> components = state_->take();
  for (Component& component : frozen_->take()) components.push_back(std::move(component));
  outcome.state = make_summary(std::move(components));
  outcome.failed_tasks = state_->failed_tasks();
}

std::vector<Client*> Session::connections() const {
  std::vector<Client*> all = {own_.get()};
  for (const std::unique_ptr<Client>& client : clients_) all.push_back(client.get());
  return all;
}

void Session::take_replies_of_the_end(Outcome& outcome) const {
  for (auto& of_client : outcome.outputs) {
    for (Output& reply : of_client) reply.answered = reply.answered && !target_.says_end(reply);
  }
  for (const RequestId& id : ending_signal(input_)) {
    auto& of_client = outcome.outputs[id.client];
    if (id.request < of_client.size()) of_client[id.request].answered = true;
  }
  state_->name_identities(outcome);
}

void Session::take_state_of_next(RunningServer& server, Outcome& outcome) {
  folder_ = server.log_path().parent_path();
  const std::unique_ptr<Client> own = target_.make_client(kLongestReply_ms);
  own->connect(server.socket_path());
  const std::vector<std::unique_ptr<Client>> none;
  const std::unique_ptr<ServerState> state =
      target_.make_state({*own, none, input_, [&server] { return server.pid(); }, folder_});
  state->begin();
  outcome.state = make_summary(state->take());
}

}  // namespace esox
