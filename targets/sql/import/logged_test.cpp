// SPDX-License-Identifier: Apache-2.0
#include "targets/sql/import/logged_test.h"

#include <utility>

#include "base/text/letters.h"
#include "targets/sql/import/request_log.h"
#include "targets/sql/import/script_objects.h"
#include "targets/sql/statement.h"
#include "targets/sql/tokens.h"

namespace esox {
namespace {

bool is_silent(const std::string& command) {
  static constexpr std::string_view kSilent[] = {
      kLoginRequest, "Quit", "Statistics", "Field List", "Ping", "Prepare", "Close stmt"};
  return is_one_of(kSilent, command);
}

// The database that a USE names; empty: it is none.
std::string used_database(const LoggedStatement& statement) {
  if (statement.kind != "USE") return {};
  const std::vector<Token> tokens = tokens_of(statement.text);
  return tokens.size() > 1 ? identifier(statement.text, tokens[1]) : "";
}

// Puts the statements of one test together, request by request.
class Reader {
 public:
  explicit Reader(LoggedTest& test) : test_(test) {}

  void add(const LoggedRequest& request) {
    std::string& current = database_[request.session];
    if (request.command == kLoginRequest) current = request.text;
    LoggedStatement statement = statement_of(request);
    if (statement.kind.empty()) return;
    if (statement.matched && statement.error == 0) {
      const std::string used = used_database(statement);
      if (!used.empty()) current = used;
    }
    statement.database = current;
    test_.statements.push_back(std::move(statement));
  }

 private:
  // Without text: it has none.
  LoggedStatement statement_of(const LoggedRequest& request) {
    LoggedStatement statement;
    statement.connection = request.session;
    if (request.command == kQueryRequest) {
      statement.text = trim_statement(request.text);
    } else if (request.command == kUseRequest) {
      statement.text = "USE " + quoted_name(request.text);
    } else if (!is_silent(request.command)) {
      ++test_.rejected["a request that is not SQL text (" + request.command + ")"];
    }
    statement.kind = statement_kind(statement.text);
    statement.matched = request.error.has_value();
    statement.error = request.error.value_or(0);
    statement.in_transaction = request.in_transaction;
    return statement;
  }

  LoggedTest& test_;
  std::map<uint64_t, std::string> database_;  // of each session: its current one
};

// What an EXECUTE executes, as far as it was prepared from a text written out.
class Prepared {
 public:
  // The text; empty: it is no EXECUTE, or not known.
  std::string note(const LoggedStatement& one) {
    if (one.kind != "PREPARE" && one.kind != "EXECUTE") return {};
    const std::vector<Token> tokens = tokens_of(one.text);
    if (tokens.size() < 2) return {};
    const auto key = std::make_pair(one.connection, lower(identifier(one.text, tokens[1])));
    if (one.kind == "EXECUTE") return texts_[key];
    if (one.error == 0) texts_[key] = tokens.size() == 4 ? literal(one.text, tokens[3]) : "";
    return {};
  }

 private:
  static std::string literal(const std::string& text, const Token& token) {
    const std::string quoted = text.substr(token.begin, token.length);
    if (quoted.size() < 2 || (quoted.front() != '\'' && quoted.front() != '"')) return {};
    return quoted.substr(1, quoted.size() - 2);  // an escape says nothing of names
  }

  std::map<std::pair<uint64_t, std::string>, std::string> texts_;  // by session and name
};

void find_objects(LoggedTest& test) {
  ScriptObjects objects;
  Prepared prepared;
  for (const LoggedStatement& one : test.statements) objects.learn(one.text, one.database);
  for (LoggedStatement& one : test.statements) {
    one.accesses = objects.accesses_of(one.text, one.database);
    if (const std::string text = prepared.note(one); !text.empty()) {
      const Accesses more = objects.accesses_of(text, one.database);
      one.accesses.insert(one.accesses.end(), more.begin(), more.end());
      sort_accesses(one.accesses);
    }
    if (!one.matched || one.error != 0) continue;
    objects.forget_uses(one.text, one.database);
    objects.learn_uses(one.text, one.database);
  }
}

}  // namespace

LoggedTest read_logged_test(std::string_view request_log) {
  LoggedTest test;
  if (request_log.size() > kMaxTestLogBytes) {
    ++test.rejected["a log beyond the limit"];
    return test;
  }
  const RequestLog log = read_request_log(request_log);
  if (log.cut_off) ++test.rejected["what comes after a damaged place of the log"];
  Reader reader(test);
  for (const LoggedRequest& request : log.requests) reader.add(request);
  for (const LoggedStatement& one : test.statements) {
    if (!one.matched) ++test.rejected["a statement that was not answered"];
  }
  find_objects(test);
  return test;
}

}  // namespace esox
