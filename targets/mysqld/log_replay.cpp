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
#include <optional>
#include <thread>
#include <utility>

#include "summaries/render.h"
#include "targets/mysqld/state/replies.h"
#include "targets/mysqld/state/tables.h"
#include "targets/mysqld/target.h"
#include "targets/sql/made_databases.h"

namespace esox {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::chrono::milliseconds kPoll{1};
constexpr std::chrono::seconds kLimit{30};
// A server passes over events that bear its own number.
constexpr const char* kReplicaId = "4294967295";
constexpr const char* kReplicaIdElse = "4294967294";

// How a release speaks of replicas, in statements and in the names of what it tells: MySQL has new
// words from 8.0 on, and from 8.4 on those only.
struct ReplicaWords {
  const char* replica;
  const char* change;
  const char* source;
};
constexpr ReplicaWords kWords[] = {
    {"Slave", "CHANGE MASTER TO", "MASTER"},
    {"Replica", "CHANGE REPLICATION SOURCE TO", "SOURCE"},
};

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

bool wrote_file(const std::filesystem::path& file, const std::string& bytes) {
  std::ofstream stream(file, std::ios::binary);
  stream << bytes;
  stream.close();
  return stream.good();
}

// As they lie in the server's data directory.
struct LaidOut {
  std::string first;
  std::string last;
  size_t last_bytes = 0;
};

// Lays the files where the server looks for them. Nothing: it cannot write.
std::optional<LaidOut> lay_out(const WrittenLog& log, const std::string& name,
                               const std::filesystem::path& data) {
  std::string index;
  LaidOut laid_out;
  for (size_t i = 0; i < log.files.size(); ++i) {
    laid_out.last = fmt::format("{}.{:06}", name, i + 1);
    laid_out.last_bytes = log.files[i].size();
    if (!wrote_file(data / laid_out.last, log.files[i])) return {};
    if (laid_out.first.empty()) laid_out.first = laid_out.last;
    index += "./" + laid_out.last + "\n";
  }
  if (!wrote_file(data / (name + ".index"), index)) return {};
  return laid_out;
}

// Which worker met it, of which transaction, positions and names of files, which begin and end the
// text, are no part of what went wrong.
std::string without_place(const std::string& error) {
  const size_t after_worker = error.starts_with("Worker ") ? error.find("; ") : std::string::npos;
  const size_t begin = after_worker == std::string::npos ? 0 : after_worker + 2;
  return error.substr(begin, error.find("; the event's ", begin) - begin);
}

// Runs the statements until one fails; why it did.
std::string run_all(const Ask& own, const std::vector<std::string>& statements) {
  for (const std::string& statement : statements) {
    const std::string why = complaint_of(own(statement));
    if (!why.empty()) return fmt::format("{}: {}", statement.substr(0, statement.find(' ')), why);
  }
  return {};
}

class Replica {
 public:
  explicit Replica(const ReplaySession& session)
      : session_(session), own_(ask_on(session.own)), words_(words_of(own_)) {}

  // Why the replay could not be started; empty: it was.
  std::string start(const WrittenLog& log);
  // Until everything is applied, or it stopped.
  void await_end(ReplayedLog& replayed) const;

 private:
  static const ReplicaWords& words_of(const Ask& own) {
    return takes(own, "SHOW SLAVE STATUS") ? kWords[0] : kWords[1];
  }
  std::string begin_statement(const LaidOut& files) const;
  Output status() const { return own_(fmt::format("SHOW {} STATUS", words_.replica)); }
  std::string told(const Output& status, const char* what) const {
    return named_cell(status, fmt::format("{}_{}", words_.replica, what));
  }
  std::string error_of(const Output& status) const;

  const ReplaySession& session_;
  Ask own_;
  const ReplicaWords& words_;
  bool has_end_ = false;  // it stops by itself when it has applied everything
};

// Workers of its own apply the events on newer MySQL, at least one; when the thread that feeds them
// has read everything they may still be at it. Told where to stop, it waits for them.
std::string Replica::begin_statement(const LaidOut& files) const {
  std::string statement = fmt::format("START {} SQL_THREAD", words_.replica);
  if (!has_end_) return statement;
  return statement + fmt::format(" UNTIL RELAY_LOG_FILE={}, RELAY_LOG_POS={}",
                                 quoted_text(files.last), files.last_bytes);
}

std::string Replica::start(const WrittenLog& log) {
  // A replica has no such sessions, and what they hold since the setup (open transactions, locks)
  // would stand in the way.
  for (const auto& client : session_.clients) {
    own_(fmt::format("KILL CONNECTION {}", client->connection_id()));
  }
  const Output settings = own_(
      "SELECT @@relay_log AS relay_log, @@pid_file AS pid_file, @@global.server_id AS server_id");
  if (std::string why = complaint_of(settings); !why.empty()) return why;
  const auto files = lay_out(log, relay_name(settings), session_.folder / "data");
  if (!files) return "the server's data directory cannot be written";
  const bool taken = named_cell(settings, "server_id") == kReplicaId;
  has_end_ = takes(own_, "SET GLOBAL replica_parallel_workers=1");
  // MariaDB would ask the source where its GTIDs say that it stopped; others know no such choice.
  const bool by_gtid = takes(own_, "SELECT @@global.gtid_slave_pos");
  return run_all(own_,
                 {fmt::format("SET GLOBAL server_id={}", taken ? kReplicaIdElse : kReplicaId),
                  fmt::format("{0} {1}_HOST='none'{2}, RELAY_LOG_FILE={3}, RELAY_LOG_POS={4}",
                              words_.change, words_.source, by_gtid ? ", MASTER_USE_GTID=no" : "",
                              quoted_text(files->first), log.position),
                  begin_statement(*files)});
}

// A worker's own words, where there are some.
std::string Replica::error_of(const Output& status) const {
  const std::string error = named_cell(status, "Last_SQL_Error");
  if (error.empty()) return {};
  const std::string of_worker = named_cell(
      own_("SELECT LAST_ERROR_MESSAGE AS text FROM "
           "performance_schema.replication_applier_status_by_worker WHERE LAST_ERROR_NUMBER <> 0"),
      "text");
  return without_place(of_worker.empty() ? error : of_worker);
}

void Replica::await_end(ReplayedLog& replayed) const {
  const auto until = Clock::now() + kLimit;
  for (;;) {
    const Output now = status();
    if (replayed.unavailable = complaint_of(now); !replayed.unavailable.empty()) return;
    if (told(now, "SQL_Running") == "No") {
      replayed.stopped = error_of(now);
      if (replayed.stopped.empty() && !has_end_) replayed.stopped = "without an error";
      return;
    }
    if (told(now, "SQL_Running_State")
            .starts_with(fmt::format("{} has read all relay log", words_.replica))) {
      if (!has_end_) return;
      // The end is none that it stops at: a file's head, or half a transaction. Stopping it waits
      // for the workers, too.
      replayed.unavailable = complaint_of(own_(fmt::format("STOP {} SQL_THREAD", words_.replica)));
      if (!replayed.unavailable.empty()) return;
      continue;
    }
    if (session_.interrupted() || Clock::now() > until) {
      replayed.unavailable = fmt::format("the log was not replayed within {} s", kLimit.count());
      return;
    }
    std::this_thread::sleep_for(kPoll);
  }
}

void read_tables(const Ask& own, const std::string& database, std::vector<Component>& components) {
  Tables tables(/*with_indexes=*/false, /*is_touched=*/{}, /*they_stay=*/false,
                /*server_folder=*/{}, database);
  QuestionBatch batch;
  tables.ask(batch);
  batch.run(own);
  tables.read(own, components);
}

StateSummary read_databases(const Ask& own) {
  std::vector<Component> components;
  const Output names = own("SHOW DATABASES");
  for (const ResultSet& result : names.results) {
    for (const Row& row : result.rows) {
      if (!is_system_database(cell(row, 0))) read_tables(own, cell(row, 0), components);
    }
  }
  return make_summary(std::move(components));
}

}  // namespace

ReplayedLog MysqldTarget::replay(const WrittenLog& log, const ReplaySession& session) const {
  ReplayedLog replayed;
  replayed.gone = log.gone;
  replayed.unavailable = log.unavailable;
  if (replayed.gone || !replayed.unavailable.empty()) return replayed;
  Replica replica(session);
  if (replayed.unavailable = replica.start(log); !replayed.unavailable.empty()) return replayed;
  replica.await_end(replayed);
  if (replayed.unavailable.empty()) replayed.tables = read_databases(ask_on(session.own));
  return replayed;
}

}  // namespace esox
