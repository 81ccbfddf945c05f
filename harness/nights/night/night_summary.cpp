// SPDX-License-Identifier: Apache-2.0
#include "harness/nights/night/night_summary.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>

#include "analysis/finding.h"
#include "base/process/paths.h"
#include "harness/records/finding_file.h"
#include "harness/records/hunt_state.h"
#include "harness/records/reports/hunt_reader.h"
#include "harness/records/reports/report_error.h"
#include "harness/records/synopsis.h"
#include "harness/records/triage/recording.h"

namespace esox {
namespace {

namespace fs = std::filesystem;

constexpr uint64_t kManyDegraded = 20;  // more than one execution of so many is worth a word

fs::path folder_of(const StageReport& stage, const fs::path& night) {
  const fs::path folder = stage.folder.empty() ? fs::path(stage.name) : stage.folder;
  return fs::absolute(folder.is_absolute() ? folder : night / folder).lexically_normal();
}

// ---- recording

// One hunt of a stage; what is wrong with it, or nothing. One that is at work records itself.
std::string record_one(Store& store, const NightReport& night, const StageReport& stage,
                       const fs::path& folder) {
  const HuntInFolder hunt = hunt_in(folder);
  try {
    if (hunt == HuntInFolder::kUnfinished || hunt == HuntInFolder::kEnded) {
      record_hunt(store, folder);
    }
    const auto id = store.hunt_of(folder.string());
    if (id) store.record_stage({*id, night.id, stage.name, stage.server_name});
    return "";
  } catch (const FindingError& error) {
    return error.what();
  } catch (const DatabaseError& error) {
    return error.what();
  }
}

// "STAGE.2" beside "STAGE": where it was begun again.
bool is_attempt(const std::string& name, const std::string& first) {
  const std::string head = first + ".";
  return name.size() > head.size() && name.starts_with(head) &&
         name.find_first_not_of("0123456789", head.size()) == std::string::npos;
}

// All hunts of a stage, also those that it could not go on with.
std::string record_stage(Store& store, const NightReport& night, const StageReport& stage,
                         const fs::path& folder) {
  std::string wrong = record_one(store, night, stage, folder_of(stage, folder));
  for (const fs::path& entry : entries_of(folder)) {
    const std::string name = entry.filename().string();
    if (name != stage.name && !is_attempt(name, stage.name)) continue;
    const fs::path attempt = fs::absolute(entry).lexically_normal();
    if (attempt == folder_of(stage, folder)) continue;
    const std::string more = record_one(store, night, stage, attempt);
    if (wrong.empty()) wrong = more;
  }
  return wrong;
}

// Nights that were cut short before their summary.
void catch_up(Store& store, const fs::path& folder) {
  std::set<std::string> known;
  for (const StoredStage& stage : store.stages()) known.insert(stage.night);
  const fs::path tonight = fs::absolute(folder).lexically_normal();
  for (const fs::path& entry : entries_of(tonight.parent_path())) {
    const std::string id = entry.filename().string();
    if (id >= tonight.filename().string() || known.contains(id)) continue;
    try {
      const NightReport night = read_night(entry);
      for (const StageReport& stage : night.stages) record_stage(store, night, stage, entry);
    } catch (const ReportError&) {
      continue;  // no night, or one of which nothing can be said any more
    }
  }
}

// ---- what is missing

bool has_begun(const StageReport& stage) {
  return !stage.server_version.empty() || stage.executions > 0 || stage.seconds > 0;
}

// Nothing was to be done: all its inputs had shown what they can for some nights (turns.h).
bool all_rest(const StageReport& stage) {
  return !stage.not_done.empty() && std::ranges::all_of(stage.not_done, [](const NotDone& one) {
    return one.why.starts_with("rests");
  });
}

std::string missing_of(const StageReport& stage, bool ended) {
  if (!stage.failure.empty()) return fmt::format("stage {}: {}", stage.name, stage.failure);
  if (!has_begun(stage)) {
    return fmt::format("stage {} {}", stage.name, ended ? "was never begun" : "has not begun");
  }
  if (stage.inputs_planned > 0 && stage.executions == 0 && !all_rest(stage)) {
    return fmt::format("stage {}: nothing was executed", stage.name);
  }
  if (stage.degraded * kManyDegraded > stage.executions) {
    return fmt::format("stage {}: {} of {} executions were not judged, for control was lost",
                       stage.name, stage.degraded, stage.executions);
  }
  return "";
}

std::vector<std::string> missing_of(const NightReport& night) {
  std::vector<std::string> missing = night.missing;
  if (!night.failure.empty()) missing.push_back(night.failure);
  if (night.interrupted) missing.push_back("the night was ended by a signal");
  if (night.ended.empty()) {
    missing.push_back(
        "the night has not come to its end: it still runs, or was killed; the same esox night "
        "goes on with it");
  }
  if (night.stages.empty()) missing.push_back("the night has no stages");
  for (const StageReport& stage : night.stages) {
    const std::string line = missing_of(stage, !night.ended.empty());
    // The night may have said so itself.
    const bool told = std::ranges::find(missing, line) != missing.end();
    if (!line.empty() && !told) missing.push_back(line);
  }
  return missing;
}

// ---- findings

// hunt.json of stages, each read once.
class Hunts {
 public:
  // What a hunt said of the finding in this folder; null if that can no longer be read.
  const HuntFinding* told(const fs::path& finding) {
    const fs::path out = finding.parent_path().parent_path();
    const auto [found, fresh] = read_.try_emplace(out.string());
    if (fresh) {
      try {
        found->second = read_hunt(out);
      } catch (const ReportError&) {
      }
    }
    if (!found->second) return nullptr;
    for (const HuntFinding& one : found->second->findings) {
      if (one.id == finding.filename().string()) return &one;
    }
    return nullptr;
  }

 private:
  std::map<std::string, std::optional<HuntReport>> read_;
};

// The newest occurrence whose folder is there is told.
void describe(SummaryFinding& told, const NightFinding& one, Hunts& hunts) {
  for (const StoredOccurrence& stored : one.occurrences) {
    const fs::path folder = stored.occurrence.folder;
    if (!is_there(folder / "finding.yaml")) continue;
    told.folder = folder;
    told.verdict = class_name(stored.occurrence.verdict);
    told.place = key_text(stored.occurrence);
    told.words = class_in_words(stored.occurrence.verdict, stored.occurrence.latent);
    if (const HuntFinding* line = hunts.told(folder)) {
      told.synopsis = line->synopsis;
      told.critical = line->critical;
      return;
    }
    try {
      told.synopsis = statement_lines(read_finding(folder / "finding.yaml").input.input);
    } catch (const FindingError&) {
    }
    return;
  }
}

Fate foremost(const std::vector<Change>& changes) {
  for (const Fate fate :
       {Fate::kNew, Fate::kRegressed, Fate::kGone, Fate::kStillThere, Fate::kNotMet}) {
    for (const Change& change : changes) {
      if (change.fate == fate) return fate;
    }
  }
  return Fate::kGoneBefore;
}

bool met_tonight(Fate fate) {
  return fate == Fate::kNew || fate == Fate::kRegressed || fate == Fate::kStillThere;
}

SummaryFinding summary_finding(const NightFinding& one, std::vector<Change> changes,
                               const std::vector<StoredRecheck>& tonight, Hunts& hunts) {
  SummaryFinding told;
  told.id = one.finding.id;
  told.state = one.finding.state;
  told.note = one.finding.note;
  told.verdict = one.finding.verdict;
  told.place = key_text(one.finding);
  describe(told, one, hunts);
  told.changes = std::move(changes);
  told.fate = foremost(told.changes);
  for (const StoredRecheck& recheck : tonight) {
    if (recheck.finding == one.finding.id) told.tried_again.push_back(recheck);
  }
  return told;
}

// Servers that tonight had no stage on say nothing of tonight.
std::vector<Change> changes_tonight(const NightFinding& one, const NightReport& night) {
  std::vector<Change> changes = changes_of(one.past, night.id);
  std::erase_if(changes, [&](const Change& change) {
    return std::ranges::none_of(
        night.stages, [&](const StageReport& stage) { return stage.server_name == change.server; });
  });
  return changes;
}

void gather_findings(NightSummary& summary, Store& store) {
  std::vector<StoredRecheck> tonight = store.rechecks();
  std::erase_if(tonight, [&](const StoredRecheck& one) { return one.night != summary.night.id; });
  for (const StoredRecheck& one : tonight) ++summary.rechecks[one.result];
  Hunts hunts;
  for (const NightFinding& one : night_findings(store)) {
    std::vector<Change> changes = changes_tonight(one, summary.night);
    if (changes.empty()) continue;
    SummaryFinding told = summary_finding(one, std::move(changes), tonight, hunts);
    if (!one.closed()) {
      ++summary.counts[told.fate];
      summary.findings.push_back(std::move(told));
    } else if (met_tonight(told.fate)) {
      summary.closed.push_back(std::move(told));
    }
  }
  const auto rank = [](const SummaryFinding& one) {
    return std::ranges::find(kFates, one.fate) - kFates.begin();
  };
  std::ranges::stable_sort(summary.findings,
                           [&](const auto& a, const auto& b) { return rank(a) < rank(b); });
}

}  // namespace

NightSummary gather_night_summary(const NightReport& night, const fs::path& folder, Store& store) {
  catch_up(store, folder);
  NightSummary summary;
  summary.night = night;
  summary.missing = missing_of(night);
  for (const StageReport& stage : night.stages) {
    summary.inputs_planned += stage.inputs_planned;
    summary.inputs_reached += stage.inputs_reached;
    const std::string wrong = record_stage(store, night, stage, folder);
    if (wrong.empty()) continue;
    summary.missing.push_back(
        fmt::format("stage {}: its findings are not in the triage store: {}", stage.name, wrong));
  }
  gather_findings(summary, store);
  return summary;
}

int night_summary_status(const NightSummary& summary, FailOn fail_on) {
  const bool fresh = summary.count(Fate::kNew) + summary.count(Fate::kRegressed) > 0;
  const bool any = std::ranges::any_of(summary.findings, [](const SummaryFinding& one) {
    return std::ranges::any_of(one.changes,
                               [](const Change& change) { return met_tonight(change.fate); });
  });
  if (fail_on == FailOn::kNew && fresh) return 1;
  if (fail_on == FailOn::kAny && any) return 1;
  return summary.missing.empty() ? 0 : 2;
}

}  // namespace esox
