// SPDX-License-Identifier: Apache-2.0
// The clients of one input on one server: connected and set up, played, asked for the state.
//
// A client whose requests are signals has a connection like the others, and sends nothing over it.
//
// One thread uses a session; within play() one thread per client sends its requests, each as soon
// as the reply to the one before is there. Those threads live as long as the session.
//
// With isolation `snapshot` the same session serves one forked server after the other
// (continue_on): the connections go on where they were when the template was parked.
#pragma once

#include <atomic>
#include <chrono>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "analysis/serial_run.h"
#include "harness/engine/control.h"
#include "harness/engine/execution.h"
#include "inputs/input.h"
#include "summaries/outcome.h"
#include "summaries/source.h"
#include "targets/client.h"
#include "targets/registry.h"
#include "targets/server.h"

namespace esox {

class Session {
 public:
  // Both must outlive it.
  Session(ControlMemory& control, const Input& input);
  ~Session();
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  // Connects, runs the setup, connects the clients one after the other, so that the preload learns
  // whose connection is whose, runs theirs; calls `rest` between statements and at the end, which
  // is to wait until the server has come to rest (settle.h). Throws SetupError, ServerError.
  void open(RunningServer& server, const std::function<void()>& rest);

  const Target& target() const { return target_; }

  size_t clients() const { return clients_.size(); }

  // The server's descriptor of each connection -> its number for continue_on().
  std::map<int, size_t> server_sockets() const;
  // All connections go on over these sockets, which stay the caller's. False if one cannot: then
  // the session is of no further use.
  bool continue_on(const std::vector<int>& sockets);

  // Sends `counts[client]` requests of each client, from its request `first[client]` on (empty:
  // from its first one), but not those in `without`; `outputs` has a list for each and must live
  // until join().
  void play(const std::vector<size_t>& first, const std::vector<uint32_t>& counts,
            const RequestSet& without, std::vector<std::vector<Output>>& outputs);
  // Whether a client that has requests has had its last reply, or lost its connection.
  bool someone_is_over(const std::vector<uint32_t>& counts);
  bool all_end_within(std::chrono::milliseconds limit);
  // Until every client has had its last reply, or none will come.
  void join();
  // From any thread: whoever waits for a reply waits no more.
  void abort();

  // After join(): whether the server is being shut down: a reply says so, or it was asked for it.
  bool says_shutdown(const Outcome& outcome) const;

  // After join(): the texts of the last warnings go to `outcome.outputs`, the state to
  // `outcome.state`, unless `replies_only`. `server`: the one that serves this session by now.
  // False: to some question there was no reply for so long.
  bool take_state(const RunningServer& server, bool replies_only,
                  std::chrono::milliseconds reply_limit, Outcome& outcome);

  // Where a signal of the input's ended the server, also in place of them: replies that only say so
  // are taken for none, and the signal for served.
  void take_replies_of_the_end(Outcome& outcome) const;
  // The state of another server, which was started on the data of this session's.
  void take_state_of_next(RunningServer& server, Outcome& outcome);

  // After take_state(): what the execution wrote to a log that can be replayed.
  std::optional<WrittenLog> written_log() const { return state_->written_log(); }
  // Instead of an execution: replays a log of one. The server and this session are good for nothing
  // else until continue_on().
  ReplayedLog replay(const WrittenLog& log, const std::filesystem::path& folder,
                     const std::function<bool()>& interrupted) {
    const ReplyLimit limit(*own_);
    return target_.replay(log, {*own_, clients_, folder, interrupted});
  }
  // The same, for questions in states that a row log tells.
  std::vector<StateAnswer> answer(const RowLog& log, std::span<const StateQuestion> questions,
                                  const std::filesystem::path& folder,
                                  const std::function<bool()>& interrupted) {
    return target_.answer(log, questions, {*own_, clients_, folder, interrupted});
  }

 private:
  class Player;

  void read_state(bool replies_only, Outcome& outcome);
  std::vector<Client*> connections() const;  // its own, and the clients'
  Client::AfterEach rest_after(const std::function<void()>& rest) const;
  void connect_client(size_t index, const std::string& socket_path,
                      const std::function<void()>& rest);
  void check_signals() const;
  Output reply_to_signal(size_t client, size_t number) const;
  void announce_and_connect(uint32_t number, Client& client, const std::string& socket_path);

  ControlMemory& control_;
  const Input& input_;
  const Target& target_;
  std::unique_ptr<Client> own_;
  std::vector<std::unique_ptr<Client>> clients_;
  std::vector<std::unique_ptr<Player>> players_;
  std::atomic<bool> aborted_{false};  // since it played last
  std::filesystem::path folder_;      // of the server whose state is taken
  std::unique_ptr<ServerState> state_;
  const RunningServer* server_ = nullptr;  // of take_state
  std::unique_ptr<SummarySource> frozen_;
};

// What is done with a session after its setup, of a server whose files are in this folder.
using SetUpUse = std::function<void(Session&, const std::filesystem::path&)>;

}  // namespace esox
