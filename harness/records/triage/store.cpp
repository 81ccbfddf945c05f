// SPDX-License-Identifier: Apache-2.0
#include "harness/records/triage/store.h"

#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <set>
#include <utility>

#include "base/process/paths.h"
#include "base/text/enum_names.h"
#include "base/time/utc.h"

namespace esox {
namespace {

namespace fs = std::filesystem;

constexpr const char* kStateNames[] = {"new",   "confirmed", "known", "false-positive",
                                       "fixed", "regressed"};

constexpr std::array kMigrations = {R"(
CREATE TABLE hunts (
  id TEXT PRIMARY KEY, started TEXT NOT NULL, seconds REAL NOT NULL, out TEXT NOT NULL,
  esox_version TEXT NOT NULL, server_version TEXT NOT NULL, server TEXT NOT NULL,
  server_options TEXT NOT NULL, strategy TEXT NOT NULL, seed TEXT NOT NULL,
  executions_each INTEGER NOT NULL, executions INTEGER NOT NULL, sittings INTEGER NOT NULL,
  ended INTEGER NOT NULL);
CREATE TABLE inputs (id TEXT PRIMARY KEY, title TEXT NOT NULL);
CREATE TABLE verdicts (
  hunt TEXT NOT NULL REFERENCES hunts, input TEXT NOT NULL REFERENCES inputs,
  engine TEXT NOT NULL, setting TEXT NOT NULL, verdict TEXT NOT NULL, executions INTEGER NOT NULL,
  PRIMARY KEY (hunt, input, engine, setting, verdict)) WITHOUT ROWID;
CREATE INDEX verdicts_by_input ON verdicts (input);
CREATE TABLE findings (
  id TEXT PRIMARY KEY, state TEXT NOT NULL, filter TEXT NOT NULL, note TEXT NOT NULL,
  verdict TEXT NOT NULL, latent INTEGER NOT NULL, input TEXT NOT NULL, engine TEXT NOT NULL,
  setting TEXT NOT NULL, title TEXT NOT NULL, signature TEXT NOT NULL, created TEXT NOT NULL,
  changed TEXT NOT NULL, merged_into TEXT REFERENCES findings);
CREATE TABLE signatures (
  signature TEXT NOT NULL, finding TEXT NOT NULL REFERENCES findings, critical INTEGER NOT NULL,
  PRIMARY KEY (signature, finding)) WITHOUT ROWID;
CREATE TABLE occurrences (
  hunt TEXT NOT NULL REFERENCES hunts, id TEXT NOT NULL, finding TEXT NOT NULL REFERENCES findings,
  input TEXT NOT NULL, title TEXT NOT NULL, engine TEXT NOT NULL, setting TEXT NOT NULL,
  verdict TEXT NOT NULL, latent INTEGER NOT NULL, hits INTEGER NOT NULL,
  executions INTEGER NOT NULL, first_execution INTEGER NOT NULL, seed TEXT NOT NULL,
  folder TEXT NOT NULL, plain TEXT NOT NULL, critical TEXT NOT NULL,
  PRIMARY KEY (hunt, id)) WITHOUT ROWID;
CREATE INDEX occurrences_by_finding ON occurrences (finding);
CREATE TABLE history (
  number INTEGER PRIMARY KEY, finding TEXT NOT NULL REFERENCES findings, at TEXT NOT NULL,
  from_state TEXT NOT NULL, to_state TEXT NOT NULL, note TEXT NOT NULL);
)",
                                    R"(
CREATE TABLE legs (
  hunt TEXT PRIMARY KEY REFERENCES hunts, night TEXT NOT NULL, leg TEXT NOT NULL,
  server_name TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE rechecks (
  night TEXT NOT NULL, server_name TEXT NOT NULL, finding TEXT NOT NULL REFERENCES findings,
  at TEXT NOT NULL, result TEXT NOT NULL, why TEXT NOT NULL,
  PRIMARY KEY (night, server_name, finding)) WITHOUT ROWID;
)",
                                    R"(
ALTER TABLE hunts ADD COLUMN campaign TEXT NOT NULL DEFAULT '';
ALTER TABLE hunts ADD COLUMN shard TEXT NOT NULL DEFAULT '';
ALTER TABLE hunts ADD COLUMN campaign_name TEXT NOT NULL DEFAULT '';
ALTER TABLE occurrences ADD COLUMN signature TEXT NOT NULL DEFAULT '';
UPDATE occurrences SET signature = (SELECT signature FROM findings WHERE id = finding);
-- Which occurrence a finding's id stands for.
CREATE TABLE anchors (
  finding TEXT NOT NULL, hunt TEXT NOT NULL, occurrence TEXT NOT NULL,
  PRIMARY KEY (finding, hunt, occurrence)) WITHOUT ROWID;
CREATE TABLE decisions (
  hunt TEXT NOT NULL, occurrence TEXT NOT NULL, at TEXT NOT NULL, number INTEGER NOT NULL,
  state TEXT NOT NULL, note TEXT NOT NULL, filter TEXT NOT NULL,
  PRIMARY KEY (hunt, occurrence, at, number, state, note, filter)) WITHOUT ROWID;
CREATE TABLE bonds (
  hunt TEXT NOT NULL, occurrence TEXT NOT NULL, into_hunt TEXT NOT NULL,
  into_occurrence TEXT NOT NULL, at TEXT NOT NULL,
  PRIMARY KEY (hunt, occurrence, into_hunt, into_occurrence, at)) WITHOUT ROWID;
INSERT INTO anchors SELECT f.id, o.hunt, o.id FROM findings AS f JOIN occurrences AS o ON
  o.finding = IFNULL(f.merged_into, f.id) AND (f.id = o.id OR f.id LIKE o.id || '-%') WHERE
  NOT EXISTS (SELECT * FROM occurrences AS e JOIN hunts AS h ON h.id = e.hunt WHERE
    e.finding = o.finding AND e.id = o.id AND
    (h.started, h.id) < (SELECT started, id FROM hunts WHERE id = o.hunt));
INSERT OR IGNORE INTO decisions SELECT a.hunt, a.occurrence, y.at, y.number, y.to_state, y.note,
  IIF(y.to_state = 'false-positive', f.filter, '') FROM history AS y JOIN findings AS f ON
  f.id = y.finding JOIN anchors AS a ON a.finding = f.id WHERE y.from_state <> '' AND
  y.to_state <> 'regressed' AND NOT (y.from_state = y.to_state AND y.note LIKE 'took in %');
INSERT OR IGNORE INTO bonds SELECT a.hunt, a.occurrence, b.hunt, b.occurrence, f.changed FROM
  findings AS f JOIN anchors AS a ON a.finding = f.id JOIN anchors AS b ON
  b.finding = f.merged_into;
)",
                                    R"(
ALTER TABLE hunts RENAME COLUMN sittings TO launches;
ALTER TABLE legs RENAME TO stages;
ALTER TABLE stages RENAME COLUMN leg TO stage;
)",
                                    R"(
DROP TABLE IF EXISTS signatures;
)"};

constexpr DatabaseKind kStore = {
    .name = "the triage store",
    .application_id = 0x65736f02,
    .migrations = kMigrations,
    .journal = "DELETE",
    .synchronous = "FULL",
    .look_through = true,
    .busy_ms = 20'000,
    .busy_remedy = "another esox is writing to it; try again when that has ended",
    .broken_remedy = "move it away, and make it anew by esox triage add OUT...",
    .full_remedy = "make room, or name another file by --store",
};

constexpr const char* kFindingColumns =
    "SELECT id, state, filter, note, verdict, latent, input, engine, setting, title, signature, "
    "created, changed, (SELECT TOTAL(hits) FROM occurrences WHERE finding = findings.id), (SELECT "
    "COUNT(*) FROM occurrences WHERE finding = findings.id), (SELECT COUNT(DISTINCT hunt) FROM "
    "occurrences WHERE finding = findings.id), (SELECT GROUP_CONCAT(server_version, ', ') FROM "
    "(SELECT DISTINCT server_version FROM hunts JOIN occurrences ON hunt = hunts.id WHERE finding "
    "= findings.id ORDER BY 1)) FROM findings ";

TriagedFinding finding_of(const SqlRow& row) {
  TriagedFinding one;
  std::string state;
  row.into(one.id, state, one.filter, one.note, one.verdict, one.latent, one.input, one.engine,
           one.setting, one.title, one.signature, one.created, one.changed, one.hits,
           one.occurrences, one.hunts, one.servers);
  one.state = state_from_name(state).value_or(TriageState::kNew);
  return one;
}

// As a pattern of LIKE: no character of it stands for others.
std::string literally(const std::string& text) {
  std::string pattern;
  for (const char c : text) {
    if (c == '%' || c == '_' || c == '\\') pattern += '\\';
    pattern += c;
  }
  return pattern;
}

}  // namespace

const char* state_name(TriageState state) {
  return name_in(kStateNames, state);
}

std::optional<TriageState> state_from_name(const std::string& name) {
  return value_in<TriageState>(kStateNames, name);
}

Store::Store(fs::path file) : database_(std::move(file), kStore) {}

// ---- recording

std::vector<Filed> Store::record(const RecordedHunt& hunt, const std::vector<RecordedInput>& inputs,
                                 const std::vector<Occurrence>& occurrences) {
  Transaction transaction(database_);
  // Which finding an occurrence belongs to is known at the end.
  database_.run("PRAGMA defer_foreign_keys = ON");
  const std::map<std::string, TriageState> before = states();
  put_hunt(hunt);
  put_verdicts(hunt.id, inputs);
  std::set<std::string> fresh;
  for (const Occurrence& occurrence : occurrences) {
    // The same folder looked at again says what is so now; another folder is another recording.
    const std::optional<Occurrence> there = stored({hunt.id, occurrence.id});
    if (!there) fresh.insert(occurrence.id);
    if (!there || there->folder == occurrence.folder || better(occurrence, *there)) {
      put_occurrence(hunt.id, occurrence, "");
    }
  }
  regroup();
  std::vector<Filed> filed;
  filed.reserve(occurrences.size());
  for (const Occurrence& occurrence : occurrences) {
    filed.push_back(fate_of({hunt.id, occurrence.id}, fresh.contains(occurrence.id), before));
  }
  transaction.commit();
  return filed;
}

std::map<std::string, TriageState> Store::states() {
  std::map<std::string, TriageState> states;
  database_.run(
      "SELECT f.id, g.state FROM findings AS f JOIN findings AS g ON g.id = IFNULL(f.merged_into, "
      "f.id)",
      {}, [&](const SqlRow& row) {
        states[row.text(0)] = state_from_name(row.text(1)).value_or(TriageState::kNew);
      });
  return states;
}

// `before`: the states of findings that were there, by all ids that lead to them.
Filed Store::fate_of(const OccurrenceKey& occurrence, bool fresh,
                     const std::map<std::string, TriageState>& before) {
  Filed filed;
  filed.occurrence = occurrence.id;
  filed.finding = database_
                      .text("SELECT finding FROM occurrences WHERE hunt = ? AND id = ?",
                            {occurrence.hunt, occurrence.id})
                      .value_or("");
  filed.state = state_of(filed.finding);
  bool known = false;
  bool was_fixed = false;
  database_.run("SELECT id FROM findings WHERE id = ?1 OR merged_into = ?1", {filed.finding},
                [&](const SqlRow& row) {
                  const auto was = before.find(row.text(0));
                  if (was == before.end()) return;
                  known = true;
                  was_fixed = was_fixed || was->second == TriageState::kFixed;
                });
  filed.opened = fresh && !known && anchor_of(filed.finding) == occurrence;
  filed.regressed = fresh && was_fixed && filed.state == TriageState::kRegressed;
  return filed;
}

// ---- asking

std::vector<TriagedFinding> Store::findings(const TriageFilter& filter) {
  return database_.all(
      std::string(kFindingColumns) +
          "WHERE merged_into IS NULL AND (?1 = '' OR state = ?1) AND (?2 = '' OR verdict = ?2) AND "
          "(?3 = '' OR EXISTS (SELECT * FROM occurrences JOIN hunts ON hunt = hunts.id WHERE "
          "finding = findings.id AND server_version LIKE ?4 ESCAPE '\\')) ORDER BY created, id",
      {filter.state, filter.verdict, filter.server, "%" + literally(filter.server) + "%"},
      [](const SqlRow& row) { return finding_of(row); });
}

TriagedFinding Store::finding(const std::string& id) {
  std::vector<std::string> ids;
  database_.run(
      "SELECT IFNULL(merged_into, id) FROM findings WHERE id = ? UNION SELECT IFNULL(merged_into, "
      "id) FROM findings WHERE id LIKE ? ESCAPE '\\' AND NOT EXISTS (SELECT * FROM findings WHERE "
      "id = ?)",
      {id, literally(id) + "%", id}, [&](const SqlRow& row) { ids.push_back(row.text(0)); });
  if (ids.empty()) {  // a hunt calls it so, and it has joined another one here
    database_.run(
        "SELECT DISTINCT IFNULL(merged_into, f.id) FROM occurrences AS o JOIN findings AS f ON "
        "f.id = o.finding WHERE o.id LIKE ? ESCAPE '\\'",
        {literally(id) + "%"}, [&](const SqlRow& row) { ids.push_back(row.text(0)); });
  }
  if (ids.empty() || id.empty()) {
    throw DatabaseError(
        fmt::format("{} has no finding {}; esox triage list names them", file().string(), id));
  }
  if (ids.size() > 1) {
    throw DatabaseError(fmt::format("{} has {} findings whose id begins with {}; write more of it",
                                    file().string(), ids.size(), id));
  }
  std::optional<TriagedFinding> found;
  database_.run(std::string(kFindingColumns) + "WHERE id = ?", {ids.front()},
                [&](const SqlRow& row) { found = finding_of(row); });
  return found.value();
}

std::vector<TriageChange> Store::history(const std::string& finding) {
  return database_.all(
      "SELECT at, from_state, to_state, note FROM history WHERE finding = ? ORDER BY number",
      {finding}, [](const SqlRow& row) {
        return TriageChange{row.text(0), row.text(1), row.text(2), row.text(3)};
      });
}

uint64_t Store::executions_of(const std::string& input) {
  return static_cast<uint64_t>(
      database_.number("SELECT TOTAL(executions) FROM verdicts WHERE input = ?", {input}));
}

// ---- deciding

TriageState Store::state_of(const std::string& finding) {
  const auto name = database_.text("SELECT state FROM findings WHERE id = ?", {finding});
  return state_from_name(name.value_or("")).value_or(TriageState::kNew);
}

std::string Store::change_state(const std::string& finding, TriageState state,
                                const std::string& note) {
  std::string now = utc_now();
  database_.run(
      "INSERT INTO history (finding, at, from_state, to_state, note) SELECT id, ?, state, ?, ? "
      "FROM findings WHERE id = ?",
      {now, state_name(state), note, finding});
  database_.run("UPDATE findings SET state = ?, changed = ? WHERE id = ?",
                {state_name(state), now, finding});
  return now;
}

void Store::mark(const std::string& finding, TriageState state, const std::string& note,
                 const std::string& filter) {
  Transaction transaction(database_);
  const std::string id = this->finding(finding).id;
  const OccurrenceKey anchor = anchor_of(id);
  const std::string now = change_state(id, state, note);
  database_.run(
      "INSERT INTO decisions SELECT ?, ?, ?, COUNT(*), ?, ?, ? FROM decisions WHERE at = ?",
      {anchor.hunt, anchor.id, now, state_name(state), note, filter, now});
  database_.run("UPDATE findings SET filter = ? WHERE id = ?", {filter, id});
  if (!note.empty()) database_.run("UPDATE findings SET note = ? WHERE id = ?", {note, id});
  transaction.commit();
}

// What was merged leaves its id behind, so that an old report still leads somewhere.
void Store::merge(const std::string& finding, const std::string& into) {
  Transaction transaction(database_);
  const std::string from = this->finding(finding).id;
  const std::string to = this->finding(into).id;
  if (from == to) {
    throw DatabaseError(fmt::format("{} and {} are one finding already", finding, into));
  }
  const OccurrenceKey from_anchor = anchor_of(from);
  const OccurrenceKey to_anchor = anchor_of(to);
  database_.run("PRAGMA defer_foreign_keys = ON");
  database_.run("INSERT OR IGNORE INTO bonds VALUES (?, ?, ?, ?, ?)",
                {from_anchor.hunt, from_anchor.id, to_anchor.hunt, to_anchor.id, utc_now()});
  regroup();
  transaction.commit();
}

void check_store(const fs::path& file) {
  if (is_there(file)) {
    Store store(file);
    return;
  }
  fs::path folder = file.parent_path();
  while (!folder.empty() && !is_there(folder)) folder = folder.parent_path();
  if (folder.empty()) folder = ".";
  if (is_folder(folder) && ::access(folder.c_str(), W_OK) == 0) return;
  throw DatabaseError(
      fmt::format("{} cannot be made in {}: it is no folder that can be written to; name another "
                  "file by --store, or none by --no-store",
                  kStore.name, folder.string()));
}

}  // namespace esox
