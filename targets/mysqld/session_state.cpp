// SPDX-License-Identifier: Apache-2.0
// The state of one session's server, taken by its interface (interface.h) and, where the program is
// annotated, from its memory; with the binary log that a replay takes.
#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "inputs/isolation_level.h"
#include "inputs/summary_parts.h"
#include "summaries/annotation/annotated_state.h"
#include "targets/mysqld/row_log.h"
#include "targets/mysqld/state/cacheable_select.h"
#include "targets/mysqld/state/ended_sessions.h"
#include "targets/mysqld/state/failed_events.h"
#include "targets/mysqld/state/interface.h"
#include "targets/mysqld/target.h"
#include "targets/sql/made_databases.h"
#include "targets/sql/touched_tables.h"

namespace esox {
namespace {

// Whether a session can hold what others wait for, after its last request or one before.
bool can_hold_locks(const Input& input) {
  const auto may_hold = [&](const Request& request) {
    const SessionEffect effect = input.language->session_effect(request.text);
    return effect == SessionEffect::kOpens || effect == SessionEffect::kLasting;
  };
  return std::ranges::any_of(input.clients, [&](const InputClient& client) {
    return std::ranges::any_of(client.requests, may_hold);
  });
}

// While it waits for another session's lock, time is the kernel's: not for a day.
bool may_be_asked(Client& connection, bool locks) {
  constexpr const char* kNotForLong =
      "SET SESSION lock_wait_timeout=1, SESSION innodb_lock_wait_timeout=1";
  if (connection.in_transaction()) return false;
  if (locks) connection.run(Request{kNotForLong, false});
  return true;
}

std::vector<QuestionedClient> questioned_clients(const SessionView& session) {
  const bool locks = can_hold_locks(session.input);
  std::vector<QuestionedClient> questioned;
  for (size_t i = 0; i < session.clients.size(); ++i) {
    Client& connection = *session.clients[i];
    const InputClient& input = session.input.clients[i];
    QuestionedClient client{input.name, ask_on(connection), {}, connection.connection_id()};
    client.may_be_asked = [&connection, locks] { return may_be_asked(connection, locks); };
    for (const Request& request : input.requests) {
      if (is_plain_select(request.text))
        client.questions.push_back({request.text, request.ordered});
    }
    questioned.push_back(std::move(client));
  }
  return questioned;
}

MysqldParts parts_of(const SessionView& session) {
  const Input& input = session.input;
  MysqldParts parts;
  for (size_t i = 0; i < std::size(kMysqldParts); ++i) {
    parts.left_out[i] = !has_summary_part(input, kMysqldParts[i]);
  }
  if (summarises_what_is_touched(input)) {
    const TouchedTables touched(input);
    parts.tables_stay = !touched.may_come_or_go();
    parts.is_touched = [touched](const std::string& table) { return touched.has(table); };
  }
  parts.databases = made_databases(input);
  parts.server_folder = [&folder = session.folder] { return folder; };
  return parts;
}

// So that its row log tells whose a transaction is, by a number of the session, and what its
// statements were. MySQL has no such number, but names connections, and tells statements only if
// it is asked to.
void prepare_sessions(const SessionView& session) {
  if (isolation_level_of(session.input) == nullptr) return;
  for (size_t i = 0; i < session.clients.size(); ++i) {
    session.clients[i]->run(
        Request{fmt::format("SET SESSION server_id={}", kFirstSessionNumber + i), false});
    session.clients[i]->run(Request{"SET SESSION binlog_rows_query_log_events=ON", false});
    // It is invalidated only after a commit can be seen: a bug of its own, hunted without a log.
    session.clients[i]->run(Request{"SET SESSION query_cache_type=0", false});
  }
}

// What the interface asks for fills the server's caches: the annotations first.
class MysqldState final : public StateSources {
 public:
  explicit MysqldState(const SessionView& session)
      : session_(session),
        folder_(session.folder),
        failed_events_(session.folder),
        ended_sessions_(ask_on(session.own), session.clients) {
    add(std::make_unique<AnnotatedProcess>(session.process));
    auto interface =
        std::make_unique<MysqldInterface>(ask_on(session.own), questioned_clients(session),
                                          session.input.observations, parts_of(session));
    interface_ = interface.get();
    add(std::move(interface));
  }

  void begin() override {
    StateSources::begin();
    if (interface_->logs()) prepare_sessions(session_);
    failed_events_.begin();
  }

  std::vector<Component> take() override {
    ended_sessions_.await();
    return StateSources::take();
  }

  std::optional<WrittenLog> written_log() override {
    if (!interface_->log_span()) return {};
    WrittenLog log = read_written_log(*interface_->log_span(), folder_ / "data");
    for (const auto& client : session_.clients) log.sessions.push_back(client->connection_id());
    return log;
  }

  std::vector<FailedTask> failed_tasks() override { return failed_events_.read(); }

 private:
  SessionView session_;
  const std::filesystem::path& folder_;
  FailedEvents failed_events_;
  EndedSessions ended_sessions_;
  MysqldInterface* interface_ = nullptr;  // one of the sources
};

}  // namespace

std::unique_ptr<ServerState> MysqldTarget::make_state(const SessionView& session) const {
  return std::make_unique<MysqldState>(session);
}

}  // namespace esox
