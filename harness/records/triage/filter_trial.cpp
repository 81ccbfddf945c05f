// SPDX-License-Identifier: Apache-2.0
// See filter_trial.h.
#include "harness/records/triage/filter_trial.h"

#include <algorithm>
#include <system_error>
#include <utility>

namespace esox {
namespace {

namespace fs = std::filesystem;

std::vector<fs::path> files_below(const fs::path& folder) {
  std::vector<fs::path> files;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(folder, error)) {
    const bool hidden = entry.path().filename().string().starts_with(".");
    const fs::path file = entry.path() / "finding.yaml";
    std::error_code unknown;
    if (!hidden && fs::is_regular_file(file, unknown)) files.push_back(file);
  }
  std::sort(files.begin(), files.end());
  return files;
}

}  // namespace

std::vector<fs::path> finding_files_at(const fs::path& path) {
  std::error_code error;
  if (!fs::is_directory(path, error)) return {path};
  if (fs::is_regular_file(path / "finding.yaml", error)) return {path / "finding.yaml"};
  const fs::path findings = path / "findings";
  return files_below(fs::is_directory(findings, error) ? findings : path);
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
