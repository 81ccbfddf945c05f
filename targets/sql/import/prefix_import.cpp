// SPDX-License-Identifier: Apache-2.0
// See prefix_import.h.
#include "targets/sql/import/prefix_import.h"

#include <algorithm>
#include <utility>

#include "targets/sql/import/cut.h"
#include "targets/sql/import/logged_test.h"
#include "targets/sql/import/prefix.h"
#include "targets/sql/import/session_state.h"

namespace esox {
namespace {

bool is_within(const Candidate& candidate, const LoggedTest& test) {
  return std::all_of(candidate.clients.begin(), candidate.clients.end(),
                     [&](const auto& client) { return client.back() < test.statements.size(); });
}

}  // namespace

std::vector<ImportedInput> import_prefixes(const RequestLanguage& language,
                                           const CapturedTest& captured,
                                           std::vector<Candidate> candidates,
                                           const std::set<std::string>& known, Selection& selection,
                                           ImportCounts& counts) {
  const LoggedTest test = read_logged_test(captured.general_log, captured.audit_log);
  // The logs may have been changed since.
  std::erase_if(candidates, [&](const Candidate& one) { return !is_within(one, test); });
  const SessionStates states = session_states(test);
  const Prefixes prefixes(test, states);
  std::vector<ImportedInput> kept;
  selection.begin_test();
  for (const Candidate& candidate : in_order(test, std::move(candidates))) {
    if (!selection.wants(candidate.form)) continue;
    const Slice prefix = prefixes.prefix(candidate);
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
