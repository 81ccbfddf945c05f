// SPDX-License-Identifier: Apache-2.0
#include "targets/sql/import/session_pair.h"

#include <algorithm>

#include "targets/sql/import/fitness.h"

namespace esox {

// Settings, user variables, prepared statements.
bool is_of_session(const LoggedStatement& statement) {
  if (is_session_setting(statement)) return true;
  return (statement.kind == "SET" || statement.kind == "PREPARE") &&
         std::ranges::any_of(statement.accesses, is_private);
}

SessionPair::SessionPair(const ScriptTest& told, const std::vector<bool>& rolled_back,
                         bool settings, size_t left, size_t right)
    : settings_(settings) {
  for (size_t i = 0; i < told.first_setup_part; ++i) {
    if (!rolled_back[i]) add(told, i, left);
  }
  for (size_t i = 0; settings && i < told.first_setup_part; ++i) {
    if (is_of_session(told.test.statements[i])) add(told, i, right);
  }
  for (size_t i = told.first_setup_part; i < told.first_request; ++i) {
    if (!rolled_back[i]) add(told, i, told.test.statements[i].connection);
  }
  first_request_ = from_.size();
  for (const bool members : {false, true}) {
    if (members) first_member_ = from_.size();
    for (const size_t session : {left, right}) {
      for (const size_t i : told.requests[session]) {
        if (!rolled_back[i]) add(told, i, session);
      }
    }
  }
  states_ = session_states(test_);
  // Transactions that ended before: what they did can as well be done without one.
  for (auto* states : {&states_.before, &states_.after}) {
    for (SessionState& state : *states) state.open = state.transaction = false;
  }
  transactions_ = transactions_of(test_, states_);
  slicer_ = std::make_unique<Slicer>(test_, states_, transactions_);
}

Candidate SessionPair::again(size_t left, size_t right) const {
  Candidate candidate{Candidate::Form::kPair, {{}, {}}};
  for (size_t i = first_member_; i < from_.size(); ++i) {
    if (from_[i] == left) candidate.clients[0] = {i};
    if (from_[i] == right) candidate.clients[1] = {i};
  }
  return candidate;
}

Slice SessionPair::slice(const Candidate& candidate) const {
  const size_t left = candidate.clients[0].front();
  const size_t right = candidate.clients[1].front();
  std::vector<bool> hidden(from_.size());
  for (size_t i = first_request_; i < from_.size(); ++i) {
    const size_t member = sessions_[i] == sessions_[left] ? left : right;
    hidden[i] = i >= first_member_ || from_[i] >= from_[member];
  }
  return slicer_->slice(candidate, hidden);
}

// Sessions without settings of their own are as good as one: the setup is one session, too, and
// cannot be made of several with settings.
void SessionPair::add(const ScriptTest& told, size_t i, size_t session) {
  test_.statements.push_back(told.test.statements[i]);
  test_.statements.back().connection = settings_ ? session : 0;
  from_.push_back(i);
  sessions_.push_back(session);
}

}  // namespace esox
