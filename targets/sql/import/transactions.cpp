// SPDX-License-Identifier: Apache-2.0
#include "targets/sql/import/transactions.h"

#include <algorithm>
#include <array>
#include <map>
#include <numeric>
#include <string_view>
#include <utility>

#include "base/text/letters.h"
#include "inputs/import/imported_input.h"
#include "targets/sql/import/fitness.h"
#include "targets/sql/statement.h"
#include "targets/sql/tokens.h"

namespace esox {
namespace {

using TokenList = std::vector<Token>;

constexpr const char* kServersOwn = "repeatable-read";
// The weakest first.
constexpr std::array<std::string_view, 5> kLevels = {"read-uncommitted", "read-committed",
                                                     kServersOwn, "snapshot", "serializable"};

// ---- Isolation levels

// "READ-COMMITTED", "read committed" as inputs name it; empty: it is no level's name.
std::string level_named(std::string name) {
  name = lower(name);
  std::ranges::replace(name, ' ', '-');
  const bool known = std::ranges::find(kLevels, name) != kLevels.end();
  return known && name != "snapshot" ? name : "";
}

constexpr std::string_view kLevelVariables[] = {"TX_ISOLATION", "TRANSACTION_ISOLATION"};
constexpr std::string_view kSnapshotVariable = "INNODB_SNAPSHOT_ISOLATION";

// What stands after '=' of the variable at `place`, without quotes.
std::string value_at(const std::string& text, const TokenList& tokens, size_t place) {
  ++place;
  while (place < tokens.size() && tokens[place].kind == Token::Kind::kSymbol) ++place;
  if (place >= tokens.size()) return "";
  const Token& token = tokens[place];
  if (token.kind == Token::Kind::kQuoted) return text.substr(token.begin + 1, token.length - 2);
  return token.text;
}

// Which sessions a SET is about.
enum class Scope { kNext, kSession, kGlobal };

struct Levels {
  std::string level;      // empty: nobody said
  bool snapshot = false;  // innodb_snapshot_isolation
  std::string next;       // of the next transaction only

  std::string of_next() const {
    const std::string& own = next.empty() ? level : next;
    if (snapshot && (own.empty() || own == kServersOwn)) return "snapshot";
    return own;
  }
};

Scope scope_of(const TokenList& tokens) {
  if (has_word(tokens, "GLOBAL")) return Scope::kGlobal;
  return has_word(tokens, "SESSION") || has_word(tokens, "LOCAL") ? Scope::kSession : Scope::kNext;
}

// SET [SESSION] TRANSACTION ISOLATION LEVEL ..., which without SESSION is for one transaction.
bool takes_level(const TokenList& tokens, Levels& levels) {
  for (size_t i = 0; i + 2 < tokens.size(); ++i) {
    if (!is_keyword(tokens[i], "ISOLATION") || !is_keyword(tokens[i + 1], "LEVEL")) continue;
    std::string name = tokens[i + 2].text;
    if (i + 3 < tokens.size() && name != "SERIALIZABLE") name += " " + tokens[i + 3].text;
    (scope_of(tokens) == Scope::kNext ? levels.next : levels.level) = level_named(name);
    return true;
  }
  return false;
}

// Of the session itself: what is set GLOBAL is of those to come.
void take_setting(const LoggedStatement& one, Levels& levels) {
  const TokenList tokens = tokens_of(one.text);
  if (scope_of(tokens) == Scope::kGlobal || takes_level(tokens, levels)) return;
  for (size_t i = 0; i < tokens.size(); ++i) {
    if (is_one_of(kLevelVariables, tokens[i].text)) {
      levels.level = level_named(value_at(one.text, tokens, i));
    } else if (tokens[i].text == kSnapshotVariable) {
      const std::string value = value_at(one.text, tokens, i);
      levels.snapshot = value == "1" || value == "ON";
    }
  }
}

std::string level_of_options(const std::vector<std::string>& server_options) {
  std::string level;
  for (const std::string& option : server_options) {
    const size_t equals = option.find('=');
    if (equals == std::string::npos || !option.starts_with("--transaction")) continue;
    level = level_named(option.substr(equals + 1));
  }
  return level;
}

// ---- What a transaction may hold

bool is_end(const std::string& kind, const TokenList& tokens) {
  if (kind == "COMMIT") return true;
  if (kind == "ROLLBACK") return !has_word(tokens, "TO");
  return kind == "XA" && (has_word(tokens, "COMMIT") || has_word(tokens, "ROLLBACK"));
}

bool undoes(const std::string& kind, const TokenList& tokens) {
  return kind == "ROLLBACK" || (kind == "XA" && has_word(tokens, "ROLLBACK"));
}

constexpr uint32_t kUndoing[] = {1213, 1020};
constexpr uint32_t kOfWaiting[] = {1205, 1213, 1020};

bool is_one_of_errors(std::span<const uint32_t> errors, uint32_t error) {
  return std::ranges::find(errors, error) != errors.end();
}

bool does_not_wait(const TokenList& tokens) {
  return has_word(tokens, "NOWAIT") || (has_word(tokens, "SKIP") && has_word(tokens, "LOCKED"));
}

bool takes_user_lock(const TokenList& tokens) {
  static constexpr std::string_view kWords[] = {"GET_LOCK", "RELEASE_LOCK", "IS_FREE_LOCK",
                                                "IS_USED_LOCK", "RELEASE_ALL_LOCKS"};
  return std::ranges::any_of(tokens,
                             [](const Token& token) { return is_one_of(kWords, token.text); });
}

bool takes_numbers(const TokenList& tokens) {
  return has_word(tokens, "NEXTVAL") || has_word(tokens, "SETVAL") ||
         has_word(tokens, "LAST_INSERT_ID");
}

// Beside tables, and what is its session's own.
bool changes_more(const LoggedStatement& one) {
  return std::ranges::any_of(one.accesses, [](const Access& access) {
    return access.mode == AccessMode::kWrite && !is_table(access) && !is_private(access);
  });
}

// Says something of what is there, and changes nothing.
bool only_reports(const LoggedStatement& one) {
  return one.kind.starts_with("SHOW") || one.kind.starts_with("EXPLAIN") ||
         one.kind.starts_with("DESC");
}

std::string xa_name_of(const LoggedStatement& one, const TokenList& tokens) {
  return one.kind == "XA" && tokens.size() > 2 ? one.text.substr(tokens[2].begin) : "";
}

class Finder {
 public:
  Finder(const LoggedTest& test, const SessionStates& states, std::string level)
      : test_(test), states_(states), level_(std::move(level)) {
    const size_t statements = test.statements.size();
    found_.fates.assign(statements, Fate::kKept);
    found_.ends.resize(statements);
    std::iota(found_.ends.begin(), found_.ends.end(), size_t{0});
  }

  LoggedTransactions run() {
    for (size_t i = 0; i < test_.statements.size(); ++i) look_at(i);
    for (auto& [connection, session] : sessions_) settle(session, Fate::kPartly);
    return std::move(found_);
  }

 private:
  struct Session {
    Levels levels;
    LoggedTransaction open;
    std::vector<size_t> statements;  // of it
    bool partly = false;             // a part of it was undone
  };

  Session& session_of(const LoggedStatement& one) {
    const auto [place, is_new] = sessions_.try_emplace(one.connection);
    if (is_new) place->second.levels.level = level_;
    return place->second;
  }

  void look_at(size_t i) {
    const LoggedStatement& one = test_.statements[i];
    Session& session = session_of(one);
    const TokenList tokens = tokens_of(one.text);
    const bool before = states_.before[i].open;
    const bool after = states_.after[i].open;
    const bool failed = !one.matched || one.error != 0;
    if (before && ends_transaction_first(one.text)) {
      refuse(session, "ended by a statement of another kind");
      settle(session, Fate::kKept);
    }
    found_.levels.push_back(session.levels.of_next());
    if (one.kind == "SET" && !failed) take_setting(one, session.levels);
    if (!before && !after) {
      if (one.kind != "SET") session.levels.next.clear();
      return;
    }
    add(session, i, tokens);
    if (one.matched && is_one_of_errors(kUndoing, one.error)) return settle(session, Fate::kUndone);
    const bool chained = after && is_end(one.kind, tokens) && !failed;
    if (!after && !is_end(one.kind, tokens)) {
      refuse(session, "ended by a statement of another kind");
    }
    if (chained || has_word(tokens, "RELEASE")) refuse(session, "chained to the next one");
    if (after && !chained) return;
    settle(session, undoes(one.kind, tokens) ? Fate::kUndone : Fate::kKept);
    if (chained) refuse(session, "chained to the one before");
  }

  static void refuse(Session& session, const std::string& reason) {
    if (session.open.unfit.empty()) session.open.unfit = reason;
  }

  void add(Session& session, size_t i, const TokenList& tokens) {
    const LoggedStatement& one = test_.statements[i];
    LoggedTransaction& open = session.open;
    if (session.statements.empty()) {
      open.isolation_level = session.levels.of_next();
      session.levels.next.clear();
    }
    session.statements.push_back(i);
    if (open.xa_name.empty()) open.xa_name = xa_name_of(one, tokens);
    const bool undoes_part = one.kind == "ROLLBACK" && has_word(tokens, "TO");
    session.partly = session.partly || undoes_part || !one.matched;
    if (only_reports(one)) return;
    open.members.push_back(i);
    refuse(session, unfit_in_transaction(one, states_.before[i], states_.after[i]));
  }

  // It is over.
  void settle(Session& session, Fate fate) {
    if (session.statements.empty()) return;
    if (session.partly && fate != Fate::kUndone) fate = Fate::kPartly;
    if (session.open.members.size() > kMostSessionLength) refuse(session, "longer than the limit");
    for (const size_t i : session.statements) {
      found_.fates[i] = fate;
      found_.ends[i] = session.statements.back();
    }
    if (session.open.members.size() > 1) found_.all.push_back(std::move(session.open));
    session.open = {};
    session.statements.clear();
    session.partly = false;
  }

  const LoggedTest& test_;
  const SessionStates& states_;
  const std::string level_;
  std::map<uint64_t, Session> sessions_;
  LoggedTransactions found_;
};

bool sets_one_of(const std::string& statement, std::span<const std::string_view> variables) {
  if (statement_kind(statement) != "SET") return false;
  const TokenList tokens = tokens_of(statement);
  return std::ranges::any_of(tokens,
                             [&](const Token& token) { return is_one_of(variables, token.text); });
}

size_t strength_of(const std::string& level) {
  const auto* const found = std::ranges::find(kLevels, level.empty() ? kServersOwn : level);
  return static_cast<size_t>(found - kLevels.begin());
}

}  // namespace

LoggedTransactions transactions_of(const LoggedTest& test, const SessionStates& states,
                                   const std::vector<std::string>& server_options) {
  return Finder(test, states, level_of_options(server_options)).run();
}

std::string unfit_in_transaction(const LoggedStatement& one, const SessionState& before,
                                 const SessionState& after) {
  std::string reason = unfit_for_request(one);
  if (!reason.empty()) return reason;
  const TokenList tokens = tokens_of(one.text);
  if (is_one_of_errors(kOfWaiting, one.error)) return "it waited in vain, or was a victim";
  if (after.locks || before.locks) return "locks of tables or users";
  if (after.handlers || before.handlers) return "an open HANDLER";
  if (does_not_wait(tokens)) return "it does not wait for locked rows (NOWAIT, SKIP LOCKED)";
  if (takes_user_lock(tokens)) return "locks of tables or users";
  if (takes_numbers(tokens)) return "numbers in the order of asking";
  if (sets_isolation_level(one.text) || sets_autocommit(one.text)) return "it sets its own level";
  if (changes_more(one)) return "it changes more than tables";
  if (speaks(one.text, "INFORMATION_SCHEMA") || lower(one.database) == "information_schema") {
    return "it asks for what is in no transaction (INFORMATION_SCHEMA)";
  }
  for (const Access& access : one.accesses) {
    if (before.temporary_tables.contains(access.object) ||
        after.temporary_tables.contains(access.object)) {
      return "a temporary table";
    }
  }
  return "";
}

bool sets_isolation_level(const std::string& statement) {
  static constexpr std::string_view kWords[] = {"ISOLATION", "TX_ISOLATION",
                                                "TRANSACTION_ISOLATION", kSnapshotVariable};
  return sets_one_of(statement, kWords);
}

bool sets_autocommit(const std::string& statement) {
  static constexpr std::string_view kWords[] = {"AUTOCOMMIT"};
  return sets_one_of(statement, kWords);
}

std::string weaker_level(const std::string& a, const std::string& b) {
  const std::string& weaker = strength_of(a) <= strength_of(b) ? a : b;
  return weaker.empty() ? kServersOwn : weaker;
}

}  // namespace esox
