// SPDX-License-Identifier: Apache-2.0
// Replays a binary log on a server in the state after the setup, as a replica would.
//
// The server does it itself, by its own code for replicas, which alone knows all kinds of events,
// the settings under which a statement ran, and the errors that are expected of it: the log's files
// are laid into its data directory as relay logs, and its SQL thread goes through them. No network,
// no other program. The server is good for nothing else afterwards.

#include <fmt/format.h>

#include <chrono>
#include <fstream>
#include <thread>
#include <utility>

#include "summaries/render.h"
#include "targets/mysqld/state/replies.h"
#include "targets/mysqld/state/tables.h"
#include "targets/mysqld/target.h"

namespace esox {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::chrono::milliseconds kPoll{1};
constexpr std::chrono::seconds kLimit{30};
// A server passes over events that bear its own number.
constexpr const char* kReplicaId = "4294967295";
constexpr const char* kReplicaIdElse = "4294967294";

std::string complaint_of(const Output& output) {
  if (!output.answered) return output.message.empty() ? "no reply" : output.message;
  return output.error == 0 ? std::string() : render_error(output);
}

// The first row's cell under this name.
std::string named_cell(const Output& output, const std::string& name) {
  if (output.results.empty() || output.results[0].rows.empty()) return {};
  const std::vector<Column>& columns = output.results[0].columns;
  for (size_t i = 0; i < columns.size(); ++i) {
    if (columns[i].name == name) return cell(output.results[0].rows[0], i);
  }
  return {};
}

// The server names its relay logs by its option, or else after its file of the process id.
std::string relay_name(const Output& settings) {
  const std::string given = named_cell(settings, "relay_log");
  if (!given.empty()) return std::filesystem::path(given).stem().string();
  return std::filesystem::path(named_cell(settings, "pid_file")).stem().string() + "-relay-bin";
}

bool write_file(const std::filesystem::path& file, const std::string& bytes) {
  std::ofstream stream(file, std::ios::binary);
  stream << bytes;
  stream.close();
  return stream.good();
}

// Lays the files where the server looks for them. Gives the first one's name; empty: cannot write.
std::string lay_out(const WrittenLog& log, const std::string& name,
                    const std::filesystem::path& data) {
  std::string index;
  std::string first;
  for (size_t i = 0; i < log.files.size(); ++i) {
    const std::string file = fmt::format("{}.{:06}", name, i + 1);
    if (!write_file(data / file, log.files[i])) return {};
    if (first.empty()) first = file;
    index += "./" + file + "\n";
  }
  return write_file(data / (name + ".index"), index) ? first : std::string();
}

// Positions and names of files, which end the text, are no part of what went wrong.
std::string without_place(const std::string& error) {
  return error.substr(0, error.find("; the event's master log"));
}

// Runs the statements until one fails; why it did.
std::string run_all(const Ask& own, const std::vector<std::string>& statements) {
  for (const std::string& statement : statements) {
    const std::string why = complaint_of(own(statement));
    if (!why.empty()) return fmt::format("{}: {}", statement.substr(0, statement.find(' ')), why);
  }
  return {};
}

// Until the thread has read everything, or stopped.
void await_end(const ReplaySession& session, ReplayedLog& replayed) {
  const Ask own = ask_on(session.own);
  const auto until = Clock::now() + kLimit;
  for (;;) {
    const Output status = own("SHOW SLAVE STATUS");
    if (replayed.unavailable = complaint_of(status); !replayed.unavailable.empty()) return;
    const std::string running = named_cell(status, "Slave_SQL_Running");
    const std::string error = named_cell(status, "Last_SQL_Error");
    if (running == "No") {
      replayed.stopped = error.empty() ? "without an error" : without_place(error);
      return;
    }
    if (named_cell(status, "Slave_SQL_Running_State").starts_with("Slave has read all relay log")) {
      return;
    }
    if (session.interrupted() || Clock::now() > until) {
      replayed.unavailable = fmt::format("the log was not replayed within {} s", kLimit.count());
      return;
    }
    std::this_thread::sleep_for(kPoll);
  }
}

// Why the replay could not be started; empty: it was.
std::string start(const WrittenLog& log, const ReplaySession& session) {
  const Ask own = ask_on(session.own);
  // A replica has no such sessions, and what they hold since the setup (open transactions, locks)
  // would stand in the way.
  for (const auto& client : session.clients) {
    own(fmt::format("KILL CONNECTION {}", client->connection_id()));
  }
  const Output settings = own(
      "SELECT @@relay_log AS relay_log, @@pid_file AS pid_file, @@global.server_id AS server_id");
  if (std::string why = complaint_of(settings); !why.empty()) return why;
  const std::string first = lay_out(log, relay_name(settings), session.folder / "data");
  if (first.empty()) return "the server's data directory cannot be written";
  const bool taken = named_cell(settings, "server_id") == kReplicaId;
  return run_all(
      own,
      {fmt::format("SET GLOBAL server_id={}", taken ? kReplicaIdElse : kReplicaId),
       fmt::format("CHANGE MASTER TO MASTER_HOST='none', MASTER_USE_GTID=no, RELAY_LOG_FILE={}, "
                   "RELAY_LOG_POS={}",
                   quoted_text(first), log.position),
       "START SLAVE SQL_THREAD"});
}

StateSummary read_tables(const Ask& own) {
  std::vector<Component> components;
  Tables tables(/*with_indexes=*/false, /*is_touched=*/{}, /*server_folder=*/{});
  QuestionBatch batch;
  tables.ask(batch);
  batch.run(own);
  tables.read(own, components);
  return make_summary(std::move(components));
}

}  // namespace

ReplayedLog MysqldTarget::replay(const WrittenLog& log, const ReplaySession& session) const {
  ReplayedLog replayed;
  replayed.gone = log.gone;
  replayed.unavailable = log.unavailable;
  if (replayed.gone || !replayed.unavailable.empty()) return replayed;
  if (replayed.unavailable = start(log, session); !replayed.unavailable.empty()) return replayed;
  await_end(session, replayed);
  if (replayed.unavailable.empty()) replayed.tables = read_tables(ask_on(session.own));
  return replayed;
}

}  // namespace esox
