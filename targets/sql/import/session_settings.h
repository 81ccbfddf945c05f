// SPDX-License-Identifier: Apache-2.0
// The settings that hold in a session of a test at some place, as the statements that made them:
// SET, USE, and what they read of user variables. Each is in force until the next of its kind.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "targets/sql/import/logged_test.h"

namespace esox {

// What is asked of a statement again and again.
struct StatementFacts {
  bool setting = false;          // is_session_setting
  bool transaction = false;      // is_transaction_end_or_begin
  bool of_transactions = false;  // sets autocommit or the isolation level
  bool temporary = false;        // says TEMPORARY
  bool conditional = false;      // says EXISTS: it may have found what it was to make
  std::string unfit;             // unfit_for_setup
  std::string setting_key;       // what a setting sets
};

std::vector<StatementFacts> statement_facts(const LoggedTest& test);  // by their numbers

using SettingsInForce = std::map<std::string, size_t>;  // what is set: the statement that did

// Of one test, which must outlive it, as must the other two.
class SessionSettings {
 public:
  // `hidden`: statements that are taken not to have happened; empty: none.
  SessionSettings(const LoggedTest& test, const std::vector<StatementFacts>& facts,
                  const std::vector<bool>& hidden)
      : test_(test), facts_(facts), hidden_(hidden) {}

  // What statement `i` changes in the settings of a connection. All must go by, in their order.
  void pass(size_t i, uint64_t connection, SettingsInForce& in_force) const;

  // A statement with those that set the variables it reads: SET sql_mode = @before.
  void add_with_variables(size_t setting, std::set<size_t>& settings) const;

  // The last SET or PREPARE before statement `i` that made its session's variable or prepared
  // statement.
  std::optional<size_t> maker_before(size_t i, const std::string& private_object) const;

 private:
  const LoggedStatement& at(size_t i) const { return test_.statements[i]; }
  bool is_hidden(size_t i) const { return !hidden_.empty() && hidden_[i]; }
  bool is_good(size_t i, uint64_t connection) const;
  bool makes(size_t i, uint64_t connection, const std::string& private_object) const;

  const LoggedTest& test_;
  const std::vector<StatementFacts>& facts_;
  const std::vector<bool>& hidden_;
};

}  // namespace esox
