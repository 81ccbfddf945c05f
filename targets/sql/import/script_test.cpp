// SPDX-License-Identifier: Apache-2.0
#include "targets/sql/import/script_test.h"

#include "targets/sql/import/script_objects.h"
#include "targets/sql/statement.h"
#include "targets/sql/tokens.h"

namespace esox {
namespace {

bool is(const std::vector<Token>& tokens, size_t i, std::string_view text) {
  return i < tokens.size() && tokens[i].text == text;
}

// SET @old = @@sql_mode, sql_mode = '': a setting of the session, whatever variables it keeps too.
bool sets_more_than_variables(const std::vector<Token>& tokens) {
  if (!is(tokens, 0, "SET") || is(tokens, 1, "STATEMENT")) return false;
  for (size_t i = 1; i < tokens.size(); ++i) {
    const bool begins = i == 1 || (is(tokens, i - 1, ",") && tokens[i - 1].depth == 0);
    const bool variable = is(tokens, i, "@") && !is(tokens, i + 1, "@");
    const bool global = is(tokens, i, "GLOBAL") || is(tokens, i + 2, "GLOBAL");
    if (begins && !variable && !global) return true;
  }
  return false;
}

class Teller {
 public:
  explicit Teller(const std::vector<SqlSession>& sessions)
      : sessions_(sessions), databases_(sessions.size()) {}

  ScriptTest run() {
    told_.requests.resize(sessions_.size());
    add_setup_files();
    told_.first_setup_part = told_.test.statements.size();
    add_parts(FilePart::kSetup);
    told_.first_request = told_.test.statements.size();
    add_parts(FilePart::kRequests);
    find_objects();
    return std::move(told_);
  }

 private:
  void add_setup_files() {
    std::string database = "test";
    for (size_t i = 0; i < sessions_.size(); ++i) {
      if (!sessions_[i].setup_only) continue;
      databases_[i] = database;
      for (const ScriptRequest& statement : sessions_[i].script.requests) add(i, statement);
      database = databases_[i];
    }
    for (size_t i = 0; i < sessions_.size(); ++i) {
      if (!sessions_[i].setup_only) databases_[i] = database;
    }
  }

  void add_parts(FilePart part) {
    for (size_t i = 0; i < sessions_.size(); ++i) {
      if (sessions_[i].setup_only) continue;
      for (const ScriptRequest& statement : sessions_[i].script.requests) {
        if (statement.part == part) add(i, statement);
      }
    }
  }

  void add(size_t session, const ScriptRequest& from) {
    LoggedStatement statement;
    statement.connection = session;
    statement.text = from.text;
    statement.kind = statement_kind(from.text);
    if (statement.kind == "USE") use(session, from.text);
    statement.database = databases_[session];
    statement.matched = true;
    if (!sessions_[session].setup_only && from.part == FilePart::kRequests) {
      told_.requests[session].push_back(told_.test.statements.size());
    }
    told_.test.statements.push_back(std::move(statement));
    told_.lines.push_back(from.line);
  }

  void use(size_t session, const std::string& text) {
    const std::vector<Token> tokens = tokens_of(text);
    const std::string name = tokens.size() > 1 ? identifier(text, tokens[1]) : "";
    if (!name.empty()) databases_[session] = name;
  }

  void find_objects() {
    ScriptObjects objects;
    for (const LoggedStatement& one : told_.test.statements) objects.learn(one.text, one.database);
    for (const LoggedStatement& one : told_.test.statements) {
      objects.learn_uses(one.text, one.database);
    }
    for (LoggedStatement& one : told_.test.statements) {
      one.accesses = objects.accesses_of(one.text, one.database);
      if (one.kind == "SET" && sets_more_than_variables(tokens_of(one.text))) forget_writes(one);
    }
  }

  // So that it counts as a setting (fitness.h), which it is before all.
  static void forget_writes(LoggedStatement& statement) {
    std::erase_if(statement.accesses, [](const Access& one) {
      return is_private(one) && one.mode == AccessMode::kWrite;
    });
  }

  const std::vector<SqlSession>& sessions_;
  std::vector<std::string> databases_;  // of each session: its current one
  ScriptTest told_;
};

}  // namespace

ScriptTest script_test(const std::vector<SqlSession>& sessions) {
  return Teller(sessions).run();
}

}  // namespace esox
