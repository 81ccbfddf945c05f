// SPDX-License-Identifier: Apache-2.0
#include "targets/sql/import/logged_test.h"

#include <algorithm>
#include <cctype>
#include <utility>

#include "targets/sql/import/audit_log.h"
#include "targets/sql/import/general_log.h"
#include "targets/sql/statement.h"

namespace esox {
namespace {

// A CALL comes after all that its routine did, each statement of which has a line of its own.
constexpr size_t kMostEventsAhead = 20000;
constexpr std::string_view kMasked = "*****";  // what the plugin writes for a password

// Without blanks and backslashes, in which the two logs differ.
std::string squeezed(std::string_view text) {
  std::string kept;
  kept.reserve(text.size());
  for (const char c : text) {
    if (std::isspace(static_cast<unsigned char>(c)) == 0 && c != '\0') kept.push_back(c);
  }
  return kept;
}

// The place after the literal that begins there; npos: none does, or it was cut off.
size_t past_literal(std::string_view text, size_t at) {
  if (at >= text.size() || (text[at] != '\'' && text[at] != '"')) return std::string_view::npos;
  const char quote = text[at++];
  while (at < text.size()) {
    const bool doubled = text[at] == quote && text.substr(at + 1).starts_with(quote);
    if (text[at] == quote && !doubled) return at + 1;
    at += text[at] == '\\' || doubled ? 2 : 1;
  }
  return std::string_view::npos;
}

// Where the audit log has a mask, the general log has a whole literal, or the very same text.
bool same_text(std::string_view general, std::string_view audit) {
  size_t at = 0;
  while (true) {
    const size_t masked = audit.find(kMasked);
    const std::string_view piece = audit.substr(0, masked);
    if (!general.substr(at).starts_with(piece)) return false;
    at += piece.size();
    if (masked == std::string_view::npos) return at == general.size();
    const bool written = general.substr(at).starts_with(kMasked);
    at = written ? at + kMasked.size() : past_literal(general, at);
    if (at == std::string_view::npos) return false;
    audit.remove_prefix(masked + kMasked.size());
  }
}

struct Query {
  std::string squeezed;
  std::string database;
  uint32_t error = 0;
  Accesses accesses;
};

AccessMode mode_of(AuditEvent::Kind kind) {
  return kind == AuditEvent::Kind::kRead ? AccessMode::kRead : AccessMode::kWrite;
}

// The server's own books: statistics, routines. What is in them is in the other objects.
bool is_own_schema(const std::string& database) {
  return database == "mysql" || database == "mtr" || database == "performance_schema" ||
         database == "sys";
}

void add_table(const AuditEvent& event, Query& query, KnownNames& known) {
  if (is_own_schema(event.database)) return;
  const std::string name = event.database + "." + event.table;
  known.tables.insert(name);
  query.accesses.push_back({"table:" + name, mode_of(event.kind)});
  if (event.kind == AuditEvent::Kind::kRename) {
    known.tables.insert(event.new_name);
    query.accesses.push_back({"table:" + event.new_name, AccessMode::kWrite});
  }
}

using Queries = std::map<uint64_t, std::vector<Query>>;  // of each connection, in order

Queries queries_of(const AuditLog& log, KnownNames& known) {
  Queries queries;
  std::map<uint64_t, Query> open;
  for (const AuditEvent& event : log.events) {
    Query& query = open[event.connection];
    if (event.kind != AuditEvent::Kind::kQuery) {
      add_table(event, query, known);
      continue;
    }
    query.squeezed = squeezed(event.text);
    query.database = event.database;
    query.error = event.error;
    queries[event.connection].push_back(std::move(query));
    query = Query();
  }
  return queries;
}

// Finds for each statement its query, and takes on what the queries it ran itself have used.
class Matcher {
 public:
  explicit Matcher(Queries queries) : queries_(std::move(queries)) {}

  // `text`: what to look for; of an EXECUTE that is the statement it executes.
  void match(LoggedStatement& statement, std::string_view written) {
    const auto mine = queries_.find(statement.connection);
    if (mine == queries_.end()) return;
    std::vector<Query>& all = mine->second;
    size_t& next = next_[statement.connection];
    const std::string text = squeezed(written);
    const size_t end = std::min(all.size(), next + kMostEventsAhead);
    for (size_t i = next; i < end; ++i) {
      if (!same_text(text, all[i].squeezed)) continue;
      take(statement, all, next, i);
      next = i + 1;
      return;
    }
  }

 private:
  static void take(LoggedStatement& statement, std::vector<Query>& all, size_t from, size_t last) {
    for (size_t i = from; i <= last; ++i) {
      Accesses& accesses = all[i].accesses;
      statement.accesses.insert(statement.accesses.end(), accesses.begin(), accesses.end());
    }
    statement.matched = true;
    statement.error = all[last].error;
    statement.database = std::move(all[last].database);
  }

  Queries queries_;
  std::map<uint64_t, size_t> next_;  // of each connection: its first query not taken
};

bool is_silent(const std::string& command) {
  static constexpr std::string_view kSilent[] = {"Connect",    "Quit",      "Statistics",
                                                 "Field List", "Ping",      "Connect Out",
                                                 "Prepare",    "Close stmt"};
  return is_one_of(kSilent, command);
}

// The statement of an entry; without text: it has none.
LoggedStatement statement_of(GeneralLogEntry& entry, LoggedTest& test) {
  LoggedStatement statement;
  statement.connection = entry.connection;
  if (entry.command == "Query") {
    statement.text = trim_statement(entry.text);
  } else if (entry.command == "Init DB") {
    statement.text = "USE " + quoted_name(entry.text);
    statement.database = entry.text;
    statement.matched = true;  // it has no line in the audit log
  } else if (!is_silent(entry.command)) {
    ++test.rejected["a request that is not SQL text (" + entry.command + ")"];
  }
  statement.kind = statement_kind(statement.text);
  return statement;
}

void name_objects(LoggedTest& test, KnownNames& known) {
  for (const LoggedStatement& one : test.statements) learn_names(one.text, one.database, known);
  for (LoggedStatement& one : test.statements) {
    const bool failed = one.error != 0 || !one.matched;
    Accesses named = named_accesses(one.text, one.database, known, failed);
    one.accesses.insert(one.accesses.end(), named.begin(), named.end());
    // Who uses a table opens it, and so meets who flushes the opened tables.
    if (std::any_of(one.accesses.begin(), one.accesses.end(), is_table)) {
      one.accesses.push_back({"caches:", AccessMode::kTouch});
    }
    sort_accesses(one.accesses);
  }
}

// Puts the statements of one test together, entry by entry.
class Reader {
 public:
  Reader(Matcher matcher, LoggedTest& test) : matcher_(std::move(matcher)), test_(test) {}

  void add(GeneralLogEntry& entry) {
    if (entry.command == "Execute") return executed(entry);
    LoggedStatement statement = statement_of(entry, test_);
    if (statement.kind.empty()) return;
    if (!statement.matched) matcher_.match(statement, statement.text);
    keep(std::move(statement));
  }

 private:
  // The server writes what an EXECUTE executes as an entry after it; that is what the audit log
  // has of it. Without such a statement before it, a client used the binary protocol.
  void executed(const GeneralLogEntry& entry) {
    const auto last = last_.find(entry.connection);
    if (last == last_.end() || !test_.statements[last->second].kind.starts_with("EXECUTE")) {
      ++test_.rejected["a request that is not SQL text (Execute)"];
      return;
    }
    LoggedStatement& statement = test_.statements[last->second];
    if (!statement.matched) matcher_.match(statement, entry.text);
  }

  void keep(LoggedStatement statement) {
    std::string& current = database_.try_emplace(statement.connection, "test").first->second;
    if (statement.matched) current = statement.database;
    if (!statement.matched) statement.database = current;
    last_[statement.connection] = test_.statements.size();
    test_.statements.push_back(std::move(statement));
  }

  Matcher matcher_;
  LoggedTest& test_;
  std::map<uint64_t, size_t> last_;           // of each connection: its last statement
  std::map<uint64_t, std::string> database_;  // of each connection: its current one
};

}  // namespace

LoggedTest read_logged_test(std::string_view general_log, std::string_view audit_log) {
  LoggedTest test;
  if (general_log.size() > kMaxTestLogBytes || audit_log.size() > kMaxTestLogBytes) {
    ++test.rejected["a log beyond the limit"];
    return test;
  }
  GeneralLog general = read_general_log(general_log);
  const AuditLog audit = read_audit_log(audit_log);
  if (general.restarted) ++test.rejected["what came after a restart of the server"];
  if (audit.malformed_lines > 0)
    test.rejected["a damaged line of the audit log"] += audit.malformed_lines;
  KnownNames known;
  Reader reader(Matcher(queries_of(audit, known)), test);
  for (GeneralLogEntry& entry : general.entries) reader.add(entry);
  for (const LoggedStatement& one : test.statements) {
    if (!one.matched) ++test.rejected["a statement whose result is not in the audit log"];
  }
  name_objects(test, known);
  return test;
}

}  // namespace esox
