// SPDX-License-Identifier: Apache-2.0
#include "analysis/statement_views.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <optional>
#include <set>
#include <utility>

#include "analysis/finding.h"
#include "analysis/log_alignment.h"
#include "analysis/rows.h"
#include "inputs/isolation_level.h"

namespace esox {
namespace {

// Of a log: units, each of which makes a state, and changes of rows, which all of these may have.
constexpr size_t kMostUnits = 64;
constexpr size_t kMostChanges = 1'000;
constexpr size_t kRowsShown = 4;

using Prefixes = std::set<size_t>;

// A read, with what its transaction wrote before.
struct ViewRead {
  RequestId request;
  bool locks = false;
  RowState own;                      // hidden and written only
  std::map<size_t, Output> answers;  // by prefix
};

// Reads that must all be of one prefix.
struct View {
  Stamp opened;          // it is opened in between, or by one of the reads
  bool taken = false;    // between these stamps for certain
  bool held = false;     // of locks, not of a view
  bool by_rows = false;  // of a moment for each row
  std::vector<ViewRead> reads;
  size_t least = 0;  // prefixes that real time leaves
  size_t most = 0;
  Prefixes fitting;  // that give all replies
};

void note_change(RowState& state, const RowChange& change) {
  if (change.before && state.there.erase(*change.before) == 0) state.gone.insert(*change.before);
  if (change.after && state.gone.erase(*change.after) == 0) state.there.insert(*change.after);
}

void note_own_change(RowState& own, const RowChange& change) {
  if (change.before) {
    own.hidden.insert(*change.before);
    own.written.erase(*change.before);
  }
  if (change.after) {
    own.hidden.insert(*change.after);
    own.written.insert(*change.after);
  }
}

bool same_reply(const Output& reply, const Output& other) {
  if (reply.results.empty() && other.results.empty()) {
    return reply.affected_rows == other.affected_rows;
  }
  return std::ranges::equal(
      reply.results, other.results, [](const ResultSet& a, const ResultSet& b) {
        return a.columns.size() == b.columns.size() && same_rows(a.rows, b.rows, /*ordered=*/false);
      });
}

const std::vector<Row>& rows_of(const Output& output) {
  static const std::vector<Row> kNone;
  return output.results.empty() ? kNone : output.results[0].rows;
}

std::string rows_text(const Output& output) {
  if (output.results.empty()) return fmt::format("what it changed: {} rows", output.affected_rows);
  const std::vector<Row>& rows = rows_of(output);
  if (rows.empty()) return "no row";
  std::string text;
  for (size_t i = 0; i < rows.size() && i < kRowsShown; ++i) {
    text += fmt::format("{}({})", i == 0 ? "" : " ", row_text(rows[i]));
  }
  if (rows.size() > kRowsShown) text += fmt::format(" and {} more", rows.size() - kRowsShown);
  return text;
}

size_t changes_in(const RowLog& log) {
  size_t changes = 0;
  for (const LoggedUnit& unit : log.units) {
    for (const StatementRows& statement : unit.statements) changes += statement.changes.size();
  }
  return changes;
}

class ViewJudge {
 public:
  ViewJudge(const Input& input, const ExecutionRecord& record, const RowLog& log,
            const AnswerQuestions& answer, const Masks& masks)
      : input_(input),
        record_(record),
        masks_(masks),
        answer_(answer),
        steps_(view_steps_of(input)),
        log_(align(input, record, log)),
        promise_(isolation_level_of(input)->promise),
        one_view_(promise_ != Promise::kStatementView),
        names_(client_names(input)) {
    if (log.units.size() > kMostUnits || changes_in(log) > kMostChanges) {
      log_.failure = "a long log";
    }
    states_.resize(1);
    for (size_t i = 0; i < log.units.size() && log_.failure.empty(); ++i) {
      states_.push_back(states_.back());
      for (const StatementRows& statement : log.units[i].statements) {
        for (const RowChange& change : statement.changes) note_change(states_.back(), change);
      }
    }
  }

  ViewVerdict run() {
    for (size_t c = 0; c < record_.units.of.size(); ++c) {
      for (const Unit& unit : record_.units.of[c]) add_views(c, unit);
    }
    ask();
    for (const auto& [read, why] : reasons_) {
      ++(why.empty() ? verdict_.judged : verdict_.unjudged[why]);
    }
    for (View& view : views_) {
      if (!fit(view)) return std::move(verdict_);
    }
    keep_order();
    return std::move(verdict_);
  }

 private:
  const Output& reply_to(const RequestId& id) const {
    return record_.outcome.outputs[id.client][id.request];
  }
  const Stamp& stamp_of(const RequestId& id) const { return record_.stamps[id.client][id.request]; }
  std::string name_of(const RequestId& id) const {
    return request_name(id.client, id.request, names_);
  }

  // How many units the log must have had when a view was opened after this, before that.
  size_t least_prefix(uint64_t after) const {
    size_t least = 0;
    for (size_t i = 0; i < log_.commits.size(); ++i) {
      if (log_.commits[i].response < after) least = i + 1;
    }
    return least;
  }
  size_t most_prefix(uint64_t before) const {
    for (size_t i = 0; i < log_.commits.size(); ++i) {
      if (log_.commits[i].invocation > before) return i;
    }
    return log_.commits.size();
  }

  void add_views(size_t client, const Unit& unit) {
    View view;
    View held;
    std::optional<uint64_t> begun;  // by what may have opened the transaction's view
    for (size_t r = unit.first; r <= unit.last && r < steps_[client].size(); ++r) {
      const RequestId id{client, r};
      const ViewUse use = steps_[client][r].use;
      const bool locks = steps_[client][r].locks;
      const bool took = one_view_ && use == ViewUse::kTakesView && reply_to(id).error == 0;
      if (!begun && (took || use != ViewUse::kNone)) begun = stamp_of(id).invocation;
      if (took) {
        view.taken = true;
        view.opened = stamp_of(id);
      }
      // With its view, if nothing was read before the mark; or, by an error of another request,
      // perhaps with all of it (innodb_rollback_on_timeout).
      const bool failed = reply_to(id).error != 0;
      if (failed != (use == ViewUse::kAbandonsPart)) {
        keep(std::exchange(view, {}));
        keep(std::exchange(held, {}));
      }
      if (use != ViewUse::kReads && !locks) continue;
      if (!(reasons_[id] = reason_not_to_judge(unit, id)).empty()) continue;
      const ViewRead read{id, locks, own_rows(unit, id), {}};
      if (locks) {
        keep_locking(read);
        if (!one_view_) continue;
        held.taken = held.held = true;
        held.opened = stamp_of(id);
        held.reads.push_back(read);
        if (promise_ != Promise::kSnapshot) continue;
      }
      if (!view.taken) view.opened = {one_view_ ? begun.value_or(0) : stamp_of(id).invocation, 0};
      view.reads.push_back(read);
      if (!one_view_) keep(std::exchange(view, {}));
    }
    keep(std::move(held));
    keep(std::move(view));
  }

  // On its own: of a moment while it was answered, if it kept others out of all that it had read.
  void keep_locking(const ViewRead& read) {
    View own{.opened = stamp_of(read.request), .taken = true, .held = true, .reads = {read}};
    bound(own);
    if (!one_view_ && own.least < own.most) {
      own.by_rows = steps_[read.request.client][read.request.request].by_rows;
      if (!own.by_rows) {
        reasons_[read.request] = "rows that are locked one by one, with a commit in between";
        return;
      }
    }
    views_.push_back(std::move(own));
  }

  void keep(View view) {
    if (view.reads.size() < (view.held ? 2 : 1)) return;
    bound(view);
    views_.push_back(std::move(view));
  }

  // A write has read what was there before its own transaction's commit.
  void bound(View& view) const {
    const RequestId& last = view.reads.back().request;
    view.least = least_prefix(view.opened.invocation);
    view.most = most_prefix(view.taken ? view.opened.response : stamp_of(last).response);
    const auto logged = log_.writes.find(last);
    if (logged != log_.writes.end()) view.most = std::min(view.most, logged->second.unit);
  }

  // What its session sees then follows from more than rows. Another one's setup that does no more
  // than begin and set what is its own tells others nothing.
  bool is_set_up(size_t reader) const {
    const RequestLanguage& language = *input_.language;
    const auto alone = [&](const std::string& text) {
      return language.leaves_views_alone(text, false);
    };
    const auto tells_nothing = [&](const std::string& text) {
      return language.only_begins_or_marks(text) || language.leaves_views_alone(text, true) ||
             language.view_step(text).use == ViewUse::kTakesView;
    };
    return !std::ranges::all_of(input_.clients[reader].setup, alone) ||
           !std::ranges::all_of(input_.clients, [&](const InputClient& client) {
             return std::ranges::all_of(client.setup, tells_nothing);
           });
  }

  std::string reason_not_to_judge(const Unit& unit, const RequestId& id) const {
    const std::string_view by_text = steps_[id.client][id.request].unjudged;
    if (!by_text.empty()) return std::string(by_text);
    if (reply_to(id).error != 0 || !reply_to(id).answered) return "an error";
    if (!log_.failure.empty()) return log_.failure;
    if (is_set_up(id.client)) return "a session with a setup";
    if (varies(id)) return "a reply that is not the same twice";
    for (size_t r = 0; r < id.request; ++r) {
      if (steps_[id.client][r].use == ViewUse::kUnknown)
        return "a request before whose effect is unknown";
    }
    if (definition_before(stamp_of(id).response)) return "a definition beside or before it";
    return has_unlogged_rows(unit, id) ? "own rows that were undone later" : "";
  }

  bool varies(const RequestId& id) const {
    return std::ranges::any_of(masks_.outputs, [&](const auto& one) {
      return one.first.client == id.client && one.first.request == id.request;
    });
  }

  bool definition_before(uint64_t end) const {
    for (size_t c = 0; c < steps_.size(); ++c) {
      for (size_t r = 0; r < record_.stamps[c].size(); ++r) {
        const bool defines = steps_[c][r].use == ViewUse::kDefines;
        if (defines && record_.stamps[c][r].invocation <= end) return true;
      }
    }
    return false;
  }

  // Rows written before it that are neither in the log nor known to have been undone by then: what
  // is not in the log of a transaction that is there was undone in part, before or after.
  bool has_unlogged_rows(const Unit& unit, const RequestId& id) const {
    bool unlogged = false;
    bool in_log = false;
    bool undoes_later = false;
    for (size_t r = unit.first; r <= unit.last; ++r) {
      const RequestId one{id.client, r};
      const ViewStep& step = steps_[one.client][r];
      const bool logged = log_.writes.contains(one);
      in_log = in_log || logged;
      if (r > id.request && step.use == ViewUse::kAbandonsPart) undoes_later = true;
      if (r < id.request && wrote_rows(step, reply_to(one)) && !logged) unlogged = true;
    }
    return unlogged && (undoes_later || !in_log);
  }

  RowState own_rows(const Unit& unit, const RequestId& id) const {
    RowState own;
    for (size_t r = unit.first; r < id.request; ++r) {
      const auto logged = log_.writes.find({id.client, r});
      if (logged == log_.writes.end()) continue;
      for (const RowChange& change : logged->second.statement->changes)
        note_own_change(own, change);
    }
    return own;
  }

  StateQuestion question(const ViewRead& read, size_t prefix) const {
    RowState state = read.own;
    state.gone = states_[prefix].gone;
    state.there = states_[prefix].there;
    const auto& requests = input_.clients[read.request.client].requests;
    return {read.request.client, requests[read.request.request].text, std::move(state)};
  }

  // A read of which some state gives no answer is left out.
  void ask() {
    std::vector<StateQuestion> questions;
    for (const View& view : views_) {
      for (const ViewRead& read : view.reads) {
        for (size_t p = view.least; p <= view.most; ++p) questions.push_back(question(read, p));
      }
    }
    if (questions.empty()) return;
    const std::vector<StateAnswer> answers = answer_(questions);
    auto next = answers.begin();
    for (View& view : views_) {
      std::vector<ViewRead> judged;
      for (ViewRead& read : view.reads) {
        std::string why;
        for (size_t p = view.least; p <= view.most; ++p, ++next) {
          if (why.empty()) why = next->unjudged;
          read.answers.emplace(p, next->output);
        }
        if (why.empty()) judged.push_back(read);
        if (!why.empty()) reasons_[read.request] = std::move(why);
      }
      view.reads = std::move(judged);
    }
  }

  // Which no view can answer but an open one; what locks needs none.
  static bool is_sensitive(const ViewRead& read) {
    if (read.locks) return false;
    const Output& first = read.answers.begin()->second;
    return std::ranges::any_of(read.answers,
                               [&](const auto& one) { return !same_reply(first, one.second); });
  }

  bool rows_fit(const ViewRead& read) const {
    return std::ranges::all_of(rows_of(reply_to(read.request)), [&](const Row& row) {
      return std::ranges::any_of(read.answers, [&](const auto& one) {
        return std::ranges::find(rows_of(one.second), row) != rows_of(one.second).end();
      });
    });
  }

  Prefixes fitting_of(const ViewRead& read) const {
    Prefixes fitting;
    for (const auto& [prefix, answer] : read.answers) {
      if (same_reply(reply_to(read.request), answer)) fitting.insert(prefix);
    }
    return fitting;
  }

  // By the first read that cannot do without it, the view is open.
  void narrow(View& view) const {
    if (view.taken) return;
    const auto opener = std::ranges::find_if(view.reads, is_sensitive);
    if (opener == view.reads.end()) return;
    view.opened.response = stamp_of(opener->request).response;
    view.most = std::min(view.most, most_prefix(view.opened.response));
    for (ViewRead& read : view.reads) {
      std::erase_if(read.answers, [&](const auto& one) { return one.first > view.most; });
    }
  }

  // False: there is an anomaly.
  bool fit(View& view) {
    if (view.reads.empty()) return true;
    if (!view.taken) view.opened.response = stamp_of(view.reads.back().request).response;
    // The log puts what was committed before behind what was not asked for yet.
    if (view.least > view.most) return blame_log(view);
    narrow(view);
    if (view.least > view.most) return blame_log(view);
    for (size_t p = view.least; p <= view.most; ++p) view.fitting.insert(p);
    if (view.by_rows) return rows_fit(view.reads[0]) || blame_read(view, view.reads[0]);
    for (const ViewRead& read : view.reads) {
      const Prefixes fitting = fitting_of(read);
      if (fitting.empty()) {
        return read.locks && view.reads.size() > 1 ? blame_view(view) : blame_read(view, read);
      }
      std::erase_if(view.fitting, [&](size_t p) { return !fitting.contains(p); });
    }
    return !view.fitting.empty() || blame_view(view);
  }

  // Views in the order in which they can have been opened, each of the least prefix it can be of.
  void keep_order() {
    std::ranges::sort(views_, [](const View& a, const View& b) {
      return a.opened.invocation < b.opened.invocation;
    });
    std::vector<std::pair<const View*, size_t>> placed;
    for (const View& view : views_) {
      if (view.reads.empty()) continue;
      size_t least = 0;
      const View* before = nullptr;
      for (const auto& [other, prefix] : placed) {
        if (other->opened.response >= view.opened.invocation || prefix < least) continue;
        least = prefix;
        before = other;
      }
      const auto found = view.fitting.lower_bound(least);
      if (found == view.fitting.end()) {
        blame_order(view, *before);
        return;
      }
      placed.emplace_back(&view, *found);
    }
  }

  // -- What is wrong, in words.

  void add_line(std::string text) { verdict_.anomaly.lines.push_back(std::move(text)); }
  bool blame(const char* name) {
    verdict_.anomaly.name = name;
    verdict_.anomaly.forbidden = true;
    return false;
  }
  std::string seen_text(const ViewRead& read) const {
    return fmt::format("view: {} read {}", name_of(read.request),
                       rows_text(reply_to(read.request)));
  }
  static std::string prefixes_text(const Prefixes& prefixes) {
    return fmt::format("{}", fmt::join(prefixes, " or "));
  }
  static std::string interval_text(const View& view) {
    return view.least == view.most ? fmt::format("{}", view.least)
                                   : fmt::format("{} to {}", view.least, view.most);
  }

  bool blame_log(const View& view) {
    add_line(seen_text(view.reads.front()) +
             ", and the log has a transaction that was answered before it behind one that was "
             "asked for after it");
    return blame("stale-read");
  }

  // Those outside the interval, too, which are asked for only now.
  Prefixes all_fitting(const ViewRead& read) const {
    std::vector<StateQuestion> questions;
    for (size_t p = 0; p < states_.size(); ++p) questions.push_back(question(read, p));
    const std::vector<StateAnswer> answers = answer_(questions);
    Prefixes fitting;
    for (size_t p = 0; p < answers.size(); ++p) {
      const bool fits =
          answers[p].unjudged.empty() && same_reply(reply_to(read.request), answers[p].output);
      if (fits) fitting.insert(p);
    }
    return fitting;
  }

  bool blame_read(const View& view, const ViewRead& read) {
    const Prefixes fitting = all_fitting(read);
    const char* name = "fractured-read";
    if (!fitting.empty()) name = *fitting.rbegin() < view.least ? "stale-read" : "early-read";
    add_line(fmt::format("{}, {}; real time leaves {} of {} commits", seen_text(read),
                         fitting.empty()
                             ? std::string("which no prefix of the commits gives")
                             : fmt::format("as after {} commits", prefixes_text(fitting)),
                         interval_text(view), states_.size() - 1));
    add_nearest(read);
    add_commits();
    return blame(name);
  }

  // Two prefixes beside each other, the most like the reply.
  void add_nearest(const ViewRead& read) {
    size_t nearest = read.answers.begin()->first;
    size_t most_alike = 0;
    for (const auto& [prefix, answer] : read.answers) {
      const auto difference = multiset_difference(rows_of(answer), rows_of(reply_to(read.request)));
      const size_t alike = rows_of(answer).size() - difference.missing.size();
      if (alike > most_alike) {
        nearest = prefix;
        most_alike = alike;
      }
    }
    for (const size_t prefix : {nearest, nearest + 1}) {
      const auto answer = read.answers.find(prefix);
      if (answer == read.answers.end()) continue;
      add_line(fmt::format("after {} commits it would be {}", prefix, rows_text(answer->second)));
    }
  }

  void add_commits() {
    std::map<size_t, std::set<std::string>> writers;
    for (const auto& [request, write] : log_.writes) writers[write.unit].insert(name_of(request));
    std::string text;
    for (const auto& [unit, requests] : writers) {
      text += fmt::format("{}{}. {}", text.empty() ? "" : ", ", unit + 1, fmt::join(requests, " "));
    }
    if (!text.empty()) add_line("commits, by what they wrote: " + text);
  }

  bool blame_view(const View& view) {
    for (const ViewRead& read : view.reads) {
      add_line(fmt::format("{}, as after {} commits", seen_text(read),
                           prefixes_text(all_fitting(read))));
    }
    add_commits();
    return blame(view.held ? "changed-under-lock" : "moving-view");
  }

  void blame_order(const View& view, const View& before) {
    for (const View* one : {&before, &view}) {
      for (const ViewRead& read : one->reads) {
        add_line(fmt::format("{}, as after {} commits{}", seen_text(read),
                             prefixes_text(one->fitting), one == &view ? ", later" : ""));
      }
    }
    add_commits();
    blame("stale-read");
  }

  const Input& input_;
  const ExecutionRecord& record_;
  const Masks& masks_;
  const AnswerQuestions& answer_;
  ViewSteps steps_;
  AlignedLog log_;
  Promise promise_;
  bool one_view_;  // of a transaction
  std::vector<std::string> names_;
  std::vector<RowState> states_;  // by prefix
  std::vector<View> views_;
  std::map<RequestId, std::string> reasons_;  // why a read is not judged; empty: it is
  ViewVerdict verdict_;
};

}  // namespace

bool judges_views(const Input& input) {
  const IsolationLevel* level = isolation_level_of(input);
  return level != nullptr &&
         (level->promise == Promise::kStatementView ||
          level->promise == Promise::kTransactionView || level->promise == Promise::kSnapshot);
}

ViewVerdict judge_views(const Input& input, const ExecutionRecord& record, const RowLog& log,
                        const AnswerQuestions& answer, const Masks& masks) {
  return ViewJudge(input, record, log, answer, masks).run();
}

}  // namespace esox
