// SPDX-License-Identifier: Apache-2.0
// Answers statements in states that a row log tells: on the connection of the client that asked,
// with all that its session has set, the rows are changed in a transaction that is then rolled
// back. There is no other transaction, no version but one, no undo log to go by.
//
// Rows of a reader's own are deleted by their keys, whether they are there or not, and written
// anew; the unique value of an old row may stand in the way, though the reader sees both: then
// nobody can say.
#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>
#include <utility>

#include "targets/mysqld/row_log.h"
#include "targets/mysqld/state/replies.h"
#include "targets/mysqld/target.h"
#include "targets/sql/statement.h"

namespace esox {
namespace {

constexpr const char* kUsers =
    "TABLE_SCHEMA NOT IN ('information_schema','performance_schema','mysql','sys')";

bool writes(const std::string& text) {
  return statement_kind(text) != "SELECT";
}

// Names, in lower case: "test.t".
using Names = std::set<std::string>;

// What of the setup's definitions makes replies depend on more than rows.
class Definitions {
 public:
  explicit Definitions(const Ask& own) {
    const Output others = own(fmt::format(
        "SELECT LOWER(TABLE_NAME), TABLE_TYPE='VIEW' FROM information_schema.TABLES WHERE {} AND "
        "(TABLE_TYPE <> 'BASE TABLE' OR ENGINE <> 'InnoDB' OR ENGINE IS NULL)",
        kUsers));
    complaint_ = others.answered && others.error == 0 ? "" : "the definitions cannot be read";
    for (const ResultSet& result : others.results) {
      for (const Row& row : result.rows) {
        if (cell(row, 1) == "1")
          views_.insert(cell(row, 0));
        else
          complaint_ = "a table that is not InnoDB's";
      }
    }
    keyed_ = names(own,
                   "SELECT DISTINCT CONCAT(TABLE_SCHEMA,'.',TABLE_NAME) FROM "
                   "information_schema.STATISTICS WHERE INDEX_NAME='PRIMARY'");
    triggered_ = names(own,
                       "SELECT LOWER(EVENT_OBJECT_TABLE) FROM information_schema.TRIGGERS WHERE "
                       "TRIGGER_SCHEMA <> 'sys'");
    complain_of(own, "the log does not carry what foreign keys change",
                "SELECT 1 FROM information_schema.REFERENTIAL_CONSTRAINTS WHERE UPDATE_RULE NOT IN "
                "('RESTRICT','NO ACTION') OR DELETE_RULE NOT IN ('RESTRICT','NO ACTION')");
    complain_of(own, "a full-text index, which changes at the commit",
                "SELECT 1 FROM information_schema.STATISTICS WHERE INDEX_TYPE='FULLTEXT'");
    const std::string columns =
        fmt::format("SELECT 1 FROM information_schema.COLUMNS WHERE {} AND ", kUsers);
    floating_ = names(own, fmt::format("SELECT LOWER(COLUMN_NAME) FROM information_schema.COLUMNS "
                                       "WHERE {} AND (DATA_TYPE IN ('float','double') OR "
                                       "COLLATION_NAME IS NOT NULL)",
                                       kUsers));
    // Others, _bin ones with padding too, hold different texts for equal.
    has_folded_texts_ = !names(own, columns +
                                        "COLLATION_NAME NOT LIKE '%\\_nopad\\_bin' AND "
                                        "COLLATION_NAME <> 'binary'")
                             .empty();
  }

  // Why the statement's reply does not follow from rows; empty if it does.
  std::string complaint_of(const std::string& text) const {
    constexpr const char* kChoosers[] = {"DISTINCT", "GROUP",  "MIN",      "MAX",
                                         "UNION",    "EXCEPT", "INTERSECT"};
    constexpr const char* kSums[] = {"SUM", "AVG"};
    if (!complaint_.empty()) return complaint_;
    bool floats = false;
    for (const std::string& name : names_in(text)) {
      if (views_.contains(name)) return "a view";
      if (writes(text) && triggered_.contains(name)) return "a trigger";
      floats = floats || floating_.contains(name);
    }
    const auto speaks_of = [&](const char* word) { return speaks(text, word); };
    if (has_folded_texts_ && std::ranges::any_of(kChoosers, speaks_of)) {
      return "one of several texts that are equal by their collation";
    }
    floats = floats || speaks_of("DOUBLE") || speaks_of("FLOAT");
    if (floats && std::ranges::any_of(kSums, speaks_of)) {
      return "a sum that depends on the order of rows";
    }
    return "";
  }

  bool has_primary_key(const std::string& table) const { return keyed_.contains(table); }

 private:
  Names names(const Ask& own, const std::string& question) {
    Names found;
    const Output reply = own(question);
    if (!reply.answered || reply.error != 0) complaint_ = "the definitions cannot be read";
    for (const ResultSet& result : reply.results) {
      for (const Row& row : result.rows) found.insert(cell(row, 0));
    }
    return found;
  }
  void complain_of(const Ask& own, const char* what, const std::string& question) {
    if (complaint_.empty() && !names(own, question).empty()) complaint_ = what;
  }

  std::string complaint_;  // of all statements
  Names views_;
  Names keyed_;
  Names triggered_;
  Names floating_;  // columns that sums take for floating numbers, as they do texts
  bool has_folded_texts_ = false;
};

class StateServer {
 public:
  StateServer(const RowLog& log, const ReplaySession& session)
      : log_(log), session_(session), own_(ask_on(session.own)), definitions_(own_) {}

  StateAnswer answer(const StateQuestion& question) {
    if (std::string why = definitions_.complaint_of(question.text); !why.empty()) {
      return {{}, std::move(why)};
    }
    // A state holds each row once.
    for (const auto* rows : {&question.state.gone, &question.state.there, &question.state.hidden}) {
      for (const RowImage& row : *rows) {
        if (!definitions_.has_primary_key(row.table)) {
          return {{}, "rows of a table without a primary key"};
        }
      }
    }
    Client& client = *session_.clients[question.client];
    const ReplyLimit limit(client);
    lost_ = false;
    if (std::string why = enter(client, question); !why.empty()) return {{}, std::move(why), lost_};
    StateAnswer answer{client.run(Request{question.text, false}), ""};
    if (writes(question.text)) leave();
    if (answer.output.error != 0 || !answer.output.answered) {
      answer.unjudged = "its state gives an error: " + complaint_of(answer.output);
      answer.passing = !answer.output.answered;
    }
    return answer;
  }

  ~StateServer() { leave(); }
  StateServer(const StateServer&) = delete;
  StateServer& operator=(const StateServer&) = delete;

 private:
  static std::string complaint_of(const Output& output) {
    if (!output.answered) return output.message.empty() ? "no reply" : output.message;
    return output.error == 0 ? "" : fmt::format("error {}", output.error);
  }

  // Brings the tables into the state; why that cannot be.
  std::string enter(Client& client, const StateQuestion& question) {
    if (client_ == &client && state_ == question.state) return "";
    leave();
    client_ = &client;
    state_ = question.state;
    if (!prepared_.contains(&client)) {
      client.run(Request{"SET SESSION query_cache_type=0", false});
      // MySQL, from 5.7 on: what is set for all below is of replicas there. Rows that are to be
      // there are nowhere else then, which is what this mode would pass over.
      client.run(Request{"SET SESSION rbr_exec_mode='IDEMPOTENT'", false});
      if (std::string why = run_all({"SET SESSION sql_mode=CONCAT(@@sql_mode,"
                                     "',ONLY_FULL_GROUP_BY'), autocommit=1",
                                     format_statement(log_)});
          !why.empty()) {
        return abandon(why);
      }
      // MySQL waits for the number of a transaction after that.
      client.run(Request{"SET SESSION gtid_next='AUTOMATIC'", false});
      prepared_.insert(&client);
    }
    std::string why = run_all({"BEGIN"});
    if (why.empty()) why = run_all(delete_statements(log_, question.state.gone));
    if (why.empty()) why = run_all(write_statements(log_, question.state.there));
    if (why.empty() && !question.state.hidden.empty()) {
      own_("SET GLOBAL slave_exec_mode='IDEMPOTENT'");
      why = run_all(delete_statements(log_, question.state.hidden));
      own_("SET GLOBAL slave_exec_mode='STRICT'");
      if (why.empty()) why = run_all(write_statements(log_, question.state.written));
    }
    return why.empty() ? why : abandon(why);
  }

  std::string abandon(const std::string& why) {
    leave();
    return "its state cannot be made: " + why;
  }

  void leave() {
    if (client_ != nullptr) client_->run(Request{"ROLLBACK", false});
    client_ = nullptr;
    state_.reset();
  }

  std::string run_all(const std::vector<std::string>& statements) {
    for (const std::string& statement : statements) {
      const Output reply = client_->run(Request{statement, false});
      lost_ = lost_ || !reply.answered;
      if (std::string why = complaint_of(reply); !why.empty()) return why;
    }
    return "";
  }

  const RowLog& log_;
  const ReplaySession& session_;
  Ask own_;
  Definitions definitions_;
  std::set<const Client*> prepared_;
  bool lost_ = false;         // the connection, as it seems
  Client* client_ = nullptr;  // in whose transaction the state is
  std::optional<RowState> state_;
};

}  // namespace

std::vector<StateAnswer> MysqldTarget::answer(const RowLog& log,
                                              std::span<const StateQuestion> questions,
                                              const ReplaySession& session) const {
  StateServer server(log, session);
  std::vector<StateAnswer> answers;
  for (const StateQuestion& question : questions) {
    answers.push_back(session.interrupted() ? StateAnswer{{}, "esox was stopped"}
                                            : server.answer(question));
  }
  return answers;
}

}  // namespace esox
