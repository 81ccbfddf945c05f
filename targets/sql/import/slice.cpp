// SPDX-License-Identifier: Apache-2.0
#include "targets/sql/import/slice.h"

#include <algorithm>
#include <iterator>
#include <set>
#include <string_view>

#include "targets/sql/tokens.h"

namespace esox {
namespace {

// What makes such an object there, as a whole.
bool creates(const LoggedStatement& statement) {
  static constexpr std::string_view kKinds[] = {
      "CREATE TABLE", "CREATE VIEW",     "CREATE PROCEDURE", "CREATE FUNCTION",
      "CREATE EVENT", "CREATE SEQUENCE", "CREATE DATABASE"};
  return is_one_of(kKinds, statement.kind);
}

bool drops(const LoggedStatement& statement) {
  static constexpr std::string_view kKinds[] = {"DROP TABLE",    "DROP VIEW",     "DROP PROCEDURE",
                                                "DROP FUNCTION", "DROP TABLES",   "DROP EVENT",
                                                "DROP SEQUENCE", "DROP DATABASE", "DROP SCHEMA"};
  return is_one_of(kKinds, statement.kind);
}

// Errors that come before anything is changed: of syntax, names, columns and privileges.
constexpr uint32_t kEarlyErrors[] = {1044, 1045, 1046, 1049, 1052, 1054, 1060, 1061, 1064,
                                     1066, 1109, 1110, 1111, 1136, 1142, 1146, 1149, 1305};

// A failed one of these may have changed some rows all the same.
bool may_half_succeed(const LoggedStatement& statement) {
  if (std::ranges::find(kEarlyErrors, statement.error) != std::end(kEarlyErrors)) return false;
  static constexpr std::string_view kKinds[] = {"INSERT", "UPDATE",  "DELETE",    "REPLACE",
                                                "CALL",   "EXECUTE", "DROP TABLE"};
  return is_one_of(kKinds, statement.kind);
}

// Objects that a statement can have changed for another to need it.
bool is_made(const std::string& object) {
  return !object.starts_with("caches:") && !object.starts_with("logs:");
}

// The database of "table:db.t"; empty of other objects.
std::string database_of(const std::string& object) {
  if (!object.starts_with("table:")) return "";
  return object.substr(6, object.find('.') - 6);
}

// One slice in the making.
class Slicing {
 public:
  Slicing(const LoggedTest& test, const LoggedTransactions& transactions,
          const std::vector<StatementFacts>& facts, const Candidate& candidate,
          const std::vector<bool>& hidden)
      : test_(test),
        transactions_(transactions),
        facts_(facts),
        settings_(test, facts, hidden),
        candidate_(candidate),
        hidden_(hidden) {
    for (const auto& client : candidate.clients) members_.insert(client.begin(), client.end());
  }

  Slice run() {
    for (const size_t member : members_) need(at(member));
    for (size_t i = *members_.rbegin(); i > 0 && slice_.refused.empty(); --i) {
      if (!members_.contains(i - 1) && !is_hidden(i - 1)) look_at(i - 1);
    }
    if (slice_.refused.empty()) add_sessions();
    slice_.setup.assign(taken_.begin(), taken_.end());
    return std::move(slice_);
  }

 private:
  const LoggedStatement& at(size_t i) const { return test_.statements[i]; }
  bool is_hidden(size_t i) const { return !hidden_.empty() && hidden_[i]; }
  void refuse(std::string reason) { slice_.refused = std::move(reason); }

  // Objects of one connection alone are called by its number too.
  static std::string key(const LoggedStatement& statement, const Access& access) {
    if (!is_private(access)) return access.object;
    return std::to_string(statement.connection) + " " + access.object;
  }

  void need(const LoggedStatement& statement) {
    for (const Access& access : statement.accesses) {
      if (!is_made(access.object)) continue;
      if (access.object.starts_with("database:") && access.mode != AccessMode::kWrite) continue;
      needed_.insert(key(statement, access));
      const std::string database = database_of(access.object);
      if (!database.empty()) needed_.insert("database:" + database);
    }
    if (!statement.database.empty()) needed_.insert("database:" + statement.database);
  }

  std::vector<std::string> needed_changes(const LoggedStatement& statement) const {
    std::vector<std::string> changed;
    for (const Access& access : statement.accesses) {
      const std::string object = key(statement, access);
      if (access.mode == AccessMode::kWrite && needed_.contains(object)) changed.push_back(object);
    }
    return changed;
  }

  void look_at(size_t i) {
    const LoggedStatement& statement = at(i);
    if (facts_[i].setting || facts_[i].transaction) return;
    const std::vector<std::string> changed = needed_changes(statement);
    if (changed.empty()) return;
    if (!statement.matched) return refuse("setup: a statement whose result is not known");
    if (statement.error != 0) {
      if (may_half_succeed(statement)) refuse("setup: a statement that failed half way");
      return;
    }
    if (!is_kept(i)) return;
    if (drops(statement)) return forget(changed);
    if (!facts_[i].unfit.empty()) return refuse("setup: " + facts_[i].unfit);
    if (transactions_.fates[i] == Fate::kPartly) {
      return refuse("setup: a change within a transaction of which parts were undone");
    }
    take(i, changed);
  }

  // That a user variable was set, or a statement prepared, no transaction undoes.
  bool is_kept(size_t i) const {
    if (at(i).kind == "SET" || at(i).kind == "PREPARE") return true;
    return transactions_.fates[i] != Fate::kUndone && transactions_.ends[i] < *members_.rbegin();
  }

  void take(size_t i, const std::vector<std::string>& changed) {
    const LoggedStatement& statement = at(i);
    if (facts_[i].temporary) return refuse("setup: a temporary table");
    if (taken_.size() == kMostSetup) return refuse(kSliceTooLong);
    taken_.insert(i);
    need(statement);
    // It has not been there before; but for IF NOT EXISTS, which may have found it.
    if (creates(statement) && !facts_[i].conditional) forget(changed);
  }

  void forget(const std::vector<std::string>& objects) {
    for (const std::string& object : objects) {
      needed_.erase(object);
      if (object.starts_with("database:")) forget_tables_of(object.substr(9));
    }
  }

  void forget_tables_of(const std::string& database) {
    std::erase_if(needed_, [&](const std::string& one) { return database_of(one) == database; });
  }

  // Variables and prepared statements belong to the client's session, settings to both.
  void add_sessions() {
    std::set<uint64_t> connections;
    for (const size_t i : taken_) connections.insert(at(i).connection);
    std::set<size_t> settings;
    for (const uint64_t connection : connections) {
      for (const size_t i : settings_under(connection)) settings.insert(i);
    }
    const bool mixed = connections.size() > 1 && !settings.empty();
    if (mixed) return refuse("setup: by several sessions with settings of their own");
    taken_.insert(settings.begin(), settings.end());
    for (const auto& client : candidate_.clients) slice_.clients.push_back(of_client(client));
    drop_private();
  }

  // Those before the cut under which a taken statement runs, but for those of transactions: the
  // setup has none.
  std::set<size_t> settings_under(uint64_t connection) const {
    SettingsInForce in_force;
    std::set<size_t> used;
    for (size_t i = 0; i < *members_.begin(); ++i) {
      settings_.pass(i, connection, in_force);
      if (!taken_.contains(i)) continue;
      for (const auto& [name, place] : in_force) {
        if (!facts_[place].of_transactions) settings_.add_with_variables(place, used);
      }
    }
    return used;
  }

  // Those in force for the client's first request, and the private objects its requests use.
  std::vector<size_t> of_client(const std::vector<size_t>& client) const {
    const uint64_t connection = at(client.front()).connection;
    SettingsInForce in_force;
    std::set<size_t> own;
    for (size_t i = 0; i < client.front(); ++i) {
      settings_.pass(i, connection, in_force);
      const bool taken = taken_.contains(i) && at(i).connection == connection;
      if (taken && makes_private(at(i))) own.insert(i);
    }
    for (const auto& [name, place] : in_force) settings_.add_with_variables(place, own);
    return {own.begin(), own.end()};
  }

  static bool makes_private(const LoggedStatement& statement) {
    return std::ranges::any_of(statement.accesses, [](const Access& one) {
      return is_private(one) && one.mode == AccessMode::kWrite;
    });
  }

  // In the setup, a SET or PREPARE that only a client's session needs says nothing.
  void drop_private() {
    std::set<std::string> used;
    const std::vector<size_t> ascending(taken_.begin(), taken_.end());
    for (auto i = ascending.rbegin(); i != ascending.rend(); ++i) {
      const LoggedStatement& statement = at(*i);
      const bool only_private = statement.kind == "SET" || statement.kind == "PREPARE";
      bool useful = !only_private || !makes_private(statement);
      for (const Access& one : statement.accesses) {
        useful = useful || used.contains(key(statement, one));
      }
      if (!useful) taken_.erase(*i);
      for (const Access& one : statement.accesses) {
        if (useful && is_private(one)) used.insert(key(statement, one));
      }
    }
  }

  const LoggedTest& test_;
  const LoggedTransactions& transactions_;
  const std::vector<StatementFacts>& facts_;
  const SessionSettings settings_;
  const Candidate& candidate_;
  const std::vector<bool>& hidden_;
  std::set<size_t> members_;
  std::set<size_t> taken_;
  std::set<std::string> needed_;
  Slice slice_;
};

}  // namespace

Slicer::Slicer(const LoggedTest& test, const SessionStates& states,
               const LoggedTransactions& transactions)
    : test_(test), states_(states), transactions_(transactions), facts_(statement_facts(test)) {}

Slice Slicer::slice(const Candidate& candidate, const std::vector<bool>& hidden) const {
  return Slicing(test_, transactions_, facts_, candidate, hidden).run();
}

}  // namespace esox
