// SPDX-License-Identifier: Apache-2.0
// Of store.h: what belongs to nights.
#include "harness/records/triage/store.h"

namespace esox {
std::optional<std::string> Store::hunt_of(const std::string& out) {
  return database_.text("SELECT id FROM hunts WHERE out = ? ORDER BY started DESC LIMIT 1", {out});
}

void Store::record_stage(const StoredStage& stage) {
  database_.run("INSERT OR REPLACE INTO stages VALUES (?, ?, ?, ?)",
                {stage.hunt, stage.night, stage.stage, stage.server_name});
}

std::vector<StoredStage> Store::stages() {
  std::vector<StoredStage> all;
  database_.run("SELECT hunt, night, stage, server_name FROM stages ORDER BY night, stage", {},
                [&](const SqlRow& row) {
                  StoredStage& one = all.emplace_back();
                  row.into(one.hunt, one.night, one.stage, one.server_name);
                });
  return all;
}

std::vector<StageAccount> Store::stage_accounts() {
  std::vector<StageAccount> all;
  database_.run(
      "SELECT stages.hunt, night, stage, server_name, server_options, strategy, seed, v.input, "
      "v.engine, v.setting, TOTAL(v.executions) FROM (SELECT DISTINCT input, engine, setting FROM "
      "occurrences) AS place JOIN verdicts AS v ON v.input = place.input AND v.engine = "
      "place.engine AND v.setting = place.setting JOIN stages ON stages.hunt = v.hunt JOIN hunts "
      "ON hunts.id = v.hunt WHERE v.verdict <> ? GROUP BY v.hunt, v.input, v.engine, v.setting",
      {class_name(VerdictClass::kDegraded)}, [&](const SqlRow& row) {
        StageAccount& one = all.emplace_back();
        row.into(one.stage.hunt, one.stage.night, one.stage.stage, one.stage.server_name,
                 one.server_options, one.strategy, SqlDigits{one.seed}, one.input, one.engine,
                 one.setting, one.executions);
      });
  return all;
}

void Store::record_recheck(const StoredRecheck& recheck) {
  database_.run(
      "INSERT OR REPLACE INTO rechecks VALUES (?, ?, ?, strftime('%Y-%m-%dT%H:%M:%SZ', 'now'), ?, "
      "?)",
      {recheck.night, recheck.server_name, recheck.finding, recheck.result, recheck.why});
}

std::vector<StoredRecheck> Store::rechecks() {
  return database_.all(
      "SELECT night, server_name, finding, at, result, why FROM rechecks ORDER BY night, "
      "server_name, finding",
      {}, [](const SqlRow& row) {
        return StoredRecheck{row.text(0), row.text(1), row.text(2),
                             row.text(3), row.text(4), row.text(5)};
      });
}

}  // namespace esox
