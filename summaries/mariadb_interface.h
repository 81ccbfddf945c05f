// SPDX-License-Identifier: Apache-2.0
// The state of a MariaDB server as its own interface tells it (thesis, section 8.1): no annotation
// of the server, only SQL.
//
// Components, for the database `test`:
//   tables              set       "t1 BASE TABLE"
//   definition:test.t   map       "create" (SHOW CREATE TABLE), "auto_increment"
//   rows:test.t         multiset  all rows, by a full scan of a table (no index, no query cache)
//   check:test.t        sequence  CHECK TABLE: "status: OK"
//   binlog              sequence  the events since begin(), normalised (binary_log.h); if it is on
//   answer:SELECT ...   map       for each plain SELECT of a client: the answer as that client's
//   own
//                                 connection gives it ("A cached") and with the query cache off
//                                 ("A fresh"): a stale entry of the cache shows as a difference
//   observation:...     multiset  the reply to each observation of the input
//
// An error that the statement may rightly meet in a state (no such table) is an element, "error
// 1146
// ..."; a lost connection, a missing privilege or exhausted resources make the component
// unavailable.
//
// Order matters, for looking changes things: opening tables, checking them (which may mark them)
// and SELECTs that fill the cache. So first the cached answers, then the observations, then the
// fresh answers, the list of tables and the binary log, and last, in one request for all tables,
// definitions, rows and checks. An observation should only read.
//
// Trips to the server: one per SELECT twice, two per client with a SELECT, one per observation, and
// two or three for everything else.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "summaries/source.h"

namespace esox {

// A plain SELECT of a client's session: one that may be asked again without changing anything. The
// caller chooses (inputs/statement.h, is_plain_select).
struct Question {
  std::string text;
  bool ordered = false;  // the statement orders its rows
};

struct QuestionedClient {
  std::string name;  // "A"
  Ask ask;           // on the client's own connection, idle by then
  std::vector<Question> questions;
};

class MariadbInterface final : public SummarySource {
 public:
  // `own` is a connection of the summary's own, with multi-statements allowed, on which nothing
  // else runs; it must be connected before the execution is armed and used by nobody else.
  MariadbInterface(Ask own, std::vector<QuestionedClient> clients,
                   std::vector<std::string> observations);

  void begin() override;
  std::vector<Component> take() override;

 private:
  struct Table {
    std::string name;
    std::string type;  // "BASE TABLE", "VIEW", "SEQUENCE"
  };
  struct Answer {
    std::string text;
    std::vector<Element> elements;
    std::string unavailable;
  };

  void ask_cached(std::vector<Answer>& answers);
  void ask_fresh(std::vector<Answer>& answers);
  void ask_all(const QuestionedClient& client, const std::string& how,
               std::vector<Answer>& answers);
  Component observe(const std::string& statement);
  Component list_tables(std::vector<Table>& tables);
  Component read_binary_log();
  void read_tables(const std::vector<Table>& tables, std::vector<Component>& components);
  std::vector<Output> ask_batch(const std::vector<std::string>& statements);

  Ask own_;
  std::vector<QuestionedClient> clients_;
  std::vector<std::string> observations_;
  bool binary_log_on_ = false;
  std::string binary_log_unknown_;  // why it is not known whether it is on; empty: known
  std::string log_file_;            // where the log stood at begin()
  std::string log_position_;
};

// The AUTO_INCREMENT=n of SHOW CREATE TABLE taken out: {text without it, n or ""}.
std::pair<std::string, std::string> split_auto_increment(const std::string& create);

}  // namespace esox
