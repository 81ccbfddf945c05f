// SPDX-License-Identifier: Apache-2.0
#include "harness/findings/reproduce/hunt_reproducers.h"

#include <fmt/format.h>

#include "base/process/paths.h"
#include "harness/findings/reproduce/play_reproducer.h"
#include "harness/findings/reproduce/reproducer.h"
#include "harness/hunt/pinning.h"
#include "harness/records/control_record.h"
#include "harness/records/finding_file.h"

namespace esox {
namespace {

using std::chrono::milliseconds;

// Of one finding: less is not worth beginning, more it is not given. Half is for its executions.
constexpr milliseconds kLeastTime{30'000};
constexpr milliseconds kMostTime{120'000};
constexpr milliseconds kLastRounds{8'000};  // and what comes before the first trial

HoldMaterial material_for(const Finding& finding, milliseconds budget, const AfterHunt& work) {
  const CorePin pin(0, 1);
  ExplorationSettings settings = work.exploration;
  settings.strategy_text = finding.strategy;
  settings.clock_base_ns = static_cast<int64_t>(finding.clock_base_ns);
  settings.background = had_contexts(finding.control) ? Background::kOn : Background::kOff;
  const std::unique_ptr<Executor> executor = work.executors({});
  Exploration exploration(finding.input, settings);
  exploration.add_known_masks(finding.masks);
  exploration.prepare(*executor);
  Trials trials(*executor, exploration, finding, {budget, DiagnosisLimits{}.executions}, work.stop);
  return hold_material(trials, exploration, finding, work.executors);
}

void reproduce_one(const std::filesystem::path& folder, const FindingServer& server,
                   milliseconds budget, const AfterHunt& work) {
  const std::filesystem::path small = folder / "minimised.yaml";
  const std::filesystem::path whole = folder / "finding.yaml";
  const Finding finding = read_finding(is_there(small) ? small : whole);
  const HoldMaterial material = material_for(finding, budget / 2, work);
  if (!material.came || work.stop.load()) return;
  const HoldLimits limits{budget / 2 - kLastRounds, rounds_wanted(finding)};
  write_reproducer(whole, reproduce(material, finding, server, limits, work.stop));
}

}  // namespace

void reproduce_findings(HuntReport& report, const FindingServer& server, const AfterHunt& work) {
  const auto end = std::chrono::steady_clock::now() + work.budget;
  const std::vector<FamilyMembers> families = families_of(report.findings);
  for (auto family = families.rbegin(); family != families.rend(); ++family) {
    HuntFinding& finding = report.findings[family->front()];
    const std::filesystem::path& folder = finding.folder;
    if (folder.empty()) continue;
    const auto left =
        std::chrono::duration_cast<milliseconds>(end - std::chrono::steady_clock::now());
    if (!read_reproducer_record(folder) && left >= kLeastTime && !work.stop.load()) {
      work.say(fmt::format("looking for a way to show finding {} without esox", finding.id));
      try {
        reproduce_one(folder, server, std::min(left, kMostTime), work);
      } catch (const std::exception& error) {
        work.say(fmt::format("finding {} could not be shown without esox: {}", finding.id,
                             error.what()));
      }
    }
    const auto record = read_reproducer_record(folder);
    if (record) finding.reproducer = reproducer_text(*record);
  }
}

}  // namespace esox
