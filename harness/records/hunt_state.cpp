// SPDX-License-Identifier: Apache-2.0
// See hunt_state.h.
#include "harness/records/hunt_state.h"

#include <fmt/format.h>

#include <array>
#include <nlohmann/json.hpp>
#include <random>
#include <system_error>
#include <utility>

#include "harness/engine/known_servers.h"
#include "harness/search/plan.h"
#include "inputs/reader.h"
#include "inputs/writer.h"

namespace esox {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

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
    "CREATE TABLE pool (places BLOB NOT NULL);"};

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

Json json_of(const HuntOrder& order) {
  Json json = {{"id", order.id},
               {"started", order.started},
               {"esox_version", order.esox_version},
               {"server_version", order.server_version},
               {"server", order.server},
               {"server_kind", order.server_kind},
               {"server_options", order.server_options},
               {"preload", order.preload},
               {"isolation", order.isolation},
               {"data_choices", order.data_choices},
               {"strategy", order.strategy},
               {"seed", order.seed},
               {"learn", order.learn},
               {"executions_each", order.executions_each},
               {"wave", order.wave},
               {"budget_s", order.budget_s ? Json(*order.budget_s) : Json(nullptr)},
               {"jobs", order.jobs},
               {"gate", order.gate},
               {"settings", order.settings},
               {"skip_failing_setups", order.skip_failing_setups},
               {"corpus", order.corpus},
               {"filters", order.filters},
               {"filter_texts", Json::array()},
               {"skipped", Json::array()}};
  if (order.shard) {
    json["shard"] = {order.shard->campaign, shard_text(order.shard->shard),
                     order.shard->explorations, order.shard->name};
  }
  for (const FilterText& one : order.filter_texts) {
    json["filter_texts"].push_back({one.file, one.text});
  }
  for (const SkippedInput& one : order.skipped) {
    json["skipped"].push_back({one.input, one.engine, one.setting, one.why});
  }
  return json;
}

std::optional<ShardPlace> shard_in(const Json& json) {
  if (!json.contains("shard")) return std::nullopt;
  const Json& shard = json.at("shard");
  const auto place = shard_from_text(shard.at(1).get<std::string>());
  if (!place) throw std::runtime_error("its shard makes no sense");
  return ShardPlace{shard.at(0).get<std::string>(), *place, shard.at(2).get<uint64_t>(),
                    shard.at(3).get<std::string>()};
}

HuntOrder order_of(const Json& json) {
  HuntOrder order;
  order.shard = shard_in(json);
  order.server_kind = json.value("server_kind", "");
  json.at("id").get_to(order.id);
  json.at("started").get_to(order.started);
  json.at("esox_version").get_to(order.esox_version);
  json.at("server_version").get_to(order.server_version);
  json.at("server").get_to(order.server);
  json.at("server_options").get_to(order.server_options);
  json.at("preload").get_to(order.preload);
  json.at("isolation").get_to(order.isolation);
  order.data_choices = json.value("data_choices", "");
  json.at("strategy").get_to(order.strategy);
  json.at("seed").get_to(order.seed);
  json.at("learn").get_to(order.learn);
  json.at("executions_each").get_to(order.executions_each);
  order.wave = json.value("wave", kWave);
  if (!json.at("budget_s").is_null()) order.budget_s = json.at("budget_s").get<double>();
  json.at("jobs").get_to(order.jobs);
  json.at("gate").get_to(order.gate);
  json.at("settings").get_to(order.settings);
  json.at("skip_failing_setups").get_to(order.skip_failing_setups);
  json.at("corpus").get_to(order.corpus);
  json.at("filters").get_to(order.filters);
  for (const Json& one : json.at("filter_texts")) {
    order.filter_texts.push_back({one.at(0).get<std::string>(), one.at(1).get<std::string>()});
  }
  for (const Json& one : json.at("skipped")) {
    order.skipped.push_back({one.at(0).get<std::string>(), one.at(1).get<std::string>(),
                             one.at(2).get<std::string>(), one.at(3).get<std::string>()});
  }
  return order;
}

Json json_of(const ConflictPool& pool) {
  Json json = Json::array();
  for (const auto& [place, inputs] : pool) {
    json.push_back({place.site.module, place.site.offset, place.object, inputs});
  }
  return json;
}

ConflictPool pool_of(const Json& json) {
  ConflictPool pool;
  for (const Json& one : json) {
    const StableSite site{one.at(0).get<uint64_t>(), one.at(1).get<uint64_t>()};
    pool[{site, one.at(2).get<uint64_t>()}] = one.at(3).get<uint64_t>();
  }
  return pool;
}

std::array<std::string, 3> key_of(const ConcreteInput& input) {
  return {input.input.id, input.engine, input.setting};
}

// Bytes that SQLite gave back whole, but that are none of ours.
[[noreturn]] void refuse(const fs::path& file, const std::exception& error) {
  throw DatabaseError(fmt::format("{} {} is damaged ({}); {}", kHuntDatabase.name, file.string(),
                                  error.what(), kHuntDatabase.broken_remedy));
}

}  // namespace

HuntState::HuntState(const fs::path& out) : database_(file_in(out), kHuntDatabase) {}

std::unique_ptr<HuntState> HuntState::begin(const fs::path& out, HuntOrder order,
                                            const std::vector<ConcreteInput>& inputs,
                                            const Experiences& experiences,
                                            const ConflictPool& pool) {
  std::unique_ptr<HuntState> state(new HuntState(out));
  state->order_ = std::move(order);
  if (state->order_.id.empty()) state->order_.id = drawn_id();
  state->pool_ = pool;
  state->write(inputs, experiences);
  return state;
}

std::unique_ptr<HuntState> HuntState::open(const fs::path& out) {
  std::error_code error;
  if (!fs::exists(file_in(out), error)) {
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
      "INSERT INTO hunt (asked, seconds, memory_kib, server_failures, sittings, ended) VALUES (?, "
      "0, 0, 0, 0, 0)",
      {Json::to_cbor(json_of(order_))});
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
  write_pool();
  transaction.commit();
}

void HuntState::read() {
  SqlBytes asked;
  database_.run(
      "SELECT asked, seconds, memory_kib, server_failures, sittings, ended, workers_replaced, "
      "executing_s, preparing_s, other_s FROM hunt",
      {}, [&](const SqlRow& row) {
        asked = row.bytes(0);
        clock_ = {row.real(1),
                  static_cast<uint64_t>(row.number(2)),
                  static_cast<uint64_t>(row.number(3)),
                  static_cast<uint64_t>(row.number(6)),
                  {row.real(7), row.real(8), row.real(9)}};
        sittings_ = static_cast<uint64_t>(row.number(4));
        ended_ = row.number(5) != 0;
      });
  if (asked.empty()) {
    throw DatabaseError(
        fmt::format("the hunt in {} was ended before it began; remove that folder and hunt anew",
                    database_.file().parent_path().string()));
  }
  try {
    order_ = order_of(Json::from_cbor(asked));
    read_explorations();
    read_pool();
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
        if (row.number(0) != static_cast<int64_t>(explorations_.size())) {
          throw std::runtime_error("an input is missing");
        }
        KeptExploration one;
        one.input = {parse_inputs(row.text(1), "hunt.db", languages()).at(0), row.text(2),
                     row.text(3)};
        one.input.input.origin = row.text(10);
        const SqlBytes experience = row.bytes(11);
        if (!experience.empty()) one.experience = experience_of(experience);
        one.batches = static_cast<uint64_t>(row.number(4));
        one.given_up = row.number(5) != 0;
        if (one.batches > 0) {
          one.tally = tally_of(row.bytes(6));
          one.memory = exploration_memory_of(row.bytes(7));
        }
        one.told = {static_cast<uint64_t>(row.number(8)), static_cast<uint64_t>(row.number(9))};
        explorations_.push_back(std::move(one));
      });
}

std::vector<ConcreteInput> HuntState::inputs() const {
  std::vector<ConcreteInput> inputs;
  for (const KeptExploration& one : explorations_) inputs.push_back(one.input);
  return inputs;
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

void HuntState::write_pool() {
  if (!pool_.empty()) {
    database_.run("INSERT INTO pool VALUES (?)", {SqlBytes(Json::to_cbor(json_of(pool_)))});
  }
}

void HuntState::read_pool() {
  database_.run("SELECT places FROM pool", {},
                [&](const SqlRow& row) { pool_ = pool_of(Json::from_cbor(row.bytes(0))); });
}

ConflictPool HuntState::grown_pool() const {
  ConflictPool pool;
  for (const auto& [key, experience] : experiences()) {
    pool_conflicts(experience.lessons.conflicts, pool);
  }
  merge_pools(pool_, pool);
  return pool;
}

void HuntState::begin_sitting() {
  const std::lock_guard lock(mutex_);
  database_.run("UPDATE hunt SET sittings = sittings + 1");
  ++sittings_;
}

void HuntState::keep_batch(size_t exploration, uint64_t batches, bool given_up, const Tally& tally,
                           const ExplorationMemory& memory) {
  SqlBytes tally_bytes = to_bytes(tally);
  SqlBytes memory_bytes = to_bytes(memory);
  const std::lock_guard lock(mutex_);
  database_.run(
      "UPDATE explorations SET batches = ?, given_up = ?, tally = ?, memory = ? WHERE number = ?",
      {static_cast<int64_t>(batches), int64_t{given_up}, std::move(tally_bytes),
       std::move(memory_bytes), static_cast<int64_t>(exploration)});
}

void HuntState::keep_clock(const HuntClock& clock) {
  const std::lock_guard lock(mutex_);
  database_.run(
      "UPDATE hunt SET seconds = ?, memory_kib = ?, server_failures = ?, workers_replaced = ?, "
      "executing_s = ?, preparing_s = ?, other_s = ?",
      {clock.seconds, static_cast<int64_t>(clock.memory_kib),
       static_cast<int64_t>(clock.server_failures), static_cast<int64_t>(clock.workers_replaced),
       clock.time.executing_s, clock.time.preparing_s, clock.time.other_s});
}

void HuntState::keep_told(const std::vector<ToldCounts>& told) {
  const std::lock_guard lock(mutex_);
  Transaction transaction(database_);
  int64_t number = 0;
  for (const ToldCounts& one : told) {
    database_.run(
        "UPDATE explorations SET told_executions = ?, told_findings = ? WHERE number = ?",
        {static_cast<int64_t>(one.executions), static_cast<int64_t>(one.findings), number++});
  }
  transaction.commit();
}

void HuntState::end() {
  const std::lock_guard lock(mutex_);
  database_.run("UPDATE hunt SET ended = 1");
  ended_ = true;
}

HuntInFolder hunt_in(const fs::path& out) {
  std::error_code error;
  if (!fs::exists(file_in(out), error)) return HuntInFolder::kNone;
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
