// SPDX-License-Identifier: Apache-2.0
#include "harness/records/hunt_state.h"

#include <fmt/format.h>

#include <array>
#include <random>

#include "base/mapped.h"
#include "base/process/paths.h"
#include "harness/engine/known_servers.h"
#include "harness/search/plan.h"
#include "inputs/reader.h"
#include "inputs/writer.h"

namespace esox {

static void each_place(auto& f, Of<FilterText>) {
  f(&FilterText::file, &FilterText::text);
}
static void each_place(auto& f, Of<PooledPlace>) {
  f.inlined(&PooledPlace::site);
  f(&PooledPlace::object);
}
static void each_field(auto& f, Of<HuntSpec>) {
  using Asked = HuntSpec;
  f("id", &Asked::id, kRequired);
  f("shard", &Asked::shard);
  f("started", &Asked::started, kRequired);
  f("esox_version", &Asked::esox_version, kRequired);
  f("server_version", &Asked::server_version, kRequired);
  f("server", &Asked::server, kRequired);
  f("server_kind", &Asked::server_kind);
  f("server_options", &Asked::server_options, kRequired);
  f("preload", &Asked::preload, kRequired);
  f("isolation", &Asked::isolation, kRequired);
  f("data_choices", &Asked::data_choices);
  f("contexts", &Asked::background);
  f("strategy", &Asked::strategy, kRequired);
  f("seed", &Asked::seed, kRequired);
  f("learn", &Asked::learn, kRequired);
  f("executions_each", &Asked::executions_each, kRequired);
  f("wave", &Asked::wave);
  f("budget_s", &Asked::budget_s);
  f("jobs", &Asked::jobs, kRequired);
  f("gate", &Asked::gate, kRequired);
  f("settings", &Asked::settings, kRequired);
  f("skip_failing_setups", &Asked::skip_failing_setups, kRequired);
  f("corpus", &Asked::corpus, kRequired);
  f("filters", &Asked::filters, kRequired);
  f("filter_texts", &Asked::filter_texts, kRequired);
  f("skipped", &Asked::skipped, kRequired);
}
static void each_field(auto& f, Of<HuntClock>) {
  f("seconds", &HuntClock::seconds, kRequired);
  each_field(f, Of<WorkerCounts>());
}

namespace {

namespace fs = std::filesystem;

constexpr std::array kMigrations = {
    R"(
CREATE TABLE hunt (
  asked BLOB NOT NULL, seconds REAL NOT NULL, memory_kib INTEGER NOT NULL,
  server_failures INTEGER NOT NULL, sittings INTEGER NOT NULL, ended INTEGER NOT NULL);
CREATE TABLE explorations (
  number INTEGER PRIMARY KEY, input TEXT NOT NULL, origin TEXT NOT NULL, engine TEXT NOT NULL, setting TEXT NOT NULL,
  batches INTEGER NOT NULL DEFAULT 0, given_up INTEGER NOT NULL DEFAULT 0,
  told_executions INTEGER NOT NULL DEFAULT 0, told_findings INTEGER NOT NULL DEFAULT 0,
  tally BLOB, memory BLOB);
)",
    "ALTER TABLE explorations ADD COLUMN experience BLOB;",
    R"(
ALTER TABLE hunt ADD COLUMN workers_replaced INTEGER NOT NULL DEFAULT 0;
ALTER TABLE hunt ADD COLUMN executing_s REAL NOT NULL DEFAULT 0;
ALTER TABLE hunt ADD COLUMN preparing_s REAL NOT NULL DEFAULT 0;
ALTER TABLE hunt ADD COLUMN other_s REAL NOT NULL DEFAULT 0;
)",
    "CREATE TABLE pool (places BLOB NOT NULL);",
    // The counts of the workers as one record; their columns are as they were when it came.
    R"(
ALTER TABLE hunt ADD COLUMN clock TEXT NOT NULL DEFAULT '{}';
UPDATE hunt SET clock = json_object(
  'seconds', seconds, 'memory_kib', memory_kib, 'server_failures', server_failures,
  'workers_replaced', workers_replaced, 'worker_seconds', json_object(
    'executing', executing_s, 'preparing', preparing_s, 'other', other_s));
)",
    "ALTER TABLE hunt RENAME COLUMN sittings TO launches;"};

constexpr DatabaseKind kHuntDatabase = {
    .name = "the hunt's memory",
    .application_id = 0x65736f01,
    .migrations = kMigrations,
    // A write-ahead log: a commit is one append without waiting for the disk, and whoever is killed
    // in it, or loses power, finds the state after some earlier commit whole. The last commits may
    // be lost with the power, never with the process.
    .journal = "WAL",
    .synchronous = "NORMAL",
    .exclusive = true,
    .busy_ms = 0,
    .busy_remedy = "another esox is at work on this hunt; wait for its end",
    .broken_remedy = "this hunt cannot go on; its findings are whole, begin another one by --out",
    .full_remedy = "make room, then go on by --resume",
};

fs::path file_in(const fs::path& out) {
  return out / "hunt.db";
}

std::string drawn_id() {
  std::random_device random;
  return fmt::format("{:08x}{:08x}", random(), random());
}

// Bytes that SQLite gave back whole, but that are none of ours.
[[noreturn]] void refuse(const fs::path& file, const std::exception& error) {
  throw DatabaseError(fmt::format("{} {} is damaged ({}); {}", kHuntDatabase.name, file.string(),
                                  error.what(), kHuntDatabase.broken_remedy));
}

}  // namespace

HuntState::HuntState(const fs::path& out) : database_(file_in(out), kHuntDatabase) {}

std::unique_ptr<HuntState> HuntState::begin(const fs::path& out, HuntSpec spec,
                                            const std::vector<ConcreteInput>& inputs,
                                            const Experiences& experiences,
                                            const ConflictPool& pool) {
  std::unique_ptr<HuntState> state(new HuntState(out));
  state->spec_ = std::move(spec);
  if (state->spec_.id.empty()) state->spec_.id = drawn_id();
  state->pool_ = pool;
  state->write(inputs, experiences);
  return state;
}

std::unique_ptr<HuntState> HuntState::open(const fs::path& out) {
  if (!is_there(file_in(out))) {
    throw DatabaseError(
        fmt::format("{} holds no hunt (there is no hunt.db in it); name the --out folder of one",
                    out.string()));
  }
  std::unique_ptr<HuntState> state(new HuntState(out));
  state->read();
  return state;
}

void HuntState::write(const std::vector<ConcreteInput>& inputs, const Experiences& experiences) {
  Transaction transaction(database_);
  database_.run(
      "INSERT INTO hunt (asked, clock, seconds, memory_kib, server_failures, launches, ended) "
      "VALUES (?, ?, 0, 0, 0, 0, 0)",
      {to_cbor(spec_), to_json(clock_, -1)});
  int64_t number = 0;
  for (const ConcreteInput& one : inputs) {
    database_.run(
        "INSERT INTO explorations (number, input, origin, engine, setting) VALUES (?, ?, ?, ?, ?)",
        {number, to_yaml(one.input), one.input.origin, one.engine, one.setting});
    KeptExploration& kept = explorations_.emplace_back();
    kept.input = one;
    const auto known = experiences.find(key_of(one));
    if (known != experiences.end()) {
      kept.experience = known->second;
      database_.run("UPDATE explorations SET experience = ? WHERE number = ?",
                    {to_bytes(known->second), number});
    }
    ++number;
  }
  if (!pool_.empty()) database_.run("INSERT INTO pool VALUES (?)", {to_cbor(pool_)});
  transaction.commit();
}

void HuntState::read() {
  SqlBytes asked;
  std::string clock;
  database_.run("SELECT asked, clock, launches, ended FROM hunt", {},
                [&](const SqlRow& row) { row.into(asked, clock, launches_, ended_); });
  if (asked.empty()) {
    throw DatabaseError(
        fmt::format("the hunt in {} was ended before it began; remove that folder and hunt anew",
                    database_.file().parent_path().string()));
  }
  try {
    spec_.wave = kWave;  // older files do not say
    read_cbor(asked, spec_);
    clock_ = from_json<HuntClock>(clock);
    read_explorations();
    database_.run("SELECT places FROM pool", {},
                  [&](const SqlRow& row) { pool_ = from_cbor<ConflictPool>(row.bytes(0)); });
  } catch (const DatabaseError&) {
    throw;
  } catch (const std::exception& error) {
    refuse(database_.file(), error);
  }
}

void HuntState::read_explorations() {
  database_.run(
      "SELECT number, input, engine, setting, batches, given_up, tally, memory, told_executions, "
      "told_findings, origin, experience FROM explorations ORDER BY number",
      {}, [&](const SqlRow& row) {
        size_t number = 0;
        std::string yaml;
        std::string origin;
        SqlBytes tally;
        SqlBytes memory;
        SqlBytes experience;
        KeptExploration& one = explorations_.emplace_back();
        row.into(number, yaml, one.input.engine, one.input.setting, one.batches, one.given_up,
                 tally, memory, one.told.executions, one.told.findings, origin, experience);
        if (number + 1 != explorations_.size()) throw std::runtime_error("an input is missing");
        one.input.input = parse_inputs(yaml, "hunt.db", languages()).at(0);
        one.input.input.origin = origin;
        if (!experience.empty()) one.experience = experience_of(experience);
        if (one.batches > 0) {
          one.tally = tally_of(tally);
          one.memory = exploration_memory_of(memory);
        }
      });
}

std::vector<ConcreteInput> HuntState::inputs() const {
  return mapped<ConcreteInput>(explorations_, &KeptExploration::input);
}

Experiences HuntState::experiences() const {
  Experiences experiences;
  for (const KeptExploration& one : explorations_) {
    if (one.memory) {
      experiences.emplace(key_of(one.input), experience_of(*one.memory));
    } else if (one.experience) {
      experiences.emplace(key_of(one.input), *one.experience);
    }
  }
  return experiences;
}

ConflictPool HuntState::grown_pool() const {
  ConflictPool pool;
  for (const auto& [key, experience] : experiences()) {
    pool_conflicts(experience.lessons.conflicts, pool);
  }
  merge_pools(pool_, pool);
  return pool;
}

void HuntState::begin_launch() {
  const std::lock_guard lock(mutex_);
  database_.run("UPDATE hunt SET launches = launches + 1");
  ++launches_;
}

void HuntState::keep_batch(size_t exploration, uint64_t batches, bool given_up, const Tally& tally,
                           const ExplorationMemory& memory) {
  SqlBytes tally_bytes = to_bytes(tally);
  SqlBytes memory_bytes = to_bytes(memory);
  const std::lock_guard lock(mutex_);
  database_.run(
      "UPDATE explorations SET batches = ?, given_up = ?, tally = ?, memory = ? WHERE number = ?",
      {batches, given_up, std::move(tally_bytes), std::move(memory_bytes), exploration});
}

void HuntState::keep_clock(const HuntClock& clock) {
  const std::lock_guard lock(mutex_);
  database_.run("UPDATE hunt SET clock = ?", {to_json(clock, -1)});
}

void HuntState::keep_told(const std::vector<ToldCounts>& told) {
  const std::lock_guard lock(mutex_);
  Transaction transaction(database_);
  int64_t number = 0;
  for (const ToldCounts& one : told) {
    database_.run("UPDATE explorations SET told_executions = ?, told_findings = ? WHERE number = ?",
                  {one.executions, one.findings, number++});
  }
  transaction.commit();
}

void HuntState::end() {
  const std::lock_guard lock(mutex_);
  database_.run("UPDATE hunt SET ended = 1");
  ended_ = true;
}

HuntInFolder hunt_in(const fs::path& out) {
  if (!is_there(file_in(out))) return HuntInFolder::kNone;
  try {
    Database database(file_in(out), kHuntDatabase);
    if (database.number("SELECT COUNT(*) FROM hunt") == 0) return HuntInFolder::kNone;
    return database.number("SELECT ended FROM hunt") != 0 ? HuntInFolder::kEnded
                                                          : HuntInFolder::kUnfinished;
  } catch (const DatabaseBusy&) {
    return HuntInFolder::kAtWork;
  } catch (const DatabaseError&) {
    return HuntInFolder::kNone;
  }
}

}  // namespace esox
