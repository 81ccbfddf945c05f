// SPDX-License-Identifier: Apache-2.0
#include "targets/sql/import/session_settings.h"

#include <algorithm>

#include "targets/sql/import/fitness.h"
#include "targets/sql/import/transactions.h"
#include "targets/sql/tokens.h"

namespace esox {
namespace {

// What a setting sets: its text up to the first '='.
std::string setting_key(const std::vector<Token>& tokens) {
  std::string name;
  for (const Token& token : tokens) {
    if (token.text == "=") break;
    if (token.text == "USE") return "USE";
    if (token.text != "SESSION" && token.text != "LOCAL" && token.text != "@") name += token.text;
  }
  return name;
}

StatementFacts facts_of(const LoggedStatement& statement) {
  const std::vector<Token> tokens = tokens_of(statement.text);
  StatementFacts facts;
  facts.setting = is_session_setting(statement);
  facts.transaction = is_transaction_end_or_begin(statement);
  facts.of_transactions =
      facts.setting && (sets_autocommit(statement.text) || sets_isolation_level(statement.text));
  facts.temporary = has_word(tokens, "TEMPORARY");
  facts.conditional = has_word(tokens, "EXISTS");
  facts.unfit = unfit_for_setup(statement);
  if (facts.setting) facts.setting_key = setting_key(tokens);
  return facts;
}

}  // namespace

std::vector<StatementFacts> statement_facts(const LoggedTest& test) {
  std::vector<StatementFacts> all;
  for (const LoggedStatement& statement : test.statements) all.push_back(facts_of(statement));
  return all;
}

bool SessionSettings::is_good(size_t i, uint64_t connection) const {
  const LoggedStatement& statement = at(i);
  return !is_hidden(i) && statement.connection == connection && statement.matched &&
         statement.error == 0 && facts_[i].unfit.empty();
}

void SessionSettings::pass(size_t i, uint64_t connection, SettingsInForce& in_force) const {
  if (is_hidden(i)) return;
  if (facts_[i].setting && is_good(i, connection)) in_force[facts_[i].setting_key] = i;
  const auto use = in_force.find("USE");
  if (use == in_force.end() || at(i).kind != "DROP DATABASE" || at(i).error != 0) return;
  for (const Access& access : at(i).accesses) {
    // Who was in a database that is gone is in none.
    if (access.object == "database:" + at(use->second).database) return void(in_force.erase(use));
  }
}

void SessionSettings::add_with_variables(size_t setting, std::set<size_t>& settings) const {
  if (!settings.insert(setting).second) return;
  for (const Access& access : at(setting).accesses) {
    if (!is_private(access) || access.mode == AccessMode::kWrite) continue;
    const auto maker = maker_before(setting, access.object);
    if (maker) add_with_variables(*maker, settings);
  }
}

std::optional<size_t> SessionSettings::maker_before(size_t i,
                                                    const std::string& private_object) const {
  const uint64_t connection = at(i).connection;
  for (; i > 0; --i) {
    if (makes(i - 1, connection, private_object)) return i - 1;
  }
  return std::nullopt;
}

bool SessionSettings::makes(size_t i, uint64_t connection,
                            const std::string& private_object) const {
  const LoggedStatement& statement = at(i);
  if (!is_good(i, connection)) return false;
  if (statement.kind != "SET" && statement.kind != "PREPARE") return false;
  const Access making{private_object, AccessMode::kWrite};
  return std::ranges::find(statement.accesses, making) != statement.accesses.end();
}

}  // namespace esox
