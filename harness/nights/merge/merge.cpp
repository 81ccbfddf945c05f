// SPDX-License-Identifier: Apache-2.0
#include "harness/nights/merge/merge.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <set>
#include <system_error>

#include "base/mapped.h"
#include "base/process/paths.h"
#include "harness/nights/merge/gather.h"
#include "harness/records/hunt_state.h"
#include "harness/records/out_folder.h"
#include "harness/records/reports/hunt_reader.h"
#include "harness/records/triage/recording.h"

namespace esox {
namespace {

namespace fs = std::filesystem;

// ---- what there is to merge in what the user named: stores, and the folders of hunts
//
//   a file                     a triage store
//   a folder with hunt.db      a hunt (its OUT)
//   a folder of such folders   all hunts in it, and its findings.db: esox-out, or the `out` of a
//                              hunt file (nights/NIGHT/STAGE), or what an earlier merge gathered
//                              (hunts/CAMPAIGN, gather.h)

constexpr size_t kMostHunts = 200'000;

struct FoundHunt {
  std::filesystem::path folder;    // with hunt.db, if `memory`
  std::filesystem::path findings;  // folders of findings
  bool memory = false;             // there is a hunt.db: more than a report
  HuntReport report;               // of its hunt.json; without an id if there is none
};

struct MergeSource {
  std::filesystem::path path;    // as named
  std::filesystem::path folder;  // empty: a file was named
  std::filesystem::path store;   // empty: none
  std::vector<FoundHunt> hunts;
};

// Hidden ones are none of ours.
std::vector<fs::path> folders_in(const fs::path& folder) {
  std::vector<fs::path> folders = entries_of(folder);
  std::erase_if(folders, [](const fs::path& one) {
    return one.filename().string().starts_with(".") || !is_folder(one);
  });
  return folders;
}

// A hunt's own folder, or that of one that was gathered: hunts/CAMPAIGN/shards/NUMBER.
bool add_hunt(const fs::path& folder, const fs::path& findings, MergeSource& source) {
  const bool memory = is_file(folder / "hunt.db");
  const bool report = is_file(folder / "hunt.json");
  if (!memory && !report) return false;
  if (source.hunts.size() == kMostHunts) {
    throw OutError(fmt::format("{} holds more than {} hunts; name parts of it",
                               source.path.string(), kMostHunts));
  }
  FoundHunt& hunt = source.hunts.emplace_back(FoundHunt{folder, findings, memory, {}});
  if (report) hunt.report = read_hunt(folder);
  return true;
}

void add_gathered(const fs::path& campaign, MergeSource& source) {
  for (const fs::path& shard : folders_in(campaign / "shards")) {
    add_hunt(shard, campaign / "findings", source);
  }
}

void look_through(const fs::path& folder, MergeSource& source) {
  if (is_folder(folder / "shards")) return add_gathered(folder, source);
  if (add_hunt(folder, folder / "findings", source)) return;
  for (const fs::path& child : folders_in(folder)) {
    if (child.filename() == "nights") {
      for (const fs::path& night : folders_in(child)) {
        for (const fs::path& stage : folders_in(night)) add_hunt(stage, stage / "findings", source);
      }
    } else if (child.filename() == "hunts") {
      for (const fs::path& campaign : folders_in(child)) add_gathered(campaign, source);
    } else {
      add_hunt(child, child / "findings", source);
    }
  }
}

// Throws OutError (there is nothing of ours) and ReportError (a damaged hunt.json).
MergeSource look_for_sources(const fs::path& path) {
  std::error_code error;
  const fs::file_status status = fs::status(path, error);
  MergeSource source;
  source.path = path;
  if (fs::is_regular_file(status)) {
    source.store = path;
    return source;
  }
  if (!fs::is_directory(status)) {
    throw OutError(fmt::format("{}: there is no such file or folder", path.string()));
  }
  source.folder = fs::absolute(path).lexically_normal();
  if (is_file(path / "findings.db")) source.store = path / "findings.db";
  look_through(source.folder, source);
  if (source.store.empty() && source.hunts.empty()) {
    throw OutError(fmt::format(
        "{} holds nothing to merge: no findings.db, and no folder of a hunt; name a store, or the "
        "OUT of a hunt or of nights",
        path.string()));
  }
  return source;
}

// ---- the merge

struct MergedInto {
  fs::path store;
  fs::path folder;  // empty: INTO is a store alone
};

MergedInto merged_into(const fs::path& into) {
  std::error_code error;
  const fs::file_status status = fs::status(into, error);
  const bool file =
      fs::is_regular_file(status) || (!fs::exists(status) && into.extension() == ".db");
  if (file) return {into, {}};
  if (fs::exists(status) && !fs::is_directory(status)) {
    throw OutError(fmt::format("{} is neither a file nor a folder", into.string()));
  }
  return {into / "findings.db", fs::absolute(into).lexically_normal()};
}

bool has_findings(const fs::path& findings) {
  std::error_code error;
  return fs::is_directory(findings, error) && !fs::is_empty(findings, error);
}

// All that is to be merged, looked at before anything is written.
class Gathering {
 public:
  Gathering(const MergeOptions& options, const MergedInto& target) : target_(target) {
    for (const fs::path& path : options.from) add(look_for_sources(path));
    note_hunts();
  }

  std::vector<Store*> stores() const {
    return mapped<Store*>(stores_, [&](const auto& store) { return store.get(); });
  }
  const std::vector<HuntRecord>& records() const { return records_; }
  const std::map<std::string, std::string>& campaign_of() const { return campaign_of_; }

  // Copies findings and reports to INTO, and remembers where they lie.
  void gather(MergeResult& result) {
    std::set<std::string> campaigns;
    for (const auto& [key, folders] : folders_) gather_one(key, folders, result);
    for (const auto& [id, found] : found_) {
      for (const FoundHunt* const hunt : found) {
        if (hunt->report.id.empty() || lies_in(hunt->folder, target_.folder)) continue;
        gather_report(folder_of_campaign(id), hunt->report);
        campaigns.insert(campaign_of_.at(id));
        places_[{id, ""}] = folder_of_campaign(id);
      }
    }
    for (const std::string& campaign : campaigns) {
      join_reports(campaign_folder(target_.folder, campaign));
    }
  }

  std::string place_of(const std::string& hunt, const std::string& id) const {
    const auto place = places_.find({hunt, id});
    return place == places_.end() ? "" : place->second.string();
  }

 private:
  void add(MergeSource source) {
    std::map<std::string, uint64_t> executions;  // of ended hunts that the store knows
    std::error_code error;
    if (!source.store.empty() && !fs::equivalent(source.store, target_.store, error)) {
      stores_.push_back(std::make_unique<Store>(source.store));
    }
    if (!source.store.empty()) {
      Store store(source.store);
      for (const HuntTotals& one : store.hunts()) {
        if (one.hunt.ended) executions[one.hunt.id] = one.hunt.executions;
      }
    }
    sources_.push_back(std::make_unique<MergeSource>(std::move(source)));
    for (FoundHunt& hunt : sources_.back()->hunts) {
      const auto known = executions.find(hunt.report.id);
      const bool settled_there =
          known != executions.end() && known->second >= hunt.report.executions;
      if (hunt.memory && !settled_there) read_memory(hunt);
      if (!hunt.report.id.empty()) found_[hunt.report.id].push_back(&hunt);
    }
  }

  // One that was ended before it began has nothing to tell.
  void read_memory(FoundHunt& hunt) {
    if (hunt_in(hunt.folder) == HuntInFolder::kNone && !has_findings(hunt.findings)) return;
    HuntRecord record = read_hunt_record(hunt.folder);
    if (hunt.report.id.empty() && !hunt.report.esox_version.empty()) {
      hunt.report.id = record.hunt.id;
    }
    records_.push_back(std::move(record));
  }

  // Which hunts there are, of which campaigns, and where each finding's folders are.
  void note_hunts() {
    const auto note = [this](const RecordedHunt& hunt) {
      campaign_of_[hunt.id] = hunt.campaign.empty() ? hunt.id : hunt.campaign;
    };
    for (const auto& [id, found] : found_) {
      const auto& place = found.front()->report.shard;
      campaign_of_[id] = place ? place->campaign : id;
    }
    for (const auto& store : stores_) {
      for (const HuntTotals& one : store->hunts()) note(one.hunt);
      for (const auto& [key, folder] : store->folders()) note_folder(key, folder);
    }
    for (const HuntRecord& record : records_) {
      note(record.hunt);
      for (const Occurrence& one : record.occurrences) {
        note_folder({record.hunt.id, one.id}, one.folder);
      }
    }
  }

  // Beside the hunt's report, wherever that has been moved to; else where it was written.
  void note_folder(const OccurrenceKey& key, const fs::path& written) {
    std::vector<fs::path>& folders = folders_[key];
    const auto add = [&](const fs::path& folder) {
      if (!is_there(folder / "finding.yaml")) return;
      if (std::ranges::find(folders, folder) == folders.end()) folders.push_back(folder);
    };
    const auto found = found_.find(key.hunt);
    if (found != found_.end()) {
      for (const FoundHunt* const hunt : found->second) add(hunt->findings / key.id);
    }
    if (written.is_absolute()) add(written);
  }

  void gather_one(const OccurrenceKey& key, const std::vector<fs::path>& folders,
                  MergeResult& result) {
    result.without_folder += folders.empty() ? 1 : 0;
    for (const fs::path& folder : folders) {
      if (!lies_in(folder, target_.folder)) continue;
      places_[key] = folder;
      return;
    }
    const fs::path place = folder_of_campaign(key.hunt) / "findings" / key.id;
    for (const fs::path& folder : folders) {
      result.copied += gather_finding(folder, place) == Gathered::kCopied ? 1 : 0;
      places_[key] = place;
    }
  }

  fs::path folder_of_campaign(const std::string& hunt) const {
    return campaign_folder(target_.folder, campaign_of_.at(hunt));
  }

  const MergedInto& target_;
  std::vector<std::unique_ptr<MergeSource>> sources_;
  std::vector<std::unique_ptr<Store>> stores_;
  std::vector<HuntRecord> records_;
  std::map<std::string, std::vector<const FoundHunt*>> found_;  // by hunt
  std::map<std::string, std::string> campaign_of_;              // by hunt
  std::map<OccurrenceKey, std::vector<fs::path>> folders_;
  std::map<OccurrenceKey, fs::path> places_;  // from now on
};

std::set<std::string> ids_of(const std::vector<HuntTotals>& hunts) {
  std::set<std::string> ids;
  for (const HuntTotals& one : hunts) ids.insert(one.hunt.id);
  return ids;
}

void note_campaigns(const std::map<std::string, std::string>& campaign_of, const MergedInto& target,
                    Store& store, MergeResult& result) {
  std::set<std::string> merged;
  for (const auto& [hunt, campaign] : campaign_of) merged.insert(campaign);
  for (CampaignAccount& one : campaigns_of(store.hunts())) {
    if (!merged.contains(one.id)) continue;
    const fs::path folder = campaign_folder(target.folder, one.id);
    if (!target.folder.empty() && is_there(folder / "hunt.json")) one.folder = folder;
    result.campaigns.push_back(std::move(one));
  }
}

}  // namespace

std::vector<CampaignAccount> campaigns_of(const std::vector<HuntTotals>& hunts) {
  std::map<std::string, CampaignAccount> by_id;
  for (const HuntTotals& one : hunts) {
    const RecordedHunt& hunt = one.hunt;
    CampaignAccount& account = by_id[hunt.campaign.empty() ? hunt.id : hunt.campaign];
    account.id = hunt.campaign.empty() ? hunt.id : hunt.campaign;
    account.name = hunt.campaign_name;
    account.server_version = hunt.server_version;
    account.server_options = hunt.server_options;
    account.strategy = hunt.strategy;
    account.seed = hunt.seed;
    const Shard shard = shard_from_text(hunt.shard).value_or(Shard{});
    account.of = shard.of;
    account.there.push_back(shard.number);
    if (!hunt.ended) account.unfinished.push_back(shard.number);
    account.executions += hunt.executions;
    account.seconds += hunt.seconds;
    account.explorations += one.explorations;
    account.occurrences += one.occurrences;
    for (const auto& [verdict, executions] : one.verdicts) account.verdicts[verdict] += executions;
  }
  std::vector<CampaignAccount> all;
  for (auto& [id, one] : by_id) {
    std::ranges::sort(one.there);
    std::ranges::sort(one.unfinished);
    all.push_back(std::move(one));
  }
  std::ranges::sort(all, [](const CampaignAccount& a, const CampaignAccount& b) {
    return std::tie(a.name, a.id) < std::tie(b.name, b.id);
  });
  return all;
}

MergeResult merge(const MergeOptions& options) {
  const MergedInto target = merged_into(options.into);
  Gathering gathering(options, target);
  make_folder(fs::absolute(target.store).parent_path());
  MergeResult result;
  result.store = target.store;
  Store store(target.store);
  const std::set<std::string> hunts_before = ids_of(store.hunts());
  const size_t findings_before = store.findings().size();
  if (options.copy_findings && !target.folder.empty()) gathering.gather(result);
  store.join(
      gathering.stores(), gathering.records(),
      [&](const std::string& hunt, const std::string& id) { return gathering.place_of(hunt, id); });
  for (const auto& [hunt, campaign] : gathering.campaign_of()) {
    ++result.hunts;
    result.new_hunts += hunts_before.contains(hunt) ? 0 : 1;
  }
  result.findings = store.findings().size();
  result.new_findings = result.findings - std::min<uint64_t>(findings_before, result.findings);
  note_campaigns(gathering.campaign_of(), target, store, result);
  return result;
}

}  // namespace esox
