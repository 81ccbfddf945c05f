// SPDX-License-Identifier: Apache-2.0
// The triage store: what all hunts found, in one SQLite file, with what people decided about it.
//
// A hunt's findings are *occurrences*; those of one cause (grouping.h), of all hunts, inputs and
// engines, are one finding: counted and linked. A finding that was marked fixed and is met again by
// a hunt that began later is regressed. A hunt is recorded as a whole; recorded again (after it
// went on, or after its shard was done again elsewhere), it takes its own place: of each input,
// that recording counts which has more executions, and no occurrence of the other is lost.
//
// Stores can be joined (join), in any order and repeatedly. For that the store keeps facts - hunts,
// verdicts, occurrences, what people decided and what they brought together - each with a rule that
// says which of two is kept; findings, their states and history follow from the facts
// (grouping.h). Of two decisions on a finding the later one counts. Decisions and bonds name an
// occurrence, the first of the finding they were made on, for that is the same in every store.
//
// Of hunts that were stages of a night (harness/nights/night/night_report.h) it knows the night and
// the server's name in the hunt file; and of each night, which findings' schedules were tried
// again.
//
// One writer at a time; another one waits a while, then is told. A rollback journal: it is written
// once per hunt, and is then one plain file that may lie anywhere. Throws DatabaseError.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "analysis/verdict.h"
#include "base/sqlite/database.h"
#include "harness/records/triage/grouping.h"
#include "harness/records/triage/signature.h"

namespace esox {

enum class TriageState { kNew, kConfirmed, kKnown, kFalsePositive, kFixed, kRegressed };

const char* state_name(TriageState state);  // "false-positive"
std::optional<TriageState> state_from_name(const std::string& name);

// What a hunt is, for the store.
struct RecordedHunt {
  std::string id;
  std::string started;  // UTC, ISO 8601
  double seconds = 0;
  std::string out;  // its folder
  std::string esox_version;
  std::string server_version;
  std::string server;
  std::string server_options;  // as on a command line
  std::string strategy;
  uint64_t seed = 0;
  uint64_t executions_each = 0;
  uint64_t executions = 0;
  uint64_t launches = 1;
  bool ended = false;
  std::string campaign;  // of a shard (harness/records/shard.h); else empty
  std::string shard;     // "3/20"
  std::string campaign_name;
};

struct RecordedInput : InputKey {
  std::string title;
  std::map<std::string, uint64_t> verdicts;  // by class
};

struct Occurrence : InputKey {
  std::string id;  // of the finding's folder
  std::string title;
  VerdictClass verdict = VerdictClass::kNone;
  bool latent = false;
  uint64_t hits = 0;
  uint64_t executions = 0;
  uint64_t first_execution = 0;
  uint64_t seed = 0;
  std::string folder;
  Signature signature;
};

// Of two recordings of one occurrence, which one is kept.
bool better(const Occurrence& one, const Occurrence& other);

// What became of an occurrence.
struct Filed {
  std::string occurrence;
  std::string finding;
  TriageState state = TriageState::kNew;
  bool opened = false;     // the finding, by this hunt
  bool regressed = false;  // by this hunt
};

// The key is that of the first occurrence.
struct TriagedFinding : InputKey {
  std::string id;
  TriageState state = TriageState::kNew;
  std::string filter;
  std::string note;
  std::string verdict;  // class
  bool latent = false;
  std::string title;
  std::string signature;  // text
  std::string created;
  std::string changed;
  uint64_t hits = 0;
  uint64_t occurrences = 0;
  uint64_t hunts = 0;
  std::string servers;  // versions, joined by ", "
};

struct StoredOccurrence {
  std::string hunt;
  std::string started;
  std::string server_version;
  Occurrence occurrence;
};

struct TriageChange {
  std::string at;
  std::string from;
  std::string to;
  std::string note;
};

// That a hunt was a stage of a night.
struct StoredStage {
  std::string hunt;
  std::string night;
  std::string stage;
  std::string server_name;
};

// What a stage did with one input on one engine under one setting.
struct StageAccount : InputKey {
  StoredStage stage;
  std::string server_options;
  std::string strategy;
  uint64_t seed = 0;
  uint64_t executions = 0;  // judged
};

// A finding's own schedule, tried again in a night.
struct StoredRecheck {
  std::string night;
  std::string server_name;
  std::string finding;
  std::string at;      // UTC, ISO 8601; the store's own clock
  std::string result;  // harness/nights/night/recheck.h
  std::string why;
};

struct TriageFilter {
  std::string state;  // empty: any
  std::string verdict;
  std::string server;  // part of a version
};

// All that one hunt adds.
struct HuntRecord {
  RecordedHunt hunt;
  std::vector<RecordedInput> inputs;
  std::vector<Occurrence> occurrences;
};

// A hunt of the store with what it came to.
struct HuntTotals {
  RecordedHunt hunt;
  std::map<std::string, uint64_t> verdicts;  // by class
  uint64_t explorations = 0;                 // that had executions
  uint64_t occurrences = 0;
};

class Store {
 public:
  // Opens it or makes it.
  explicit Store(std::filesystem::path file);

  std::vector<Filed> record(const RecordedHunt& hunt, const std::vector<RecordedInput>& inputs,
                            const std::vector<Occurrence>& occurrences);

  std::vector<TriagedFinding> findings(const TriageFilter& filter = {});
  // By an id or the beginning of one; one that was merged gives the one it was merged into.
  // Throws DatabaseError if there is none, or several.
  TriagedFinding finding(const std::string& id);
  std::vector<StoredOccurrence> occurrences(const std::string& finding);
  std::vector<TriageChange> history(const std::string& finding);
  uint64_t executions_of(const std::string& input);

  void mark(const std::string& finding, TriageState state, const std::string& note,
            const std::string& filter);
  void merge(const std::string& finding, const std::string& into);

  // ---- nights (store_nights.cpp)
  // The hunt recorded from this folder, an absolute path.
  std::optional<std::string> hunt_of(const std::string& out);
  void record_stage(const StoredStage& stage);
  std::vector<StoredStage> stages();
  // Of all stages, the places where something was ever found.
  std::vector<StageAccount> stage_accounts();
  void record_recheck(const StoredRecheck& recheck);
  std::vector<StoredRecheck> rechecks();

  // Takes in what other stores know, and hunts, all or nothing. `folder_of` says where the folder
  // of a hunt's finding lies from now on, or of the hunt itself (id ""); empty: where it did.
  using FolderOf = std::function<std::string(const std::string& hunt, const std::string& id)>;
  void join(const std::vector<Store*>& stores, const std::vector<HuntRecord>& hunts,
            const FolderOf& folder_of);

  // As JSON, all but what depends on where and when it was found, and in how many hunts: stores
  // that know the same are equal in it byte by byte.
  std::string dump();

  std::vector<HuntTotals> hunts();
  // Of all occurrences (signature.h, family_keys).
  std::set<std::string> keys();
  // The folders of all occurrences, by hunt and id.
  std::map<OccurrenceKey, std::string> folders();

  const std::filesystem::path& file() const { return database_.file(); }

 private:
  void put_hunt(const RecordedHunt& hunt);
  void put_verdicts(const std::string& hunt, const std::vector<RecordedInput>& inputs);
  void put_occurrence(const std::string& hunt, const Occurrence& occurrence,
                      const std::string& finding);
  void put_anchor(const std::string& finding, const OccurrenceKey& occurrence);
  OccurrenceKey anchor_of(const std::string& finding);
  std::optional<Occurrence> stored(const OccurrenceKey& key);
  void take_in(const std::string& hunt, Occurrence occurrence, const FolderOf& folder_of);
  void take_in(RecordedHunt hunt, const std::vector<RecordedInput>& inputs,
               const FolderOf& folder_of);
  void take_in(Store& other, const FolderOf& folder_of);
  std::vector<RecordedInput> verdicts_of(const std::string& hunt);
  void regroup();
  std::map<std::string, TriageState> states();
  Filed fate_of(const OccurrenceKey& occurrence, bool fresh,
                const std::map<std::string, TriageState>& before);
  // Gives the time it wrote.
  std::string change_state(const std::string& finding, TriageState state, const std::string& note);
  TriageState state_of(const std::string& finding);

  Database database_;
};

// Before a hunt: would its findings find their place? Changes nothing. Throws DatabaseError.
void check_store(const std::filesystem::path& file);

}  // namespace esox
