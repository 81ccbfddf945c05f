// SPDX-License-Identifier: Apache-2.0
#include "harness/findings/minimise/after_hunt.h"

#include <fmt/format.h>

#include <vector>

#include "base/process/log_file.h"
#include "base/text/counted.h"
#include "harness/findings/diagnosis/diagnosis.h"
#include "harness/findings/minimise/minimise.h"
#include "harness/hunt/pinning.h"
#include "harness/records/control_record.h"
#include "harness/records/finding_file.h"
#include "harness/records/json_text.h"
#include "harness/records/needed_choices.h"

namespace esox {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

// The diagnosis comes first; what it leaves of a finding's part is for minimising it.
constexpr int kDiagnosisShare = 2;  // at most one half

std::string of_many(const char* what, size_t after, size_t before) {
  return fmt::format("{} of {}", after, counted(before, what));
}

std::string smaller_in_words(const InputSize& before, const InputSize& after) {
  std::string text = of_many("request", after.requests, before.requests) + ", " +
                     of_many("setup statement", after.setup, before.setup);
  if (before.rows > 0) text += ", " + of_many("row", after.rows, before.rows);
  return text + ": minimised.yaml";
}

// What an earlier launch of the hunt has found out.
void recall(HuntFinding& told) {
  const Json json = Json::parse(text_of_file(told.folder / "diagnosis.json"), nullptr, false);
  if (json.is_object() && json.contains("critical") && json["critical"].is_object()) {
    told.critical = json["critical"].value("sentence", "");
  }
  told.choices = needed_choices(told.folder).value_or(told.choices);
  if (!fs::exists(told.folder / "minimised.yaml")) return;
  try {
    told.smaller =
        smaller_in_words(size_of(read_finding(told.folder / "finding.yaml").input.input),
                         size_of(read_finding(told.folder / "minimised.yaml").input.input));
  } catch (const FindingError&) {
    told.smaller.clear();  // made anew
  }
}

class Explaining {
 public:
  explicit Explaining(const AfterHunt& work)
      : work_(work), executor_(work.executors({})), end_(Clock::now() + work.budget) {}

  void run(std::vector<HuntFinding>& findings) {
    const size_t count = findings.size();
    for (size_t done = 0; done < count && !over(); ++done) {
      HuntFinding& finding = findings[count - 1 - done];
      if (finding.folder.empty()) continue;
      work_.say(fmt::format("looking into finding {} of {}: {}", done + 1, count, finding.id));
      const auto left = std::chrono::duration_cast<milliseconds>(end_ - Clock::now());
      explain(finding, left / static_cast<int>(count - done));
    }
  }

 private:
  bool over() const { return work_.stop.load() || Clock::now() >= end_; }

  void explain(HuntFinding& told, milliseconds budget) {
    const auto end = Clock::now() + budget;
    try {
      const Finding finding = read_finding(told.folder / "finding.yaml");
      ExplorationSettings settings = work_.exploration;
      settings.strategy_text = finding.strategy;
      settings.clock_base_ns = static_cast<int64_t>(finding.clock_base_ns);
      settings.background = had_contexts(finding.control) ? Background::kOn : Background::kOff;
      // Where a serial order goes wrong there is no switch that decides.
      const bool serial = finding.verdict == VerdictClass::kSerial;
      if (!serial && !fs::exists(told.folder / "diagnosis.json")) {
        diagnose_it(told, finding, settings, budget / kDiagnosisShare);
      }
      const auto left = std::chrono::duration_cast<milliseconds>(end - Clock::now());
      if (left.count() > 0 && !work_.stop.load() && told.smaller.empty()) {
        minimise_it(told, finding, settings, left);
      }
    } catch (const std::exception& error) {
      work_.say(fmt::format("finding {} could not be looked into: {}", told.id, error.what()));
    }
  }

  void diagnose_it(HuntFinding& told, const Finding& finding, const ExplorationSettings& settings,
                   milliseconds budget) {
    Exploration exploration(finding.input, settings);
    exploration.add_known_masks(finding.masks);
    exploration.prepare(*executor_);
    Trials trials(*executor_, exploration, finding, {budget, DiagnosisLimits{}.executions},
                  work_.stop);
    const Diagnosis diagnosis = diagnose(trials, exploration, finding, work_.executors);
    if (!diagnosis.came || work_.stop.load()) return;
    write_diagnosis(told.folder / "finding.yaml", diagnosis, finding);
    told.choices = diagnosis.data_choices;
    if (diagnosis.critical) told.critical = sentence(diagnosis.critical->at);
  }

  void minimise_it(HuntFinding& told, const Finding& finding, const ExplorationSettings& settings,
                   milliseconds budget) {
    MinimiseLimits limits;
    limits.budget = budget;
    const MinimiseBench bench{work_.executors, *executor_, settings};
    const Minimised minimised = minimise(bench, finding, limits, work_.stop);
    if (!minimised.came || !minimised.verified) return;
    write_minimised(told.folder, minimised, finding);
    told.smaller = smaller_in_words(minimised.before, minimised.after);
  }

  const AfterHunt& work_;
  const std::unique_ptr<Executor> executor_;
  const Clock::time_point end_;
};

}  // namespace

void explain_findings(HuntReport& report, const AfterHunt& work) {
  for (HuntFinding& finding : report.findings) {
    if (!finding.folder.empty()) recall(finding);
  }
  if (work.budget.count() == 0 || work.stop.load()) return;
  const CorePin pin(0, 1);
  Explaining(work).run(report.findings);
}

}  // namespace esox
