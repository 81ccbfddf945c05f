// SPDX-License-Identifier: Apache-2.0
#include "targets/sql/import/cut.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include "inputs/import/files_import.h"
#include "targets/sql/import/fitness.h"
#include "targets/sql/tokens.h"

namespace esox {
namespace {

// Of several statements together.
Accesses all_accesses(const LoggedTest& test, const std::vector<size_t>& numbers) {
  Accesses accesses;
  for (const size_t number : numbers) {
    const Accesses& own = test.statements[number].accesses;
    accesses.insert(accesses.end(), own.begin(), own.end());
  }
  sort_accesses(accesses);
  return accesses;
}

class Cutter {
 public:
  Cutter(const LoggedTest& test, const SessionStates& states,
         const LoggedTransactions& transactions)
      : test_(test), states_(states), transactions_(transactions) {}

  Cut run() {
    judge();
    for (size_t first = 0; first < test_.statements.size(); ++first) {
      sessions_at(first);
      if (alone_[first]) pairs_at(first);
    }
    transactions();
    return std::move(cut_);
  }

 private:
  const LoggedStatement& at(size_t i) const { return test_.statements[i]; }

  void judge() {
    for (const LoggedStatement& statement : test_.statements) {
      const std::string reason = unfit_for_request(statement);
      const std::string alone = reason.empty() ? unfit_alone(statement) : reason;
      if (!alone.empty()) ++cut_.rejected["statement: " + alone];
      alone_.push_back(alone.empty());
    }
  }

  bool uses_temporary(size_t i) const {
    const auto& held = states_.after[i].temporary_tables;
    const auto& accesses = at(i).accesses;
    return std::ranges::any_of(accesses, [&](const Access& access) {
      return held.contains(access.object) ||
             states_.before[i].temporary_tables.contains(access.object);
    });
  }

  bool closed_around(size_t i) const {
    return states_.before[i].closed() && states_.after[i].closed();
  }

  // The places after `first` that may be its partner.
  void pairs_at(size_t first) {
    std::vector<size_t> partners;
    const size_t end = std::min(test_.statements.size(), first + 1 + kWindow);
    for (size_t second = first + 1; second < end; ++second) {
      if (alone_[second] && makes_pair(first, second)) partners.push_back(second);
      // From here on, something stands between that must come after `first`.
      if (conflict(at(first).accesses, at(second).accesses)) break;
    }
    for (const size_t second : partners) followers(first, second);
  }

  bool makes_pair(size_t first, size_t second) {
    ++cut_.counts["pairs looked at"];
    if (!share_object(at(first).accesses, at(second).accesses)) return false;
    ++cut_.counts["pairs that share an object"];
    if (!conflict(at(first).accesses, at(second).accesses)) return false;
    ++cut_.counts["pairs that conflict and are clean"];
    if (!closed_around(first) || !closed_around(second)) {
      ++cut_.rejected["pair: a transaction, lock or handler is open there"];
      return false;
    }
    if (uses_temporary(first) || uses_temporary(second)) {
      ++cut_.rejected["pair: uses a temporary table"];
      return false;
    }
    add(Candidate::Form::kPair, {{first}, {second}});
    return true;
  }

  void add(Candidate::Form form, std::vector<std::vector<size_t>> clients) {
    cut_.candidates.push_back({form, std::move(clients), ""});
  }

  // What comes next after a pair: more requests of the second client, or a third one.
  void followers(size_t first, size_t second) {
    std::vector<size_t> followed = {second};
    const size_t end = std::min(test_.statements.size(), second + kWindow);
    for (size_t next = second + 1; next < end && followed.size() < kMostFollowers; ++next) {
      if (!joins(first, second, next)) break;
      if (at(next).connection == at(second).connection) {
        followed.push_back(next);
        add(Candidate::Form::kOneToMany, {{first}, followed});
      }
      if (next == second + 1) add(Candidate::Form::kThree, {{first}, {second}, {next}});
    }
  }

  bool joins(size_t first, size_t second, size_t next) const {
    return alone_[next] && closed_around(next) && !uses_temporary(next) &&
           (conflict(at(first).accesses, at(next).accesses) ||
            conflict(at(second).accesses, at(next).accesses));
  }

  // Two sessions, one right after the other.
  void sessions_at(size_t first) {
    static constexpr size_t kLengths[] = {2, 3, 5};
    if (!alone_[first]) return;
    for (const size_t length : kLengths) {
      const auto left = run_at(first, length);
      if (left.size() == length) add_sessions(left, run_at(left.back() + 1, length));
    }
  }

  void add_sessions(const std::vector<size_t>& left, const std::vector<size_t>& right) {
    if (left.empty() || right.empty()) return;
    if (!conflict(all_accesses(test_, left), all_accesses(test_, right))) return;
    ++cut_.counts["sessions that conflict"];
    add(Candidate::Form::kSessions, {left, right});
  }

  // So many statements that follow each other on one connection, with nothing open around them and
  // nothing of consequence between.
  std::vector<size_t> run_at(size_t first, size_t length) const {
    std::vector<size_t> run;
    for (size_t i = first; i < test_.statements.size() && run.size() < length; ++i) {
      if (i - first > kWindow || at(i).connection != at(first).connection) return {};
      if (!closed_around(i)) return {};
      if (is_idle(i)) continue;
      if (!alone_[i] || uses_temporary(i)) return {};
      run.push_back(i);
    }
    if (run.size() < length) return {};
    return run;
  }

  // SHOW WARNINGS and the like: of no consequence to what comes after.
  bool is_idle(size_t i) const {
    return !alone_[i] && at(i).accesses.empty() && !is_session_setting(at(i)) &&
           !is_transaction_end_or_begin(at(i));
  }

  // ---- Transactions

  // A transaction of the test, or a request that was one by itself.
  struct Whole {
    std::vector<size_t> members;
    std::string isolation_level;
    std::string xa_name;
    Accesses accesses;

    bool is_one_request() const { return members.size() == 1; }
  };

  // In the order of their ends.
  std::vector<Whole> wholes() {
    std::vector<Whole> all;
    for (const LoggedTransaction& one : transactions_.all) {
      ++cut_.counts["transactions"];
      if (!one.unfit.empty()) {
        ++cut_.rejected["transaction: " + one.unfit];
        continue;
      }
      all.push_back(
          {one.members, one.isolation_level, one.xa_name, all_accesses(test_, one.members)});
    }
    for (size_t i = 0; i < test_.statements.size(); ++i) {
      if (is_transaction_alone(i)) {
        all.push_back({{i}, transactions_.levels[i], "", at(i).accesses});
      }
    }
    std::ranges::sort(
        all, [](const Whole& a, const Whole& b) { return a.members.back() < b.members.back(); });
    return all;
  }

  // A request that reads and writes rows of tables, outside of transactions.
  bool is_transaction_alone(size_t i) const {
    static constexpr std::string_view kKinds[] = {"SELECT", "INSERT",  "UPDATE",
                                                  "DELETE", "REPLACE", "WITH"};
    return alone_[i] && closed_around(i) && !states_.before[i].open && !states_.after[i].open &&
           is_one_of(kKinds, at(i).kind) &&
           unfit_in_transaction(at(i), states_.before[i], states_.after[i]).empty();
  }

  void transactions() {
    const std::vector<Whole> all = wholes();
    for (size_t first = 0; first < all.size(); ++first) {
      size_t partners = 0;
      for (size_t second = first + 1; second < all.size() && partners < kMostPartners; ++second) {
        if (!is_near(all[first], all[second])) break;
        if (is_redefined(all[first], all[second])) break;
        if (!go_together(all[first], all[second])) continue;
        if (all[first].is_one_request() && all[second].is_one_request()) continue;
        ++partners;
        add({&all[first], &all[second]});
        third(all, first, second);
      }
    }
  }

  // The next one that concerns either.
  void third(const std::vector<Whole>& all, size_t first, size_t second) {
    for (size_t next = second + 1; next < all.size(); ++next) {
      if (!is_near(all[first], all[next]) || is_redefined(all[first], all[next])) return;
      const bool concerned =
          go_together(all[second], all[next]) || go_together(all[first], all[next]);
      if (!concerned || same_xa(all[first], all[next]) || same_xa(all[second], all[next])) continue;
      return add({&all[first], &all[second], &all[next]});
    }
  }

  static bool is_near(const Whole& earlier, const Whole& later) {
    return later.members.front() <= earlier.members.back() + kTransactionWindow;
  }
  // Something the earlier one uses is made anew, or is another thing, when the later one begins.
  bool is_redefined(const Whole& earlier, const Whole& later) const {
    for (size_t i = earlier.members.front(); i < later.members.front(); ++i) {
      const std::string& kind = at(i).kind;
      const bool defines = is_definition(kind.substr(0, kind.find(' '))) ||
                           kind.starts_with("RENAME") || kind.starts_with("TRUNCATE");
      if (defines && conflict(at(i).accesses, earlier.accesses)) return true;
    }
    return false;
  }
  static bool same_xa(const Whole& a, const Whole& b) {
    return !a.xa_name.empty() && a.xa_name == b.xa_name;
  }
  static bool go_together(const Whole& a, const Whole& b) {
    return conflict(a.accesses, b.accesses) && !same_xa(a, b);
  }

  void add(const std::vector<const Whole*>& together) {
    Candidate candidate;
    candidate.form = Candidate::Form::kTransactions;
    candidate.isolation_level = together.front()->isolation_level;
    for (const Whole* one : together) {
      candidate.clients.push_back(one->members);
      candidate.isolation_level = weaker_level(candidate.isolation_level, one->isolation_level);
    }
    ++cut_.counts["transactions that conflict"];
    cut_.candidates.push_back(std::move(candidate));
  }

  const LoggedTest& test_;
  const SessionStates& states_;
  const LoggedTransactions& transactions_;
  std::vector<bool> alone_;
  Cut cut_;
};

}  // namespace

Cut cut(const LoggedTest& test, const SessionStates& states,
        const LoggedTransactions& transactions) {
  return Cutter(test, states, transactions).run();
}

std::vector<Candidate> in_order(const LoggedTest& test, std::vector<Candidate> candidates) {
  std::map<std::string, size_t> seen;  // by kinds
  return by_weight(std::move(candidates), [&](const Candidate& candidate) {
    bool failing = false;
    bool whole = false;
    std::string kinds = name_of(candidate.form);
    for (const auto& client : candidate.clients) {
      kinds += " |";
      for (const size_t number : client) {
        const LoggedStatement& statement = test.statements[number];
        failing = failing || statement.error != 0;
        whole = whole || is_about_whole_object(statement.kind);
        kinds += " " + statement.kind;
      }
    }
    return std::tuple(failing, whole, seen[kinds]++);
  });
}

bool is_about_whole_object(const std::string& kind) {
  return kind == "CREATE TABLE" || kind == "DROP TABLE" || kind == "CREATE DATABASE" ||
         kind == "DROP DATABASE" || kind == "RENAME TABLE";
}

}  // namespace esox
