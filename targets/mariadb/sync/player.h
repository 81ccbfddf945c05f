// SPDX-License-Identifier: Apache-2.0
// Scripts played on a private server with sync points, by clients of our own.
#pragma once

#include <chrono>
#include <future>
#include <memory>
#include <string>
#include <vector>

#include "base/process/private_directory.h"
#include "targets/mariadb/sync/test_text.h"
#include "targets/mariadb/sync/undoing.h"
#include "targets/mysqld/client.h"
#include "targets/mysqld/server.h"

namespace esox {

struct PlayedScript {
  enum class End {
    kEnded,
    kNotHeld,     // a signal did not come in time: not reached, or others had to wait for it
    kStoodStill,  // nobody was held any more
    kDied,        // the server
  };
  End end = End::kEnded;
  Answers answers;        // to requests and questions
  std::string assertion;  // by which the server died, if by one: "ma_check.c:12: f: Assertion ..."
};

class SyncPlayer {
 public:
  // Starts the server. Throws ServerError, also if it has no sync points.
  SyncPlayer(MysqldServer& server, const SyncTestRequest& request, Undoing undoing);
  ~SyncPlayer();
  SyncPlayer(const SyncPlayer&) = delete;
  SyncPlayer& operator=(const SyncPlayer&) = delete;

  // From a new beginning. Throws ServerError, ClientError.
  PlayedScript play(const SyncScript& script, const std::vector<SyncQuestion>& questions);

  // That a client's request passes, with nobody beside it.
  std::vector<SyncPoint> points_of(size_t client, size_t request);

  // Base tables and views, after what was played last.
  std::vector<std::string> tables(const char* type);
  // Of a table, each by the columns that it begins with: name and list.
  std::vector<std::pair<std::string, std::string>> keys(const std::string& table);

  // As at the beginning; a server that died is started anew.
  void reset();
  const std::string& socket_path() const { return running_->socket_path(); }
  bool died();
  // What the session of our own is answered. Throws ClientError where it is an error.
  ResultSet ask(const std::string& sql);

 private:
  struct Session;

  void start();
  void stop();
  void set_up();
  bool perform(const SyncStep& step, PlayedScript& played, bool released);
  bool reap(const SyncStep& step, PlayedScript& played, bool released);
  bool say(const SyncStep& step, PlayedScript& played);
  bool is_heard(const std::string& text);
  bool is_answered(Session& session, std::chrono::milliseconds limit);
  bool waits_for_good(const Session& session);
  void wait_until_blocked(size_t client);
  PlayedScript cut_short(PlayedScript::End end);
  MysqlClient& client_of(size_t session);

  MysqldServer& server_;
  const SyncTestRequest& request_;
  const Undoing undoing_;
  PrivateDirectory folder_;
  std::unique_ptr<RunningServer> running_;
  MysqlClient own_;
  bool limits_waits_ = false;  // the input, or the server: for a lock, to less than we wait
  std::vector<std::unique_ptr<Session>> sessions_;
};

}  // namespace esox
