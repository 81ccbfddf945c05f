// SPDX-License-Identifier: Apache-2.0
#include "targets/sql/import/session_state.h"

#include <algorithm>
#include <map>
#include <string_view>

#include "targets/sql/tokens.h"

namespace esox {
namespace {

struct Session {
  SessionState state;
  bool begun = false;
  bool autocommit_off = false;
};

bool commits_implicitly(const std::string& kind) {
  static constexpr std::string_view kVerbs[] = {
      "CREATE", "ALTER", "DROP", "RENAME", "TRUNCATE", "GRANT", "REVOKE", "OPTIMIZE", "ANALYZE"};
  return std::ranges::any_of(kVerbs, [&](std::string_view verb) { return kind.starts_with(verb); });
}

// SET autocommit = 0: the token after '=' tells.
void set_autocommit(const std::vector<Token>& tokens, Session& session) {
  for (size_t i = 0; i + 2 < tokens.size(); ++i) {
    if (tokens[i].text != "AUTOCOMMIT") continue;
    size_t value = i + 1;
    while (value + 1 < tokens.size() && tokens[value].kind == Token::Kind::kSymbol) ++value;
    session.autocommit_off = tokens[value].text == "0" || tokens[value].text == "OFF";
    session.begun = false;
  }
}

void transaction(const std::string& kind, const std::vector<Token>& tokens, Session& session) {
  if ((kind == "BEGIN" && !has_word(tokens, "NOT")) || kind == "START TRANSACTION") {
    session.begun = true;
    session.state.locks = false;
  } else if (kind == "XA") {
    session.begun = !has_word(tokens, "COMMIT") && !has_word(tokens, "ROLLBACK");
  } else if (kind == "COMMIT" || (kind == "ROLLBACK" && !has_word(tokens, "TO"))) {
    session.begun = has_word(tokens, "CHAIN") && !has_word(tokens, "NO");
  } else if (kind == "SET") {
    set_autocommit(tokens, session);
  } else if (commits_implicitly(kind) && !has_word(tokens, "TEMPORARY")) {
    session.begun = false;
  }
}

void locks(const std::string& kind, const std::vector<Token>& tokens, Session& session) {
  if (kind == "LOCK TABLE" || kind == "LOCK TABLES" || has_word(tokens, "GET_LOCK") ||
      (kind.starts_with("FLUSH") && has_word(tokens, "LOCK"))) {
    session.state.locks = true;
  } else if (kind.starts_with("UNLOCK") || has_word(tokens, "RELEASE_LOCK")) {
    session.state.locks = false;
  } else if (kind == "BACKUP") {
    session.state.locks = !has_word(tokens, "END") && !has_word(tokens, "UNLOCK");
  }
}

void temporary_tables(const LoggedStatement& statement, const std::vector<Token>& tokens,
                      Session& session) {
  auto& held = session.state.temporary_tables;
  const bool creates = statement.kind.starts_with("CREATE") && has_word(tokens, "TEMPORARY");
  for (const Access& access : statement.accesses) {
    if (access.mode != AccessMode::kWrite || !is_table(access)) continue;
    if (creates) held.insert(access.object);
    if (statement.kind.starts_with("DROP")) held.erase(access.object);
  }
}

// Where autocommit is off, the first use of a table begins a transaction.
bool stays_open(const LoggedStatement& statement, const std::vector<Token>& tokens, bool was_open) {
  if (statement.kind == "COMMIT" || commits_implicitly(statement.kind)) return false;
  if (statement.kind == "ROLLBACK" && !has_word(tokens, "TO")) return false;
  return was_open ||
         std::ranges::any_of(statement.accesses, [](const Access& one) { return is_table(one); });
}

void run(const LoggedStatement& statement, Session& session) {
  if (statement.matched && statement.error != 0 && statement.kind != "COMMIT") return;
  const bool was_open = session.state.open;
  const std::vector<Token> tokens = tokens_of(statement.text);
  transaction(statement.kind, tokens, session);
  locks(statement.kind, tokens, session);
  temporary_tables(statement, tokens, session);
  if (statement.kind == "HANDLER" && has_word(tokens, "OPEN")) session.state.handlers = true;
  if (statement.kind == "HANDLER" && has_word(tokens, "CLOSE")) session.state.handlers = false;
  if (statement.in_transaction) session.begun = *statement.in_transaction;
  session.state.open = session.begun || (!statement.in_transaction && session.autocommit_off &&
                                         stays_open(statement, tokens, was_open));
  session.state.transaction = session.begun || session.autocommit_off;
}

}  // namespace

SessionStates session_states(const LoggedTest& test) {
  SessionStates states;
  std::map<uint64_t, Session> sessions;
  for (const LoggedStatement& statement : test.statements) {
    Session& session = sessions[statement.connection];
    states.before.push_back(session.state);
    run(statement, session);
    states.after.push_back(session.state);
  }
  return states;
}

}  // namespace esox
