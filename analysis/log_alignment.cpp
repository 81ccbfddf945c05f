// SPDX-License-Identifier: Apache-2.0
#include "analysis/log_alignment.h"

#include <algorithm>
#include <set>

namespace esox {
namespace {

enum class Fate { kCommitted, kUndone, kUnknown };

// Statements of a unit that changed rows.
using Statements = std::vector<const StatementRows*>;

class Aligner {
 public:
  Aligner(const Input& input, const ExecutionRecord& record, const RowLog& log)
      : input_(input), record_(record), log_(log), steps_(view_steps_of(input)) {}

  AlignedLog run() {
    aligned_.failure = log_.unreadable;
    aligned_.commits.assign(log_.units.size(), {});
    for (size_t i = 0; i < log_.units.size() && aligned_.failure.empty(); ++i) sort_out(i);
    for (size_t c = 0; c < steps_.size() && aligned_.failure.empty(); ++c) align_client(c);
    return std::move(aligned_);
  }

 private:
  void fail(const char* why) { aligned_.failure = why; }

  // A unit that changed no rows may be anywhere.
  void sort_out(size_t number) {
    const LoggedUnit& unit = log_.units[number];
    if (unit.only_rows && statements_of(unit).empty()) return;
    if (!unit.client || *unit.client >= steps_.size()) {
      return fail("the log does not tell whose a transaction is");
    }
    if (unit.only_rows) {
      rows_of_[*unit.client].push_back(number);
      return;
    }
    const auto& steps = steps_[*unit.client];
    for (size_t r = 0; r < steps.size() && r < record_.stamps[*unit.client].size(); ++r) {
      if (steps[r].use != ViewUse::kDefines) continue;
      aligned_.commits[number].invocation = record_.stamps[*unit.client][r].invocation;
      return;
    }
    fail("the log has more than rows");
  }

  static Statements statements_of(const LoggedUnit& unit) {
    Statements statements;
    for (const StatementRows& one : unit.statements) {
      if (!one.changes.empty()) statements.push_back(&one);
    }
    return statements;
  }

  void align_client(size_t client) {
    const std::vector<size_t>& logged = rows_of_[client];
    size_t next = 0;
    size_t unknown = 0;
    for (const Unit& unit : record_.units.of[client]) {
      const Fate fate = fate_of(client, unit);
      if (fate == Fate::kUndone || !has_written(client, unit)) continue;
      if (fate == Fate::kUnknown && ++unknown > 1) return fail("how transactions ended is unknown");
      if (next < logged.size() && take(client, unit, logged[next])) {
        ++next;
      } else if (fate == Fate::kCommitted && must_be_logged(client, unit)) {
        return fail("the log and the replies do not tell of the same writes");
      }
    }
    if (next < logged.size()) fail("the log and the replies do not tell of the same writes");
  }

  // As the replies tell it: what stays open at the end of its session is undone then.
  Fate fate_of(size_t client, const Unit& unit) const {
    const Output& last = record_.outcome.outputs[client][unit.last];
    const bool open_at_end = unit.last + 1 == record_.outcome.outputs[client].size() &&
                             last.in_transaction.value_or(false);
    if (unit.undone || has_step(client, unit, ViewUse::kAbandons)) return Fate::kUndone;
    return !last.answered || last.error != 0 || open_at_end ? Fate::kUnknown : Fate::kCommitted;
  }

  bool has_step(size_t client, const Unit& unit, ViewUse use) const {
    for (size_t r = unit.first; r <= unit.last; ++r) {
      if (steps_[client][r].use == use && record_.outcome.outputs[client][r].error == 0)
        return true;
    }
    return false;
  }

  bool may_have_written(size_t client, size_t request) const {
    const Output& reply = record_.outcome.outputs[client][request];
    const ViewStep& step = steps_[client][request];
    return wrote_rows(step, reply) || (step.use == ViewUse::kUnknown && reply.error == 0);
  }

  bool has_written(size_t client, const Unit& unit) const {
    for (size_t r = unit.first; r <= unit.last; ++r) {
      if (may_have_written(client, r)) return true;
    }
    return false;
  }

  // What was undone in part may have nothing left; nobody knows whether some requests write.
  bool must_be_logged(size_t client, const Unit& unit) const {
    if (has_step(client, unit, ViewUse::kAbandonsPart)) return false;
    for (size_t r = unit.first; r <= unit.last; ++r) {
      if (wrote_rows(steps_[client][r], record_.outcome.outputs[client][r])) return true;
    }
    return false;
  }

  // Whether this logged unit is that one; then its rows are its requests'.
  bool take(size_t client, const Unit& unit, size_t number) {
    const Statements statements = statements_of(log_.units[number]);
    const bool in_part = has_step(client, unit, ViewUse::kAbandonsPart);
    if (in_part && has_twice(client, unit)) return false;
    std::map<RequestId, LoggedWrite> found;
    for (size_t r = unit.first; r <= unit.last; ++r) {
      if (!may_have_written(client, r)) continue;
      const size_t next = found.size();
      if (next < statements.size() && is_text_of(client, r, statements[next]->text)) {
        found[{client, r}] = {statements[next], number};
      } else if (!in_part && steps_[client][r].use == ViewUse::kWrites) {
        return false;
      }
    }
    if (found.size() != statements.size()) return false;
    aligned_.writes.merge(found);
    aligned_.commits[number] = commit_of(client, unit);
    return true;
  }

  bool has_twice(size_t client, const Unit& unit) const {
    std::set<std::string> texts;
    for (size_t r = unit.first; r <= unit.last; ++r) {
      if (may_have_written(client, r) && !texts.insert(text_of(client, r)).second) return true;
    }
    return false;
  }

  // The log has it without what stands around it.
  bool is_text_of(size_t client, size_t request, std::string_view logged) const {
    constexpr std::string_view kAround = " \t\r\n;";
    std::string_view text = text_of(client, request);
    text.remove_prefix(std::min(text.find_first_not_of(kAround), text.size()));
    return text.starts_with(logged) &&
           text.find_first_not_of(kAround, logged.size()) == std::string_view::npos;
  }

  const std::string& text_of(size_t client, size_t request) const {
    return input_.clients[client].requests[request].text;
  }

  // By its last request or, where that leaves it open, before the next one.
  Stamp commit_of(size_t client, const Unit& unit) const {
    const auto& stamps = record_.stamps[client];
    Stamp commit = stamps[unit.last];
    const Output& last = record_.outcome.outputs[client][unit.last];
    const bool open = last.error != 0 || last.in_transaction.value_or(false);
    if (open)
      commit.response = unit.last + 1 < stamps.size() ? stamps[unit.last + 1].response : kNever;
    return commit;
  }

  const Input& input_;
  const ExecutionRecord& record_;
  const RowLog& log_;
  ViewSteps steps_;
  std::map<size_t, std::vector<size_t>> rows_of_;  // client -> its logged units
  AlignedLog aligned_;
};

}  // namespace

ViewSteps view_steps_of(const Input& input) {
  ViewSteps steps;
  for (const InputClient& client : input.clients) {
    auto& of_client = steps.emplace_back();
    for (const Request& request : client.requests) {
      of_client.push_back(input.language->view_step(request.text));
    }
  }
  return steps;
}

bool wrote_rows(const ViewStep& step, const Output& reply) {
  return step.use == ViewUse::kWrites && reply.answered && reply.error == 0 &&
         reply.affected_rows > 0;
}

AlignedLog align(const Input& input, const ExecutionRecord& record, const RowLog& log) {
  return Aligner(input, record, log).run();
}

}  // namespace esox
