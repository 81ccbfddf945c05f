// SPDX-License-Identifier: Apache-2.0
// The full prefix of a candidate as its setup: what the test did before it, where the slice of it
// (slice.h) was too long or missed something, such as a routine that another one calls by a text
// put together.
//
// All statements that come before the candidate's last member and are no members: what lies between
// members may go before them (imported_input.h). Of these, those that succeeded and are fit for a
// setup. Left out is what only asks.
//
// The setup is one session. It plays the connection that most of the statements came over; those of
// other connections are taken where they mean the same in it: under equal settings, with nothing
// open in either, without variables and temporary tables of their own. What is left out so may be
// missed; that is for the trial to tell.

#include <algorithm>
#include <cstdint>
#include <map>
#include <set>
#include <string>

#include "targets/sql/import/logged_test.h"
#include "targets/sql/import/session_settings.h"
#include "targets/sql/import/session_state.h"
#include "targets/sql/import/slice.h"

namespace esox {
namespace {

// What is cached of an answer says the same as the tables.
bool writes_or_is_private(const Access& access) {
  return (access.mode != AccessMode::kRead && access.object != "caches:") || is_private(access);
}

// Nothing is otherwise after it. (A function that changes tables is known by these.)
bool only_asks(const LoggedStatement& statement) {
  const std::string& kind = statement.kind;
  if (kind.starts_with("SHOW") || kind.starts_with("DESC") || kind == "EXPLAIN") return true;
  return kind == "SELECT" && std::ranges::none_of(statement.accesses, writes_or_is_private);
}

bool has_private(const LoggedStatement& statement) {
  return std::ranges::any_of(statement.accesses, is_private);
}

// One prefix in the making.
class Prefixing {
 public:
  Prefixing(const LoggedTest& test, const SessionStates& states,
            const std::vector<StatementFacts>& facts, const Candidate& candidate)
      : test_(test),
        states_(states),
        facts_(facts),
        settings_(test, facts, none_hidden_),
        candidate_(candidate) {
    for (const auto& client : candidate.clients) members_.insert(client.begin(), client.end());
    slice_.whole = true;
  }

  Slice run() {
    connection_ = main_connection();
    for (size_t i = 0; i < *members_.rbegin() && slice_.refused.empty(); ++i) {
      pass_settings(i);
      if (members_.contains(i)) continue;
      if (at(i).connection == connection_) open_ = states_.after[i];
      if (is_fit(i) && means_the_same(i)) take(i);
    }
    if (!open_.closed()) refuse("its session holds something open");
    for (const auto& client : candidate_.clients) slice_.clients.push_back(of_client(client));
    return std::move(slice_);
  }

 private:
  const LoggedStatement& at(size_t i) const { return test_.statements[i]; }
  void refuse(const std::string& reason) { slice_.refused = "full prefix: " + reason; }

  bool is_fit(size_t i) const {
    return at(i).matched && at(i).error == 0 && facts_[i].unfit.empty() && !only_asks(at(i));
  }

  // That most of what could be taken came over.
  uint64_t main_connection() const {
    std::map<uint64_t, size_t> taken;
    for (size_t i = 0; i < *members_.rbegin(); ++i) {
      if (is_fit(i)) ++taken[at(i).connection];
    }
    uint64_t most = at(*members_.begin()).connection;
    for (const auto& [connection, count] : taken) {
      if (count > taken[most]) most = connection;
    }
    return most;
  }

  void pass_settings(size_t i) {
    settings_.pass(i, connection_, own_);
    if (at(i).connection != connection_) settings_.pass(i, at(i).connection, of_[at(i).connection]);
  }

  bool means_the_same(size_t i) const {
    if (at(i).connection == connection_) return true;
    if (facts_[i].setting || facts_[i].transaction || facts_[i].temporary) return false;
    if (!states_.before[i].closed() || !states_.after[i].closed() || !open_.closed()) return false;
    if (uses_any(i, states_.before[i].temporary_tables) || uses_any(i, open_.temporary_tables)) {
      return false;
    }
    return !has_private(at(i)) && texts(own_) == texts(of_.at(at(i).connection));
  }

  bool uses_any(size_t i, const std::set<std::string>& tables) const {
    return std::any_of(at(i).accesses.begin(), at(i).accesses.end(),
                       [&](const Access& one) { return tables.contains(one.object); });
  }

  std::map<std::string, std::string> texts(const SettingsInForce& settings) const {
    std::map<std::string, std::string> all;
    for (const auto& [name, place] : settings) all[name] = at(place).text;
    return all;
  }

  void take(size_t i) {
    bytes_ += at(i).text.size();
    if (slice_.setup.size() == kMostPrefix || bytes_ > kMostPrefixBytes) {
      return refuse("longer than the limit");
    }
    slice_.setup.push_back(i);
  }

  // Those in force for the client's first request, and what made the variables and prepared
  // statements that its requests use.
  std::vector<size_t> of_client(const std::vector<size_t>& client) const {
    const uint64_t connection = at(client.front()).connection;
    SettingsInForce in_force;
    std::set<size_t> own;
    for (size_t i = 0; i < client.front(); ++i) settings_.pass(i, connection, in_force);
    for (const auto& [name, place] : in_force) settings_.add_with_variables(place, own);
    for (const size_t member : client) {
      for (const Access& access : at(member).accesses) {
        if (!is_private(access)) continue;
        const auto maker = settings_.maker_before(client.front(), access.object);
        if (maker) settings_.add_with_variables(*maker, own);
      }
    }
    return {own.begin(), own.end()};
  }

  const LoggedTest& test_;
  const SessionStates& states_;
  const std::vector<StatementFacts>& facts_;
  const std::vector<bool> none_hidden_;
  const SessionSettings settings_;
  const Candidate& candidate_;
  std::set<size_t> members_;
  uint64_t connection_ = 0;                 // that the setup plays
  SettingsInForce own_;                     // its settings
  std::map<uint64_t, SettingsInForce> of_;  // those of the other ones
  SessionState open_;                       // what it holds
  size_t bytes_ = 0;
  Slice slice_;
};

}  // namespace

Slice Slicer::prefix(const Candidate& candidate) const {
  return Prefixing(test_, states_, facts_, candidate).run();
}

}  // namespace esox
