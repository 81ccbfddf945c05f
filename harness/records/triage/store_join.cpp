// SPDX-License-Identifier: Apache-2.0
// Joining triage stores (store.h): the facts of all, then the findings that follow from them.
#include <set>
#include <tuple>

#include "harness/records/triage/store.h"

namespace esox {
namespace {

struct Decision {
  std::string at;
  int64_t number = 0;
  std::string state;
  std::string note;
  std::string filter;
  auto operator<=>(const Decision&) const = default;  // NOLINT(modernize-use-nullptr): false
};

// A finding as it follows from the facts.
struct Derived {
  std::string id;
  TriageState state = TriageState::kNew;
  std::string note;
  std::string filter;
  std::string created;
  std::string changed;
  std::vector<TriageChange> history;
};

struct HuntName {
  std::string started;
  std::string out;
};

class Derivation {
 public:
  Derivation(const Grouping& grouping, const std::map<std::string, HuntName>& hunts,
             std::map<OccurrenceKey, std::set<Decision>> decisions, const std::vector<Bond>& bonds)
      : grouping_(grouping), hunts_(hunts), decisions_(std::move(decisions)), bonds_(bonds) {}

  Derived derive(const Group& group) {
    Derived finding;
    finding.id = free_id(grouping_.order[group.leads].key.id);
    const HuntName& first = hunts_.at(grouping_.order[group.members.front()].key.hunt);
    finding.created = first.started;
    finding.history.push_back({first.started, "", "new", "found by the hunt " + first.out});
    const std::set<OccurrenceKey> keys = keys_of(group);
    decide(finding, keys);
    look_for_regression(finding, group);
    finding.changed = finding.history.back().at;
    return finding;
  }

 private:
  std::string free_id(const std::string& wanted) {
    std::string id = wanted;
    for (int i = 2; !ids_.insert(id).second; ++i) id = wanted + "-" + std::to_string(i);
    return id;
  }

  std::set<OccurrenceKey> keys_of(const Group& group) const {
    std::set<OccurrenceKey> keys;
    for (const size_t place : group.members) keys.insert(grouping_.order[place].key);
    return keys;
  }

  // Decisions and bonds, in the order in which they were made.
  void decide(Derived& finding, const std::set<OccurrenceKey>& keys) const {
    std::set<Decision> decisions;
    for (const OccurrenceKey& key : keys) {
      const auto found = decisions_.find(key);
      if (found != decisions_.end()) decisions.insert(found->second.begin(), found->second.end());
    }
    std::set<std::pair<std::string, std::string>> bonds;
    for (const Bond& bond : bonds_) {
      if (keys.contains(bond.from) && keys.contains(bond.into)) {
        bonds.emplace(bond.at, bond.from.id);
      }
    }
    auto bond = bonds.begin();
    const auto take_bonds_before = [&](const std::string* at) {
      for (; bond != bonds.end() && (at == nullptr || bond->first < *at); ++bond) {
        const char* const state = state_name(finding.state);
        finding.history.push_back({bond->first, state, state, "took in " + bond->second});
      }
    };
    for (const Decision& one : decisions) {
      take_bonds_before(&one.at);
      finding.history.push_back({one.at, state_name(finding.state), one.state, one.note});
      finding.state = state_from_name(one.state).value_or(finding.state);
      finding.filter = one.filter;
      if (!one.note.empty()) finding.note = one.note;
    }
    take_bonds_before(nullptr);
    decided_ = decisions.empty() ? "" : decisions.rbegin()->at;
  }

  void look_for_regression(Derived& finding, const Group& group) const {
    if (finding.state != TriageState::kFixed) return;
    const HuntName* first = nullptr;
    for (const size_t place : group.members) {
      const HuntName& hunt = hunts_.at(grouping_.order[place].key.hunt);
      if (hunt.started < decided_) continue;
      if (first == nullptr ||
          std::tie(hunt.started, hunt.out) < std::tie(first->started, first->out)) {
        first = &hunt;
      }
    }
    if (first == nullptr) return;
    finding.state = TriageState::kRegressed;
    finding.history.push_back(
        {first->started, "fixed", "regressed", "met again by the hunt " + first->out});
  }

  const Grouping& grouping_;
  const std::map<std::string, HuntName>& hunts_;
  std::map<OccurrenceKey, std::set<Decision>> decisions_;
  const std::vector<Bond>& bonds_;
  std::set<std::string> ids_;
  mutable std::string decided_;  // when the last decision was made
};

}  // namespace

void Store::join(const std::vector<Store*>& stores, const std::vector<HuntRecord>& hunts,
                 const FolderOf& folder_of) {
  Transaction transaction(database_);
  // Which finding an occurrence belongs to is known at the end.
  database_.run("PRAGMA defer_foreign_keys = ON");
  for (Store* const other : stores) take_in(*other, folder_of);
  for (const HuntRecord& one : hunts) {
    take_in(one.hunt, one.inputs, folder_of);
    for (const Occurrence& occurrence : one.occurrences) {
      take_in(one.hunt.id, occurrence, folder_of);
    }
  }
  regroup();
  transaction.commit();
}

void Store::take_in(RecordedHunt hunt, const std::vector<RecordedInput>& inputs,
                    const FolderOf& folder_of) {
  const auto here = database_.text("SELECT out FROM hunts WHERE id = ?", {hunt.id});
  if (here) hunt.out = *here;
  const std::string moved = folder_of(hunt.id, "");
  if (!moved.empty()) hunt.out = moved;
  put_hunt(hunt);
  put_verdicts(hunt.id, inputs);
}

void Store::take_in(const std::string& hunt, Occurrence occurrence, const FolderOf& folder_of) {
  const std::string moved = folder_of(hunt, occurrence.id);
  if (!moved.empty()) occurrence.folder = moved;
  const std::optional<Occurrence> there = stored({hunt, occurrence.id});
  if (!there || better(occurrence, *there)) return put_occurrence(hunt, occurrence, "");
  if (moved.empty()) return;
  database_.run("UPDATE occurrences SET folder = ? WHERE hunt = ? AND id = ?",
                {moved, hunt, occurrence.id});
}

void Store::take_in(Store& other, const FolderOf& folder_of) {
  for (const HuntTotals& one : other.hunts()) {
    take_in(one.hunt, other.verdicts_of(one.hunt.id), folder_of);
  }
  for (const auto& [key, folder] : other.folders()) {
    take_in(key.hunt, other.stored(key).value(), folder_of);
  }
  const auto copy = [&](const char* table, int columns) {
    std::string insert = std::string("INSERT OR IGNORE INTO ") + table + " VALUES (?";
    for (int i = 1; i < columns; ++i) insert += ", ?";
    other.database_.run(std::string("SELECT * FROM ") + table, {}, [&](const SqlRow& row) {
      std::vector<SqlValue> values;
      for (int i = 0; i < columns; ++i) values.emplace_back(row.text(i));
      database_.run(insert + ")", values);
    });
  };
  copy("anchors", 3);
  copy("decisions", 7);  // the number is told as text; the column makes it one again
  copy("bonds", 5);
  copy("stages", 4);
  // Of two rechecks of a finding in a night on a server, the later one.
  for (const StoredRecheck& one : other.rechecks()) {
    database_.run(
        "INSERT INTO rechecks VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT DO UPDATE SET at = "
        "excluded.at, result = excluded.result, why = excluded.why WHERE (excluded.at, "
        "excluded.result, excluded.why) > (at, result, why)",
        {one.night, one.server_name, one.finding, one.at, one.result, one.why});
  }
}

// All findings anew, from the facts. Ids that a finding had before still lead to it.
void Store::regroup() {
  std::map<std::string, HuntName> hunts;
  database_.run("SELECT id, started, out FROM hunts", {}, [&](const SqlRow& row) {
    hunts[row.text(0)] = {row.text(1), row.text(2)};
  });
  std::vector<GroupMember> members;
  database_.run(
      "SELECT IIF(campaign = '', hunt, campaign), started, hunt, occurrences.id, plain, critical, "
      "signature FROM occurrences JOIN hunts ON hunts.id = hunt",
      {}, [&](const SqlRow& row) {
        const Signature signature{row.text(6), row.text(4), row.text(5)};
        members.push_back(
            {row.text(0), row.text(1), {row.text(2), row.text(3)}, family_keys(signature)});
      });
  std::vector<Bond> bonds;
  database_.run(
      "SELECT hunt, occurrence, into_hunt, into_occurrence, at FROM bonds", {},
      [&](const SqlRow& row) {
        bonds.push_back({{row.text(0), row.text(1)}, {row.text(2), row.text(3)}, row.text(4)});
      });
  std::map<OccurrenceKey, std::set<Decision>> decisions;
  database_.run("SELECT hunt, occurrence, at, number, state, note, filter FROM decisions", {},
                [&](const SqlRow& row) {
                  decisions[{row.text(0), row.text(1)}].insert(
                      {row.text(2), row.number(3), row.text(4), row.text(5), row.text(6)});
                });

  database_.run("DELETE FROM history");
  database_.run("DELETE FROM findings");
  const Grouping grouping = group(std::move(members), bonds);
  Derivation derivation(grouping, hunts, std::move(decisions), bonds);
  for (const Group& group : grouping.groups) {
    const Derived finding = derivation.derive(group);
    const OccurrenceKey& leads = grouping.order[group.leads].key;
    const Occurrence first = stored(leads).value();
    database_.run(
        "INSERT INTO findings VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,NULL)",
        {finding.id, state_name(finding.state), finding.filter, finding.note,
         class_name(first.verdict), first.latent, first.input, first.engine, first.setting,
         first.title, first.signature.text, finding.created, finding.changed});
    for (const TriageChange& one : finding.history) {
      database_.run(
          "INSERT INTO history (finding, at, from_state, to_state, note) VALUES (?,?,?,?,?)",
          {finding.id, one.at, one.from, one.to, one.note});
    }
    for (const size_t place : group.members) {
      const GroupMember& member = grouping.order[place];
      database_.run("UPDATE occurrences SET finding = ? WHERE hunt = ? AND id = ?",
                    {finding.id, member.key.hunt, member.key.id});
    }
    put_anchor(finding.id, leads);
  }
  // Of several that had one id, the oldest.
  database_.run(
      "INSERT OR IGNORE INTO findings SELECT a.finding, f.state, f.filter, f.note, f.verdict, "
      "f.latent, f.input, f.engine, f.setting, f.title, f.signature, f.created, f.changed, f.id "
      "FROM anchors AS a JOIN occurrences AS o ON o.hunt = a.hunt AND o.id = a.occurrence JOIN "
      "findings AS f ON f.id = o.finding AND f.merged_into IS NULL ORDER BY f.created, f.id");
  database_.run(
      "UPDATE OR REPLACE rechecks SET finding = (SELECT merged_into FROM findings WHERE id = "
      "finding) WHERE finding IN (SELECT id FROM findings WHERE merged_into IS NOT NULL)");
}

}  // namespace esox
