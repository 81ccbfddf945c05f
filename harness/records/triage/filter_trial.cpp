// SPDX-License-Identifier: Apache-2.0
#include "harness/records/triage/filter_trial.h"

#include <utility>

#include "base/process/paths.h"

namespace esox {

namespace fs = std::filesystem;

std::vector<fs::path> finding_files_below(const fs::path& folder) {
  std::vector<fs::path> files;
  for (const fs::path& one : entries_of(folder)) {
    const bool hidden = one.filename().string().starts_with(".");
    if (!hidden && is_file(one / "finding.yaml")) files.push_back(one / "finding.yaml");
  }
  return files;
}

std::vector<fs::path> finding_files_at(const fs::path& path) {
  if (!is_folder(path)) return {path};
  if (is_file(path / "finding.yaml")) return {path / "finding.yaml"};
  const fs::path findings = path / "findings";
  return finding_files_below(is_folder(findings) ? findings : path);
}

TriedFinding try_rules(Finding finding, const std::shared_ptr<const RuleSet>& rules) {
  TriedFinding tried;
  tried.finding = std::move(finding);
  const Finding& one = tried.finding;
  if (one.ending != EndingKind::kFinished) return tried;
  if (one.stamps.empty()) {
    tried.fate = TrialFate::kUnknown;
    tried.why = "it does not say which requests overlapped; hunt again with this esox";
    return tried;
  }
  const RulesInForce in_force(
      rules, circumstances_of(one.input, {one.server.version, one.server.options}));
  const ExecutionRecord record = record_of(one);
  const Forgiveness forgiveness(in_force, record.stamps);
  const std::vector<SerialRun> runs = serial_runs_of(one);
  const Verdict verdict = judge(record, runs, one.masks, Orders::kAsGiven, forgiveness);
  tried.forgiven = verdict.forgiven;
  if (verdict.verdict == VerdictClass::kNone) tried.fate = TrialFate::kHidden;
  if (verdict.verdict != VerdictClass::kDegraded) return tried;
  tried.fate = TrialFate::kUnknown;
  tried.why = verdict.degraded_reasons.front();
  return tried;
}

}  // namespace esox
