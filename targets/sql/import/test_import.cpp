// SPDX-License-Identifier: Apache-2.0
#include "targets/sql/import/test_import.h"

#include <algorithm>
#include <utility>

#include "targets/sql/import/cut.h"
#include "targets/sql/import/logged_test.h"
#include "targets/sql/import/session_state.h"
#include "targets/sql/import/slice.h"

namespace esox {
namespace {

bool begins_before(const Candidate& candidate, size_t first_member) {
  return std::ranges::any_of(candidate.clients,
                             [&](const auto& client) { return client.front() < first_member; });
}

void keep_earliest(std::vector<Candidate>& candidates) {
  const auto last = [](const Candidate& candidate) {
    size_t number = 0;
    for (const auto& client : candidate.clients) number = std::max(number, client.back());
    return number;
  };
  std::ranges::stable_sort(
      candidates, [&](const Candidate& a, const Candidate& b) { return last(a) < last(b); });
  if (candidates.size() > kMostTooLong) candidates.resize(kMostTooLong);
}

bool is_within(const Candidate& candidate, const LoggedTest& test) {
  return std::ranges::all_of(candidate.clients, [&](const auto& client) {
    return client.back() < test.statements.size();
  });
}

}  // namespace

TestInputs inputs_of_test(const ImportSource& source, const std::string& name,
                          const LoggedTest& test, const TestFacts& facts, Selection& selection,
                          ImportCounts& counts) {
  const SessionStates states = session_states(test);
  const LoggedTransactions transactions = transactions_of(test, states, facts.server_options);
  Cut found = cut(test, states, transactions);
  const Slicer slicer(test, states, transactions);
  add_counts(counts.rejected, test.rejected);
  add_counts(counts.stages, found.counts);
  add_counts(counts.rejected, found.rejected);
  counts.stages["statements"] += test.statements.size();
  TestInputs kept;
  selection.begin_test();
  for (const Candidate& candidate : in_order(test, std::move(found.candidates))) {
    if (begins_before(candidate, facts.first_member)) continue;
    ++counts.stages[std::string("candidates: ") + name_of(candidate.form)];
    if (!selection.wants(candidate.form)) continue;
    const Slice slice = slicer.slice(candidate);
    std::string refused = slice.refused;
    if (refused.empty()) {
      Made made = make_input(source, name, test, candidate, slice, facts.server_options);
      refused = made.refused;
      if (refused.empty() && selection.keep(made.imported))
        kept.inputs.push_back(std::move(made.imported));
    }
    if (refused == kSliceTooLong) kept.too_long.push_back(candidate);
    if (!refused.empty()) ++counts.rejected[refused];
  }
  keep_earliest(kept.too_long);
  for (const ImportedInput& one : kept.inputs)
    ++counts.stages[std::string("inputs: ") + name_of(one.form)];
  return kept;
}

TestInputs import_test(const RequestLanguage& language, const CapturedTest& captured,
                       Selection& selection, ImportCounts& counts) {
  const LoggedTest test = read_logged_test(captured.requests);
  return inputs_of_test({language, kMtrSource}, captured.name, test, {0, captured.server_options},
                        selection, counts);
}

std::vector<ImportedInput> import_prefixes(const RequestLanguage& language,
                                           const CapturedTest& captured,
                                           std::vector<Candidate> candidates,
                                           const std::set<std::string>& known, Selection& selection,
                                           ImportCounts& counts) {
  const LoggedTest test = read_logged_test(captured.requests);
  // The log may have been changed since.
  std::erase_if(candidates, [&](const Candidate& one) { return !is_within(one, test); });
  const SessionStates states = session_states(test);
  const LoggedTransactions transactions = transactions_of(test, states, captured.server_options);
  const Slicer slicer(test, states, transactions);
  std::vector<ImportedInput> kept;
  selection.begin_test();
  for (const Candidate& candidate : in_order(test, std::move(candidates))) {
    if (!selection.wants(candidate.form)) continue;
    const Slice prefix = slicer.prefix(candidate);
    std::string refused = prefix.refused;
    if (refused.empty()) {
      Made made = make_input({language, kMtrSource}, captured.name, test, candidate, prefix,
                             captured.server_options);
      refused = made.refused;
      if (known.contains(made.imported.input.id)) refused = "full prefix: its slice was the same";
      if (refused.empty() && selection.keep(made.imported))
        kept.push_back(std::move(made.imported));
    }
    if (!refused.empty()) ++counts.rejected[refused];
  }
  counts.stages["inputs made again with the full prefix"] += kept.size();
  return kept;
}

}  // namespace esox
