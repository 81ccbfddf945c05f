// SPDX-License-Identifier: Apache-2.0
#include "harness/nights/night/night_store.h"

#include <fmt/format.h>

#include <array>

#include "base/text/number.h"
#include "harness/nights/night/history.h"

namespace esox {
namespace {

constexpr std::array kMigrations = {R"(
CREATE TABLE nights (
  number INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, started TEXT NOT NULL, text BLOB NOT NULL,
  shard TEXT NOT NULL, seed TEXT NOT NULL, seconds REAL NOT NULL, recheck_s REAL NOT NULL,
  rechecked INTEGER NOT NULL, sittings INTEGER NOT NULL, state INTEGER NOT NULL);
CREATE TABLE legs (
  night INTEGER NOT NULL REFERENCES nights, position INTEGER NOT NULL, name TEXT NOT NULL,
  state INTEGER NOT NULL, budget_s REAL NOT NULL, seconds REAL NOT NULL, restarts INTEGER NOT NULL,
  attempt INTEGER NOT NULL, jobs INTEGER NOT NULL, failure TEXT NOT NULL,
  reached INTEGER NOT NULL DEFAULT 0, reached_all INTEGER NOT NULL DEFAULT 0,
  PRIMARY KEY (night, name)) WITHOUT ROWID;
CREATE INDEX legs_by_name ON legs (name, night);
CREATE TABLE turns (
  leg TEXT NOT NULL, input TEXT NOT NULL, engine TEXT NOT NULL, last_night INTEGER NOT NULL,
  nights INTEGER NOT NULL, yield INTEGER NOT NULL, PRIMARY KEY (leg, input, engine)) WITHOUT ROWID;
)",
                                    R"(
ALTER TABLE nights ADD COLUMN boot TEXT NOT NULL DEFAULT '';
ALTER TABLE nights ADD COLUMN boot_s REAL NOT NULL DEFAULT 0;
)",
                                    R"(
ALTER TABLE nights RENAME COLUMN sittings TO launches;
ALTER TABLE legs RENAME TO stages;
DROP INDEX legs_by_name;
CREATE INDEX stages_by_name ON stages (name, night);
ALTER TABLE turns RENAME COLUMN leg TO stage;
)"};

constexpr DatabaseKind kNights = {
    .name = "the memory of the nights",
    .application_id = 0x65736f03,
    .migrations = kMigrations,
    .journal = "DELETE",
    .synchronous = "FULL",
    .look_through = true,
    .busy_ms = 20'000,
    .busy_remedy = "another program writes to it; wait for its end",
    .broken_remedy = "move it away: the nights begin anew, findings.db knows what was found",
    .full_remedy = "make room",
};

constexpr uint64_t kReachNights = 3;

// Behind `last` however the clock was moved.
std::string id_behind(const std::string& id, const std::string& last) {
  if (id > last) return id;
  const size_t suffix = last.find("Z-");
  const uint64_t before =
      suffix == std::string::npos ? 1 : number_of<uint64_t>(last.substr(suffix + 2)).value_or(0);
  return fmt::format("{}-{:04}", last.substr(0, last.find('Z') + 1), before + 1);
}

}  // namespace

NightStore::NightStore(const std::filesystem::path& out) : database_(out / "nights.db", kNights) {}

std::optional<StoredNight> NightStore::last_night() {
  std::optional<StoredNight> night;
  database_.run(
      "SELECT number, id, started, text, shard, seed, seconds, recheck_s, rechecked, launches, "
      "state, boot, boot_s FROM nights ORDER BY number DESC LIMIT 1",
      {}, [&](const SqlRow& row) {
        StoredNight& one = night.emplace();
        row.into(one.number, one.id, one.started, one.text, one.shard, SqlDigits{one.seed},
                 one.seconds, one.recheck_s, one.rechecked, one.launches, one.state, one.boot,
                 one.boot_s);
      });
  return night;
}

std::vector<std::string> NightStore::night_ids() {
  return database_.all("SELECT id FROM nights ORDER BY number DESC", {},
                       [](const SqlRow& row) { return row.text(0); });
}

void NightStore::begin_night(StoredNight& night, const std::vector<std::string>& stages) {
  const auto last = last_night();
  night.number = last ? last->number + 1 : 1;
  night.id = night_id_of(night.started);
  if (last) night.id = id_behind(night.id, last->id);
  Transaction transaction(database_);
  database_.run("INSERT INTO nights VALUES (?, ?, ?, ?, ?, ?, 0, 0, 0, 0, 0, ?, ?)",
                {night.number, night.id, night.started, night.text, night.shard,
                 std::to_string(night.seed), night.boot, night.boot_s});
  int64_t position = 0;
  for (const std::string& stage : stages) {
    database_.run(
        "INSERT INTO stages (night, position, name, state, budget_s, seconds, restarts, attempt, "
        "jobs, failure) VALUES (?, ?, ?, 0, 0, 0, 0, 1, 0, '')",
        {night.number, position++, stage});
  }
  transaction.commit();
}

void NightStore::keep_night(const StoredNight& night) {
  database_.run(
      "UPDATE nights SET seconds = ?, recheck_s = ?, rechecked = ?, launches = ?, state = ? WHERE "
      "number = ?",
      {night.seconds, night.recheck_s, night.rechecked, night.launches, night.state, night.number});
}

std::vector<NightStage> NightStore::stages(uint64_t night) {
  std::vector<NightStage> stages;
  database_.run(
      "SELECT name, state, budget_s, seconds, restarts, attempt, jobs, failure FROM stages WHERE "
      "night = ? ORDER BY position",
      {night}, [&](const SqlRow& row) {
        NightStage& one = stages.emplace_back();
        row.into(one.name, one.state, one.budget_s, one.seconds, one.restarts, one.attempt,
                 one.jobs, one.failure);
      });
  return stages;
}

void NightStore::keep_stage(uint64_t night, const NightStage& stage) {
  database_.run(
      "UPDATE stages SET state = ?, budget_s = ?, seconds = ?, restarts = ?, attempt = ?, jobs = "
      "?, failure = ? WHERE night = ? AND name = ?",
      {stage.state, stage.budget_s, stage.seconds, stage.restarts, stage.attempt, stage.jobs,
       stage.failure, night, stage.name});
}

std::vector<std::pair<std::string, uint64_t>> NightStore::earlier_folders(
    uint64_t night, const std::string& stage) {
  std::vector<std::pair<std::string, uint64_t>> folders;
  database_.run(
      "SELECT nights.id, attempt FROM stages JOIN nights ON night = number WHERE name = ? AND "
      "night < ? AND stages.state <> 0 ORDER BY night DESC LIMIT 5",
      {stage, night}, [&](const SqlRow& row) { folders.emplace_back(row.text(0), row.count(1)); });
  return folders;
}

std::map<TurnKey, TurnHistory> NightStore::turns(const std::string& stage) {
  std::map<TurnKey, TurnHistory> turns;
  database_.run(
      "SELECT input, engine, last_night, yield FROM turns WHERE stage = ?", {stage},
      [&](const SqlRow& row) {
        turns[{row.text(0), row.text(1)}] = {row.count(2), static_cast<TurnYield>(row.number(3))};
      });
  return turns;
}

void NightStore::take_turns(uint64_t night, const std::string& stage,
                            const std::vector<TurnTaken>& taken) {
  Transaction transaction(database_);
  for (const TurnTaken& one : taken) {
    database_.run(
        "INSERT INTO turns VALUES (?1, ?2, ?3, ?4, 1, ?5) ON CONFLICT DO UPDATE SET "
        "nights = nights + (last_night <> ?4), last_night = ?4, yield = ?5",
        {stage, one.key.first, one.key.second, night, one.yield});
  }
  transaction.commit();
}

std::optional<uint64_t> NightStore::reach(const std::string& stage) {
  std::optional<uint64_t> least;
  bool all = false;
  database_.run(
      "SELECT reached, reached_all FROM stages WHERE name = ? AND reached > 0 ORDER BY night DESC "
      "LIMIT ?",
      {stage, kReachNights}, [&](const SqlRow& row) {
        all = all || row.number(1) != 0;
        if (row.number(1) == 0) least = std::min(least.value_or(UINT64_MAX), row.count(0));
      });
  if (!least && all) return UINT64_MAX;
  return least;
}

void NightStore::keep_reach(uint64_t night, const std::string& stage, uint64_t reached, bool all) {
  database_.run("UPDATE stages SET reached = ?, reached_all = ? WHERE night = ? AND name = ?",
                {reached, all, night, stage});
}

}  // namespace esox
