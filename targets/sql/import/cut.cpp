// SPDX-License-Identifier: Apache-2.0
#include "targets/sql/import/cut.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include "inputs/import/files_import.h"
#include "targets/sql/import/fitness.h"

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
  Cutter(const LoggedTest& test, const SessionStates& states) : test_(test), states_(states) {}

  Cut run() {
    judge();
    for (size_t first = 0; first < test_.statements.size(); ++first) {
      sessions_at(first);
      if (alone_[first]) pairs_at(first);
    }
    return std::move(cut_);
  }

 private:
  const LoggedStatement& at(size_t i) const { return test_.statements[i]; }

  void judge() {
    for (const LoggedStatement& statement : test_.statements) {
      const std::string reason = unfit_for_request(statement);
      const std::string alone = reason.empty() ? unfit_alone(statement) : reason;
      if (!alone.empty()) ++cut_.rejected["statement: " + alone];
      fit_.push_back(reason.empty());
      alone_.push_back(alone.empty());
    }
  }

  bool uses_temporary(size_t i) const {
    const auto& held = states_.after[i].temporary_tables;
    const auto& accesses = at(i).accesses;
    return std::any_of(accesses.begin(), accesses.end(), [&](const Access& access) {
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
    cut_.candidates.push_back({form, std::move(clients)});
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
    if (at(first).kind == "BEGIN" || at(first).kind == "START TRANSACTION") {
      const auto left = transaction_at(first);
      if (left.empty()) return;
      auto right = transaction_at(left.back() + 1);
      if (right.empty()) right = run_at(left.back() + 1, 2);
      add_sessions(left, right);
      return;
    }
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

  // From a BEGIN to what ends it.
  std::vector<size_t> transaction_at(size_t first) const {
    std::vector<size_t> whole;
    if (first >= test_.statements.size() || !states_.before[first].closed()) return {};
    for (size_t i = first; i < test_.statements.size(); ++i) {
      if (whole.size() == kMostSessionLength || at(i).connection != at(first).connection) return {};
      if (!fit_[i] || uses_temporary(i)) return {};
      whole.push_back(i);
      if (states_.after[i].closed()) break;
    }
    if (whole.size() < 2 || !states_.after[whole.back()].closed()) return {};
    return whole;
  }

  const LoggedTest& test_;
  const SessionStates& states_;
  std::vector<bool> fit_;
  std::vector<bool> alone_;
  Cut cut_;
};

}  // namespace

Cut cut(const LoggedTest& test, const SessionStates& states) {
  return Cutter(test, states).run();
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
