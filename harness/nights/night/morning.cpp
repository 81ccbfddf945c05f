// SPDX-License-Identifier: Apache-2.0
// See morning.h.
#include "harness/nights/night/morning.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <optional>
#include <set>
#include <system_error>

#include "analysis/finding.h"
#include "harness/nights/night/night_reader.h"
#include "harness/records/brief.h"
#include "harness/records/finding_file.h"
#include "harness/records/hunt_state.h"
#include "harness/records/reports/hunt_reader.h"
#include "harness/records/reports/report_error.h"
#include "harness/records/triage/recording.h"

namespace esox {
namespace {

namespace fs = std::filesystem;

constexpr uint64_t kManyDegraded = 20;  // more than one execution of so many is worth a word

fs::path folder_of(const LegReport& leg, const fs::path& night) {
  const fs::path folder = leg.folder.empty() ? fs::path(leg.name) : leg.folder;
  return fs::absolute(folder.is_absolute() ? folder : night / folder).lexically_normal();
}

// ---- recording

// One hunt of a leg; what is wrong with it, or nothing. One that is at work records itself.
std::string record_one(Store& store, const NightReport& night, const LegReport& leg,
                       const fs::path& folder) {
  const HuntInFolder hunt = hunt_in(folder);
  try {
    if (hunt == HuntInFolder::kUnfinished || hunt == HuntInFolder::kEnded) {
      record_hunt(store, folder);
    }
    const auto id = store.hunt_of(folder.string());
    if (id) store.record_leg({*id, night.id, leg.name, leg.server_name});
    return "";
  } catch (const FindingError& error) {
    return error.what();
  } catch (const DatabaseError& error) {
    return error.what();
  }
}

// "LEG.2" beside "LEG": where it was begun again.
bool is_attempt(const std::string& name, const std::string& first) {
  const std::string head = first + ".";
  return name.size() > head.size() && name.starts_with(head) &&
         name.find_first_not_of("0123456789", head.size()) == std::string::npos;
}

// All hunts of a leg, also those that it could not go on with.
std::string record_leg(Store& store, const NightReport& night, const LegReport& leg,
                       const fs::path& folder) {
  std::string wrong = record_one(store, night, leg, folder_of(leg, folder));
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(folder, error)) {
    const std::string name = entry.path().filename().string();
    if (name != leg.name && !is_attempt(name, leg.name)) continue;
    const fs::path attempt = fs::absolute(entry.path()).lexically_normal();
    if (attempt == folder_of(leg, folder)) continue;
    const std::string more = record_one(store, night, leg, attempt);
    if (wrong.empty()) wrong = more;
  }
  return wrong;
}

// Nights that were cut short before their morning.
void catch_up(Store& store, const fs::path& folder) {
  std::set<std::string> known;
  for (const StoredLeg& leg : store.legs()) known.insert(leg.night);
  const fs::path tonight = fs::absolute(folder).lexically_normal();
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(tonight.parent_path(), error)) {
    const std::string id = entry.path().filename().string();
    if (id >= tonight.filename().string() || known.contains(id)) continue;
    try {
      const NightReport night = read_night(entry.path());
      for (const LegReport& leg : night.legs) {
        record_leg(store, night, leg, entry.path());
      }
    } catch (const ReportError&) {
      continue;  // no night, or one of which nothing can be said any more
    }
  }
}

// ---- what is missing

bool has_begun(const LegReport& leg) {
  return !leg.server_version.empty() || leg.executions > 0 || leg.seconds > 0;
}

// Nothing was to be done: all its inputs had shown what they can for some nights (turns.h).
bool all_rest(const LegReport& leg) {
  return !leg.not_done.empty() &&
         std::all_of(leg.not_done.begin(), leg.not_done.end(),
                     [](const NotDone& one) { return one.why.starts_with("rests"); });
}

std::string missing_of(const LegReport& leg, bool ended) {
  if (!leg.failure.empty()) return fmt::format("leg {}: {}", leg.name, leg.failure);
  if (!has_begun(leg)) {
    return fmt::format("leg {} {}", leg.name, ended ? "was never begun" : "has not begun");
  }
  if (leg.inputs_planned > 0 && leg.executions == 0 && !all_rest(leg)) {
    return fmt::format("leg {}: nothing was executed", leg.name);
  }
  if (leg.degraded * kManyDegraded > leg.executions) {
    return fmt::format("leg {}: {} of {} executions were not judged, for control was lost",
                       leg.name, leg.degraded, leg.executions);
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
  if (night.legs.empty()) missing.push_back("the night has no legs");
  for (const LegReport& leg : night.legs) {
    const std::string line = missing_of(leg, !night.ended.empty());
    // The night may have said so itself.
    const bool told = std::find(missing.begin(), missing.end(), line) != missing.end();
    if (!line.empty() && !told) missing.push_back(line);
  }
  return missing;
}

// ---- findings

// hunt.json of legs, each read once.
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

// The newest occurrence whose folder is there tells the story.
void tell_story(MorningFinding& told, const NightFinding& one, Hunts& hunts) {
  for (const StoredOccurrence& stored : one.occurrences) {
    const fs::path folder = stored.occurrence.folder;
    std::error_code error;
    if (!fs::exists(folder / "finding.yaml", error)) continue;
    told.folder = folder;
    told.verdict = class_name(stored.occurrence.verdict);
    told.place = key_text(stored.occurrence);
    told.words = class_in_words(stored.occurrence.verdict, stored.occurrence.latent);
    if (const HuntFinding* line = hunts.told(folder)) {
      told.brief = line->brief;
      told.critical = line->critical;
      return;
    }
    try {
      told.brief = statement_lines(read_finding(folder / "finding.yaml").input.input);
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

std::set<std::string> ids_of(const NightFinding& one) {
  std::set<std::string> ids{one.finding.id};
  for (const TriagedFinding& alike : one.alike) ids.insert(alike.id);
  return ids;
}

MorningFinding morning_finding(const NightFinding& one, std::vector<Change> changes,
                               const std::vector<StoredRecheck>& tonight, Hunts& hunts) {
  MorningFinding told;
  told.id = one.finding.id;
  for (const TriagedFinding& alike : one.alike) told.alike.push_back(alike.id);
  told.state = one.finding.state;
  told.note = one.finding.note;
  told.verdict = one.finding.verdict;
  told.place = key_text(one.finding);
  tell_story(told, one, hunts);
  told.changes = std::move(changes);
  told.fate = foremost(told.changes);
  const std::set<std::string> ids = ids_of(one);
  for (const StoredRecheck& recheck : tonight) {
    if (ids.contains(recheck.finding)) told.tried_again.push_back(recheck);
  }
  return told;
}

// Servers that tonight had no leg on say nothing of tonight.
std::vector<Change> changes_tonight(const NightFinding& one, const NightReport& night) {
  std::vector<Change> changes = changes_of(one.past, night.id);
  std::erase_if(changes, [&](const Change& change) {
    return std::none_of(night.legs.begin(), night.legs.end(),
                        [&](const LegReport& leg) { return leg.server_name == change.server; });
  });
  return changes;
}

void gather_findings(Morning& morning, Store& store) {
  std::vector<StoredRecheck> tonight = store.rechecks();
  std::erase_if(tonight, [&](const StoredRecheck& one) { return one.night != morning.night.id; });
  for (const StoredRecheck& one : tonight) ++morning.rechecks[one.result];
  Hunts hunts;
  for (const NightFinding& one : night_findings(store)) {
    std::vector<Change> changes = changes_tonight(one, morning.night);
    if (changes.empty()) continue;
    MorningFinding told = morning_finding(one, std::move(changes), tonight, hunts);
    if (!one.closed()) {
      ++morning.counts[told.fate];
      morning.findings.push_back(std::move(told));
    } else if (met_tonight(told.fate)) {
      morning.closed.push_back(std::move(told));
    }
  }
  const auto rank = [](const MorningFinding& one) {
    return std::find(kFates.begin(), kFates.end(), one.fate) - kFates.begin();
  };
  std::stable_sort(morning.findings.begin(), morning.findings.end(),
                   [&](const auto& a, const auto& b) { return rank(a) < rank(b); });
}

// ---- changes.json

}  // namespace

Morning gather_morning(const NightReport& night, const fs::path& folder, Store& store) {
  catch_up(store, folder);
  Morning morning;
  morning.night = night;
  morning.missing = missing_of(night);
  for (const LegReport& leg : night.legs) {
    morning.inputs_planned += leg.inputs_planned;
    morning.inputs_reached += leg.inputs_reached;
    const std::string wrong = record_leg(store, night, leg, folder);
    if (wrong.empty()) continue;
    morning.missing.push_back(
        fmt::format("leg {}: its findings are not in the triage store: {}", leg.name, wrong));
  }
  gather_findings(morning, store);
  return morning;
}

int morning_status(const Morning& morning, FailOn fail_on) {
  const auto count = [&](Fate fate) {
    const auto found = morning.counts.find(fate);
    return found == morning.counts.end() ? size_t{0} : found->second;
  };
  const bool fresh = count(Fate::kNew) + count(Fate::kRegressed) > 0;
  const bool any =
      std::any_of(morning.findings.begin(), morning.findings.end(), [](const MorningFinding& one) {
        return std::any_of(one.changes.begin(), one.changes.end(),
                           [](const Change& change) { return met_tonight(change.fate); });
      });
  if (fail_on == FailOn::kNew && fresh) return 1;
  if (fail_on == FailOn::kAny && any) return 1;
  return morning.missing.empty() ? 0 : 2;
}

}  // namespace esox
