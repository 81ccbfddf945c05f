// SPDX-License-Identifier: Apache-2.0
// Views of statements against a small store of many versions, which keeps each promise: clients
// with transactions, savepoints, reads that lock row by row, deadlocks and writes that change
// nothing, at random moments. What the store answers is never flagged; a reply changed so that no
// view gives it is.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <random>
#include <set>

#include "analysis/statement_views.h"
#include "analysis/transactions.h"
#include "tests/unit/sanitized.h"

namespace esox {
namespace {

constexpr uint32_t kVictim = 1213;
constexpr uint32_t kChanged = 1020;  // since the snapshot
constexpr IsolationLevel kLevels[] = {{"statement", "", Promise::kStatementView},
                                      {"transaction", "", Promise::kTransactionView},
                                      {"snapshot", "", Promise::kSnapshot}};

// begin, begin-view, commit, rollback, mark, back, read KEY..., lock KEY..., write KEY VALUE
class StoreLanguage final : public RequestLanguage {
 public:
  std::string_view server() const override { return "store"; }
  std::span<const IsolationLevel> isolation_levels() const override { return kLevels; }
  bool undoes_transaction(uint32_t error) const override {
    return error == kVictim || error == kChanged;
  }
  SessionEffect session_effect(std::string_view text) const override {
    if (text.starts_with("begin")) return SessionEffect::kOpens;
    return text == "commit" || text == "rollback" ? SessionEffect::kCloses : SessionEffect::kNone;
  }
  ViewStep view_step(std::string_view text) const override {
    if (text.starts_with("read")) return {ViewUse::kReads, ""};
    if (text.starts_with("lock")) return {ViewUse::kReads, "", true, true};
    if (text.starts_with("write")) return {ViewUse::kWrites, "", true};
    if (text == "begin-view") return {ViewUse::kTakesView, ""};
    if (text == "rollback") return {ViewUse::kAbandons, ""};
    return {text == "back" ? ViewUse::kAbandonsPart : ViewUse::kNone, ""};
  }
};
const StoreLanguage kLanguage;

using Keys = std::set<int>;
using Rows = std::map<int, int>;  // a value that is not there: no row

struct ReadFacts {
  RequestId request;
  Keys keys;
  Rows own;                      // of its transaction: 0 is none
  std::optional<size_t> before;  // of the read before it that must be of the same prefix
  bool locks = false;
};

struct History {
  Input input;
  ExecutionRecord record;
  RowLog log;
  std::vector<Rows> states;  // by prefix
  std::vector<Stamp> commits;
  std::vector<ReadFacts> reads;
  std::vector<ReadFacts> idle;  // writes that changed nothing
};

RowImage image(int key, int value) {
  return {"t", fmt::format("{}={}", key, value)};
}

Output reply_of(const Rows& rows, const Keys& keys) {
  Output output;
  output.answered = true;
  ResultSet& result = output.results.emplace_back();
  result.columns = {{"id", "LONG"}, {"v", "LONG"}};
  for (const auto& [key, value] : rows) {
    if (value == 0 || !keys.contains(key)) continue;
    result.rows.push_back({std::to_string(key), std::to_string(value)});
  }
  return output;
}

Rows over(Rows rows, const Rows& own) {
  for (const auto& [key, value] : own) rows[key] = value;
  return rows;
}

class Store {
 public:
  Store(uint64_t seed, const IsolationLevel& level)
      : random_(seed),
        one_view_(level.promise != Promise::kStatementView),
        snapshot_(level.promise == Promise::kSnapshot) {
    made_.input.language = &kLanguage;
    made_.input.isolation_level = level.name;
    for (int key = 1; key <= kKeys; ++key) rows_[key] = below(4) == 0 ? 0 : 1;
    made_.states.push_back(rows_);
  }

  History run() {
    sessions_.resize(2 + below(3));
    for (size_t c = 0; c < sessions_.size(); ++c) {
      const std::string name(1, static_cast<char>('A' + c));
      made_.input.clients.push_back({name, {}, {}});
      made_.record.stamps.emplace_back();
      made_.record.outcome.outputs.emplace_back();
      plan(c);
    }
    while (step()) {
    }
    made_.record.units = units_of(made_.input, made_.record);
    return std::move(made_);
  }

 private:
  static constexpr int kKeys = 4;
  enum class Phase { kIdle, kAsked, kDone };

  struct Change {
    size_t statement = 0;
    int key = 0;
    int before = 0;
    int after = 0;
  };
  struct Session {
    size_t next = 0;
    Phase phase = Phase::kIdle;
    Output reply;
    bool open = false;
    bool touched = false;        // the store takes part in the transaction
    std::optional<size_t> view;  // a prefix
    std::optional<size_t> read;  // the last one of it
    std::optional<size_t> locking_read;
    size_t locked = 0;  // of the keys that are asked for
    Rows seen;
    std::vector<Change> changes;
    std::vector<std::string> statements;
    std::optional<size_t> mark;  // changes before it
    bool mark_first = false;     // before the store took part
  };

  uint64_t below(uint64_t bound) {
    return std::uniform_int_distribution<uint64_t>(0, bound - 1)(random_);
  }

  void plan(size_t client) {
    std::vector<Request>& requests = made_.input.clients[client].requests;
    for (uint64_t units = 1 + below(3); units > 0; --units) {
      if (below(4) == 0) {
        requests.push_back({work(), false});
        continue;
      }
      requests.push_back({below(4) == 0 ? "begin-view" : "begin", false});
      for (uint64_t steps = 1 + below(4); steps > 0; --steps) {
        const uint64_t kind = below(10);
        requests.push_back({kind == 0 ? "mark" : kind == 1 ? "back" : work(), false});
      }
      requests.push_back({below(6) == 0 ? "rollback" : "commit", false});
    }
    if (below(8) == 0) requests.pop_back();
  }

  std::string work() {
    if (below(2) == 0) return fmt::format("write {} {}", 1 + below(kKeys), below(4));
    std::string text = below(2) == 0 ? "read" : "lock";
    for (int key = 1; key <= kKeys; ++key) {
      if (below(2) > 0) text += fmt::format(" {}", key);
    }
    return text;
  }

  // False: all is over.
  bool step() {
    std::vector<size_t> able;
    bool waits = false;
    for (size_t c = 0; c < sessions_.size(); ++c) {
      const Session& session = sessions_[c];
      const bool ended = session.next == made_.input.clients[c].requests.size();
      if (ended) continue;
      const bool blocked = session.phase == Phase::kAsked && !can_go_on(c);
      waits = waits || blocked;
      if (!blocked) able.push_back(c);
    }
    ++now_;
    if (able.empty()) return waits && break_deadlock();
    const size_t client = able[below(able.size())];
    Session& session = sessions_[client];
    std::vector<Stamp>& stamps = made_.record.stamps[client];
    if (session.phase == Phase::kIdle) {
      stamps.push_back({now_, kNever});
      session.phase = Phase::kAsked;
    } else if (session.phase == Phase::kAsked) {
      if (lock_next(client)) return true;
      act(client);
      session.phase = Phase::kDone;
    } else {
      stamps.back().response = now_;
      answer(client);
    }
    return true;
  }

  void answer(size_t client) {
    Session& session = sessions_[client];
    session.reply.answered = true;
    if (session.reply.error == 0) session.reply.in_transaction = session.open;
    made_.record.outcome.outputs[client].push_back(std::move(session.reply));
    session.reply = {};
    session.phase = Phase::kIdle;
    ++session.next;
    // An end of the connection undoes what is open.
    if (session.next == made_.input.clients[client].requests.size()) end(client);
  }

  std::string text_of(size_t client) const {
    return made_.input.clients[client].requests[sessions_[client].next].text;
  }

  bool can_go_on(size_t client) const {
    const std::optional<int> key = next_key(client);
    if (!key) return true;
    for (size_t c = 0; c < sessions_.size(); ++c) {
      const bool holds = std::any_of(locks_.begin(), locks_.end(), [&](const auto& lock) {
        return lock.first == c && lock.second == *key;
      });
      if (c != client && holds) return false;
    }
    return true;
  }

  static std::vector<int> keys_of(const std::string& text) {
    std::vector<int> keys;
    for (size_t i = 5; i < text.size(); i += 2) keys.push_back(text[i] - '0');
    return keys;
  }

  // The one that it must lock before it goes on.
  std::optional<int> next_key(size_t client) const {
    const std::string text = text_of(client);
    if (text.starts_with("write")) return text[6] - '0';
    const std::vector<int> keys = keys_of(text);
    const size_t locked = sessions_[client].locked;
    return text.starts_with("lock") && locked < keys.size() ? std::optional(keys[locked])
                                                            : std::nullopt;
  }

  // False: there is no more to lock. Without a view for its transaction, nobody is kept from where
  // no row is.
  bool lock_next(size_t client) {
    const std::optional<int> key = next_key(client);
    if (!key || text_of(client).starts_with("write")) return false;
    Session& session = sessions_[client];
    if (refuses(client, *key)) return true;
    const int value = over(rows_, own_of(session))[*key];
    if (value != 0 || one_view_) locks_.emplace(client, *key);
    session.seen[*key] = value;
    ++session.locked;
    return true;
  }

  // What has changed since its snapshot is not for it to lock.
  bool refuses(size_t client, int key) {
    Session& session = sessions_[client];
    if (!snapshot_ || !session.view || changed_[key] <= *session.view) return false;
    end(client);
    session.reply.error = kChanged;
    session.phase = Phase::kDone;
    return true;
  }

  bool break_deadlock() {
    for (size_t c = 0; c < sessions_.size(); ++c) {
      if (sessions_[c].phase != Phase::kAsked) continue;
      const bool was_open = sessions_[c].open;
      end(c);
      if (!was_open) continue;
      sessions_[c].reply.error = kVictim;
      sessions_[c].phase = Phase::kDone;
      return true;
    }
    return false;
  }

  void end(size_t client) {
    std::erase_if(locks_, [&](const auto& lock) { return lock.first == client; });
    Session& session = sessions_[client];
    session.open = session.touched = session.mark_first = false;
    session.view.reset();
    session.read.reset();
    session.locking_read.reset();
    session.locked = 0;
    session.seen.clear();
    session.mark.reset();
    session.changes.clear();
    session.statements.clear();
  }

  void act(size_t client) {
    Session& session = sessions_[client];
    const std::string text = text_of(client);
    const bool alone = !session.open;
    if (text.starts_with("begin")) {
      session.open = true;
      if (text == "begin-view" && one_view_) {
        session.view = made_.states.size() - 1;
        session.touched = true;
      }
    } else if (text == "commit") {
      commit(client);
    } else if (text == "rollback") {
      end(client);
    } else if (text == "mark") {
      session.mark = session.changes.size();
      session.mark_first = !session.touched;
    } else if (text == "back") {
      back(session);
    } else if (text.starts_with("write")) {
      write(client, text[6] - '0', text[8] - '0', text);
    } else if (text.starts_with("lock")) {
      finish_lock(client, text);
    } else {
      read(client, text);
    }
    if (alone && !text.starts_with("begin")) commit(client);
  }

  void back(Session& session) {
    if (!session.mark) {
      session.reply.error = 1305;
      return;
    }
    session.changes.resize(std::min(session.changes.size(), *session.mark));
    session.read.reset();  // nothing is said of one view before and after it
    session.locking_read.reset();
    if (!session.mark_first) return;
    session.touched = false;
    session.view.reset();
  }

  static Rows own_of(const Session& session) {
    Rows own;
    for (const Change& change : session.changes) own[change.key] = change.after;
    return own;
  }

  void write(size_t client, int key, int value, const std::string& text) {
    Session& session = sessions_[client];
    if (refuses(client, key)) return;
    session.touched = true;
    locks_.emplace(client, key);
    const Rows own = own_of(session);
    const int before = over(rows_, own)[key];
    if (before == value) {
      made_.idle.push_back({{client, session.next}, {key}, own, std::nullopt, true});
      return;
    }
    session.reply.affected_rows = 1;
    session.changes.push_back({session.statements.size(), key, before, value});
    session.statements.push_back(text);
  }

  void finish_lock(size_t client, const std::string& text) {
    Session& session = sessions_[client];
    const std::vector<int> keys = keys_of(text);
    session.reply = reply_of(session.seen, Keys(keys.begin(), keys.end()));
    session.locked = 0;
    session.seen.clear();
    if (keys.empty()) return;
    session.touched = true;
    std::optional<size_t>& last = snapshot_ ? session.read : session.locking_read;
    made_.reads.push_back({{client, session.next},
                           Keys(keys.begin(), keys.end()),
                           own_of(session),
                           one_view_ ? last : std::nullopt,
                           true});
    last = made_.reads.size() - 1;
  }

  // What asks for nothing is answered without a view.
  void read(size_t client, const std::string& text) {
    Session& session = sessions_[client];
    Keys keys;
    for (size_t i = 5; i < text.size(); i += 2) keys.insert(text[i] - '0');
    session.reply = reply_of({}, keys);
    if (keys.empty()) return;
    session.touched = true;
    if (!one_view_ || !session.view) session.view = made_.states.size() - 1;
    const Rows own = own_of(session);
    session.reply = reply_of(over(made_.states[*session.view], own), keys);
    const RequestId id{client, session.next};
    made_.reads.push_back({id, keys, own, one_view_ ? session.read : std::nullopt, false});
    session.read = made_.reads.size() - 1;
  }

  void commit(size_t client) {
    Session& session = sessions_[client];
    if (!session.changes.empty()) {
      LoggedUnit unit{client, true, {}};
      std::optional<size_t> last;
      for (const Change& change : session.changes) {
        if (last != change.statement) {
          unit.statements.push_back({session.statements[change.statement], {}});
        }
        last = change.statement;
        RowChange logged;
        if (change.before != 0) logged.before = image(change.key, change.before);
        if (change.after != 0) logged.after = image(change.key, change.after);
        unit.statements.back().changes.push_back(std::move(logged));
        rows_[change.key] = change.after;
        changed_[change.key] = made_.states.size();
      }
      made_.log.units.push_back(std::move(unit));
      made_.states.push_back(rows_);
    }
    end(client);
  }

  std::mt19937_64 random_;
  bool one_view_;
  bool snapshot_;
  std::map<int, size_t> changed_;  // key -> after how many commits
  History made_;
  Rows rows_;  // as committed
  std::vector<Session> sessions_;
  std::set<std::pair<size_t, int>> locks_;  // whose, which
  uint64_t now_ = 0;
};

// Of rows alone, as a server would.
StateAnswer answer_to(const StateQuestion& question, const Rows& begin) {
  Rows rows = begin;
  const auto key_of = [](const RowImage& row) { return row.bytes[0] - '0'; };
  for (const RowImage& row : question.state.gone) rows[key_of(row)] = 0;
  for (const RowImage& row : question.state.there) rows[key_of(row)] = row.bytes[2] - '0';
  for (const RowImage& row : question.state.hidden) rows[key_of(row)] = 0;
  for (const RowImage& row : question.state.written) rows[key_of(row)] = row.bytes[2] - '0';
  const std::string& text = question.text;
  if (text.starts_with("write")) {
    Output output;
    output.answered = true;
    output.affected_rows = rows[text[6] - '0'] == text[8] - '0' ? 0 : 1;
    return {output, ""};
  }
  Keys keys;
  for (size_t i = 5; i < text.size(); i += 2) keys.insert(text[i] - '0');
  return {reply_of(rows, keys), ""};
}

ViewVerdict verdict_of(const History& made) {
  return judge_views(made.input, made.record, made.log,
                     [&](const std::vector<StateQuestion>& questions) {
                       std::vector<StateAnswer> answers;
                       for (const StateQuestion& one : questions) {
                         answers.push_back(answer_to(one, made.states.front()));
                       }
                       return answers;
                     });
}

// Ways in which a reply can be wrong. Each is tried with the least that must be flagged: false if
// the changed reply may be right in some view.
class Fault {
 public:
  Fault(History& made, uint64_t seed) : made_(made), random_(seed) {}

  bool fracture(const ReadFacts& read) {
    if (is_by_rows(read)) return false;
    Rows mixed = made_.states[below(made_.states.size())];
    const Rows& other = made_.states[below(made_.states.size())];
    for (auto& [key, value] : mixed) {
      if (below(2) == 0) value = other.at(key);
    }
    return put(read, over(mixed, read.own), 0, made_.states.size() - 1);
  }
  bool forget_own(const ReadFacts& read) {
    if (is_by_rows(read)) return false;
    return put(read, made_.states[below(made_.states.size())], 0, made_.states.size() - 1);
  }
  // A row that is nobody's.
  bool invent(const ReadFacts& read) {
    Rows rows = over(made_.states[below(made_.states.size())], read.own);
    if (read.keys.empty()) return false;
    rows[*read.keys.begin()] = 9;
    return put(read, rows, 0, made_.states.size() - 1);
  }
  // A write has found nothing to change, where there is something in every state.
  bool overlook(const ReadFacts& /*read*/) {
    if (made_.idle.empty() || !has_views()) return false;
    const ReadFacts& idle = made_.idle[below(made_.idle.size())];
    made_.input.clients[idle.request.client].requests[idle.request.request].text =
        fmt::format("write {} 9", *idle.keys.begin());
    return true;
  }
  bool read_early(const ReadFacts& read) {
    if (is_by_rows(read)) return false;
    const size_t most = prefix_before(stamp(read).response);
    if (most + 1 >= made_.states.size()) return false;
    const size_t later = most + 1 + below(made_.states.size() - most - 1);
    return put(read, over(made_.states[later], read.own), 0, most);
  }
  // Two reads of one view, of which one is changed.
  bool move_view(const ReadFacts& read) {
    if (!read.before) return false;
    const ReadFacts& before = made_.reads[*read.before];
    const Output first = reply(before);
    const Rows moved = over(made_.states[below(made_.states.size())], read.own);
    const Output second = reply_of(moved, read.keys);
    for (const Rows& state : made_.states) {
      const bool fits = reply_of(over(state, before.own), before.keys) == plain(first) &&
                        reply_of(over(state, read.own), read.keys) == second;
      if (fits) return false;
    }
    change(read, second);
    return true;
  }

 private:
  uint64_t below(uint64_t bound) {
    return std::uniform_int_distribution<uint64_t>(0, bound - 1)(random_);
  }
  bool has_views() const { return made_.input.isolation_level != kLevels[0].name; }
  bool is_by_rows(const ReadFacts& read) const { return read.locks && !has_views(); }
  const Stamp& stamp(const ReadFacts& read) const {
    return made_.record.stamps[read.request.client][read.request.request];
  }
  Output& reply(const ReadFacts& read) const {
    return made_.record.outcome.outputs[read.request.client][read.request.request];
  }
  static Output plain(Output output) {
    output.in_transaction.reset();
    return output;
  }
  void change(const ReadFacts& read, Output output) {
    output.in_transaction = reply(read).in_transaction;
    reply(read) = std::move(output);
  }
  // Units whose commit was asked for by then; the unit's own requests come one after the other.
  size_t prefix_before(uint64_t time) const {
    size_t prefix = 0;
    for (const LoggedUnit& unit : made_.log.units) {
      if (asked_for(unit, time))
        ++prefix;
      else
        break;
    }
    return prefix;
  }
  bool asked_for(const LoggedUnit& unit, uint64_t time) const {
    const auto& requests = made_.input.clients[*unit.client].requests;
    const auto& stamps = made_.record.stamps[*unit.client];
    size_t number = 0;
    for (const LoggedUnit& other : made_.log.units) {
      if (&other == &unit) break;
      if (other.client == unit.client) ++number;
    }
    // By the units of the record that have written, the last request of each.
    size_t seen = 0;
    for (const Unit& one : made_.record.units.of[*unit.client]) {
      bool wrote = false;
      for (size_t r = one.first; r <= one.last; ++r) {
        const Output& output = made_.record.outcome.outputs[*unit.client][r];
        wrote = wrote || (requests[r].text.starts_with("write") && output.affected_rows > 0);
      }
      const bool ended = requests[one.last].text == "commit" || one.first == one.last;
      if (!wrote || one.undone || !ended) continue;
      if (seen++ == number) return stamps[one.last].invocation <= time;
    }
    return false;
  }
  // Certain to be wrong if none of these prefixes gives it.
  bool put(const ReadFacts& read, const Rows& rows, size_t least, size_t most) {
    Output wrong = reply_of(rows, read.keys);
    for (size_t p = least; p <= most; ++p) {
      if (reply_of(over(made_.states[p], read.own), read.keys) == wrong) return false;
    }
    change(read, std::move(wrong));
    return true;
  }

  History& made_;
  std::mt19937_64 random_;
};

bool is_judged(const ViewVerdict& before) {
  return before.unjudged.empty() && before.judged > 0;
}

using Way = bool (Fault::*)(const ReadFacts&);

// Into the first read that can hold it, from one by the seed on: many can hold none.
bool put_somewhere(History& history, uint64_t seed, Way way) {
  const std::vector<ReadFacts> reads = history.reads;
  for (size_t i = 0; i < reads.size(); ++i) {
    if ((Fault(history, seed).*way)(reads[(seed + i) % reads.size()])) return true;
  }
  return false;
}

class StoreViews : public testing::TestWithParam<size_t> {};

TEST_P(StoreViews, AreRightAsTheStoreGivesThemAndWrongWhenChanged) {
  const std::pair<const char*, Way> ways[] = {
      {"fracture", &Fault::fracture}, {"forget own", &Fault::forget_own},
      {"early", &Fault::read_early},  {"invent", &Fault::invent},
      {"overlook", &Fault::overlook}, {"move", &Fault::move_view}};
  std::map<std::string, uint64_t> tried;
  uint64_t judged = 0;
  uint64_t unjudged = 0;
  const uint64_t all = repeated(15'000);
  for (uint64_t seed = 0; seed < all; ++seed) {
    const History made = Store(seed, kLevels[GetParam()]).run();
    const ViewVerdict right = verdict_of(made);
    ASSERT_TRUE(right.anomaly.empty()) << "seed " << seed << ": " << right.anomaly.name
                                       << testing::PrintToString(right.anomaly.lines);
    judged += right.judged;
    for (const auto& [reason, reads] : right.unjudged) unjudged += reads;
    if (!is_judged(right) || made.reads.empty()) continue;
    for (const auto& [name, way] : ways) {
      History wrong = made;
      if (!put_somewhere(wrong, seed, way)) continue;
      ++tried[name];
      ASSERT_FALSE(verdict_of(wrong).anomaly.empty()) << "seed " << seed << ": " << name;
    }
  }
  EXPECT_GT(judged, 5 * unjudged);
  for (const auto& [name, way] : ways) {
    const bool views = kLevels[GetParam()].promise != Promise::kStatementView;
    if (!views && (name == std::string("move") || name == std::string("overlook"))) continue;
    EXPECT_GT(tried[name], all / 400) << name;
  }
}

INSTANTIATE_TEST_SUITE_P(Levels, StoreViews, testing::Range<size_t>(0, std::size(kLevels)));

}  // namespace
}  // namespace esox
