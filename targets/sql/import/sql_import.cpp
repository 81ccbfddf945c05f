// SPDX-License-Identifier: Apache-2.0
#include "targets/sql/import/sql_import.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/text/input_error.h"
#include "inputs/limits.h"
#include "targets/sql/import/cut.h"
#include "targets/sql/import/fitness.h"
#include "targets/sql/import/make_input.h"
#include "targets/sql/import/session_pair.h"
#include "targets/sql/import/session_state.h"
#include "targets/sql/import/test_import.h"

namespace esox {
namespace {

constexpr const char* kSource = "sql";

// Sessions that go on at the same time.
class SessionsImport {
 public:
  SessionsImport(const RequestLanguage& language, const std::vector<SqlSession>& sessions,
                 std::vector<std::string> names, Selection& selection, FilesImport& result)
      : language_(language),
        sessions_(sessions),
        names_(std::move(names)),
        told_(script_test(sessions)),
        states_(session_states(told_.test)),
        selection_(selection),
        result_(result) {
    for (size_t i = told_.first_setup_part; i < told_.test.statements.size(); ++i) {
      settings_ = settings_ || is_of_session(at(i));
    }
  }

  void run() {
    result_.counts.stages["statements"] += told_.test.statements.size();
    judge();
    whole();
    for (size_t i = 0; i < sessions_.size(); ++i) {
      for (size_t j = i + 1; j < sessions_.size(); ++j) pairs(i, j);
    }
  }

 private:
  const LoggedStatement& at(size_t i) const { return told_.test.statements[i]; }

  void judge() {
    fit_.resize(told_.test.statements.size());
    rolled_back_.resize(fit_.size());
    for (const auto& requests : told_.requests) {
      for (const size_t i : requests) {
        const std::string reason = unfit_for_request(at(i));
        fit_[i] = reason.empty();
        if (!fit_[i]) ++result_.counts.rejected["statement: " + reason];
      }
    }
    // A ROLLBACK TO undoes a part of a transaction, which stays in.
    const LoggedTransactions transactions = transactions_of(told_.test, states_);
    for (size_t i = 0; i < fit_.size(); ++i) {
      rolled_back_[i] = transactions.fates[i] == Fate::kUndone;
    }
  }

  // All sessions as they are.
  void whole() {
    Candidate candidate;
    candidate.form = Candidate::Form::kSessions;
    for (const auto& requests : told_.requests) {
      std::vector<size_t> fit;
      std::ranges::copy_if(requests, std::back_inserter(fit), [&](size_t i) { return fit_[i]; });
      if (!fit.empty()) candidate.clients.push_back(std::move(fit));
    }
    selection_.begin_test();
    ++result_.counts.stages["candidates: sessions"];
    const Slice slice = whole_setup(candidate);
    keep("sessions", told_.test, candidate, slice, candidate);
  }

  // Every statement of the setup parts; and each client's own session state once more.
  Slice whole_setup(const Candidate& candidate) const {
    Slice slice;
    slice.refused = whole_complaint(candidate, told_.first_request);
    if (!slice.refused.empty()) return slice;
    for (size_t i = 0; i < told_.first_request; ++i) {
      const std::string reason = unfit_for_setup(at(i));
      if (!reason.empty()) slice.refused = "whole sessions: setup: " + reason;
      slice.setup.push_back(i);
    }
    for (const auto& client : candidate.clients) {
      slice.clients.push_back(own_settings(at(client.front()).connection));
    }
    return slice;
  }

  // Of what came before the requests.
  std::vector<size_t> own_settings(uint64_t connection) const {
    std::vector<size_t> own;
    for (size_t i = 0; i < told_.first_request; ++i) {
      const bool for_it = i < told_.first_setup_part || at(i).connection == connection;
      if (for_it && is_of_session(at(i))) own.push_back(i);
    }
    return own;
  }

  void pairs(size_t left, size_t right) {
    const SessionPair both(told_, rolled_back_, settings_, left, right);
    selection_.begin_test();
    size_t tries = 0;
    for (const Candidate& candidate : in_order(told_.test, candidates(left, right))) {
      ++result_.counts.stages["candidates: pair"];
      if (!selection_.wants(Candidate::Form::kPair)) continue;
      if (tries++ >= kMostPairTries) {
        ++result_.counts.rejected["pair: not made, enough of the two files were tried"];
        continue;
      }
      const size_t a = candidate.clients[0].front();
      const size_t b = candidate.clients[1].front();
      const Candidate again = both.again(a, b);
      keep(names_[left] + "--" + names_[right], both.test(), again, both.slice(again), candidate);
    }
  }

  std::vector<Candidate> candidates(size_t left, size_t right) {
    std::vector<Candidate> found;
    for (const size_t a : told_.requests[left]) {
      if (!stands_alone(a)) continue;
      for (const size_t b : told_.requests[right]) {
        ++result_.counts.stages["pairs looked at"];
        if (!conflict(at(a).accesses, at(b).accesses) || !stands_alone(b)) continue;
        found.push_back({Candidate::Form::kPair, {{a}, {b}}});
      }
    }
    return found;
  }

  bool stands_alone(size_t i) const {
    if (!fit_[i] || !unfit_alone(at(i)).empty()) return false;
    if (!states_.before[i].closed() || !states_.after[i].closed()) return false;
    return std::none_of(at(i).accesses.begin(), at(i).accesses.end(), [&](const Access& one) {
      return states_.before[i].temporary_tables.contains(one.object) ||
             states_.after[i].temporary_tables.contains(one.object);
    });
  }

  // `told`: the same candidate by the numbers of what was told.
  void keep(const std::string& name, const LoggedTest& test, const Candidate& candidate,
            const Slice& slice, const Candidate& told) {
    std::string refused = slice.refused;
    if (refused.empty()) {
      Made made = make_input({language_, kSource}, name, test, candidate, slice, {});
      refused = made.refused;
      made.imported.input.title = title_of(told);
      if (refused.empty() && selection_.keep(made.imported)) {
        ++result_.counts.stages[std::string("inputs: ") + name_of(candidate.form)];
        result_.inputs.push_back(std::move(made.imported));
      }
    }
    if (!refused.empty()) ++result_.counts.rejected[refused];
  }

  std::string title_of(const Candidate& told) const {
    return lines_title(
        told, [&](size_t i) { return names_[at(i).connection]; },
        [&](size_t i) { return told_.lines[i]; });
  }

  const RequestLanguage& language_;
  const std::vector<SqlSession>& sessions_;
  std::vector<std::string> names_;
  ScriptTest told_;
  SessionStates states_;
  Selection& selection_;
  FilesImport& result_;
  std::vector<bool> fit_;
  std::vector<bool> rolled_back_;
  bool settings_ = false;  // some session makes settings of its own
};

// "shop, lines 17 | 18 19".
std::string title_of(const std::string& name, const ImportedInput& imported,
                     const std::vector<int>& lines) {
  std::string title = name + ", lines";
  auto number = imported.statements.begin();
  for (const InputClient& client : imported.input.clients) {
    if (number != imported.statements.begin()) title += " |";
    for (size_t i = 0; i < client.requests.size(); ++i) {
      title += fmt::format(" {}", lines[*number++ - 1]);
    }
  }
  return title.substr(0, kMaxTitleBytes);
}

// What one session did, cut as a suite's test is.
void import_one(const RequestLanguage& language, const std::vector<SqlSession>& sessions,
                const std::string& name, Selection& selection, FilesImport& result) {
  ScriptTest told = script_test(sessions);
  for (LoggedStatement& statement : told.test.statements) statement.connection = 0;
  const TestFacts facts{told.first_request, {}};
  result.inputs =
      inputs_of_test({language, kSource}, name, told.test, facts, selection, result.counts).inputs;
  for (ImportedInput& one : result.inputs) one.input.title = title_of(name, one, told.lines);
}

std::vector<SqlSession> read_sessions(const std::vector<ImportFile>& files, FilesImport& result) {
  std::vector<SqlSession> sessions;
  for (const ImportFile& file : files) {
    SqlSession session{file.path, read_sql_script(file.text, file.path), file.setup_only};
    for (const auto& [reason, number] : session.script.left_out) {
      result.counts.rejected["line: " + reason] += number;
    }
    sessions.push_back(std::move(session));
  }
  return sessions;
}

size_t requests_of(const SqlSession& session) {
  if (session.setup_only) return 0;
  return static_cast<size_t>(
      std::ranges::count(session.script.requests, FilePart::kRequests, &ScriptRequest::part));
}

}  // namespace

FilesImport import_sql(const std::vector<ImportFile>& files, SelectionLimits limits,
                       const RequestLanguage& language) {
  FilesImport result;
  check_number_of_files(files.size());
  const std::vector<SqlSession> sessions = read_sessions(files, result);
  FileNames file_names;
  std::vector<std::string> names;
  std::vector<std::string> paths;
  for (const SqlSession& one : sessions) {
    paths.push_back(one.file);
    names.push_back(file_names.name_for(one.file));
  }
  Selection selection(limits);
  std::vector<size_t> requests;
  for (const SqlSession& one : sessions) requests.push_back(requests_of(one));
  if (check_sessions(requests, paths) > 1) {
    SessionsImport(language, sessions, names, selection, result).run();
  } else {
    const auto only =
        std::ranges::find_if(sessions, [](const SqlSession& one) { return requests_of(one) > 0; });
    import_one(language, sessions, names[static_cast<size_t>(only - sessions.begin())], selection,
               result);
  }
  add_counts(result.counts.rejected, selection.left_out());
  return result;
}

}  // namespace esox
