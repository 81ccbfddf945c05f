// SPDX-License-Identifier: Apache-2.0
// What a night knows of itself: the one source for night.json, the log, the summary and the
// metrics.
//
// A night is one run of a hunt file (`esox night FILE`). It consists of stages; a stage is one
// hunt, of one corpus on one server under one row of the options matrix, in a process and an OUT
// folder of its own. Folders of a hunt file's `out`:
//
//   findings.db            the triage store of all nights (harness/records/triage/store.h)
//   nights.db              what past nights did, and whose turn it is (turns.h)
//   nights/ID/             one night; ID is its beginning, "2026-11-22T02-00-00Z"
//     STAGE/                 the OUT folder of a stage's hunt
//     night.json           this, as JSON; replaced whole while the night goes on
//     log.jsonl            what happened, one JSON object a line
//     summary.txt  summary.html  esox.prom
//
// Plain data.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "harness/records/counts.h"

namespace esox {

// An input on one engine that had no execution tonight, or not all it was planned.
struct NotDone {
  std::string input;
  std::string engine;
  std::string why;  // "not reached before the budget was spent", "setup fails: ..."
};

void each_field(auto& f, Of<NotDone>) {
  f("input", &NotDone::input);
  f("engine", &NotDone::engine);
  f("why", &NotDone::why);
}

// Its counts are those of its hunt.
struct StageReport : HuntCounts {
  std::string name;  // "tonight-binlog-shipped": server, options, corpus; a folder name, too
  std::string server_name;
  std::string server_path;
  std::string server_version;  // empty: it never started
  std::vector<std::string> server_options;
  std::string corpus;
  std::string strategy;
  uint64_t seed = 0;
  double budget_s = 0;  // planned
  double seconds = 0;   // had
  unsigned jobs = 1;
  uint64_t inputs_planned = 0;  // inputs times engines
  uint64_t inputs_reached = 0;
  uint64_t findings = 0;
  uint64_t restarts = 0;  // of the stage's process, by the night, and why: in the log
  std::vector<NotDone> not_done;
  std::string failure;  // empty: none
  std::filesystem::path folder;
};

void each_field(auto& f, Of<StageReport>) {
  using StageFields = StageReport;
  f("name", &StageFields::name, kRequired);
  f.group("server", [](auto& server) {
    server("name", &StageFields::server_name, kRequired);
    server("path", &StageFields::server_path);
    server("version", &StageFields::server_version);
    server("options", &StageFields::server_options);
  });
  f("corpus", &StageFields::corpus);
  f("strategy", &StageFields::strategy);
  f("seed", &StageFields::seed);
  f("jobs", &StageFields::jobs);
  f("budget_seconds", &StageFields::budget_s);
  f("seconds", &StageFields::seconds);
  f("inputs_planned", &StageFields::inputs_planned);
  f("inputs_reached", &StageFields::inputs_reached);
  each_field(f, Of<HuntCounts>());
  f("findings", &StageFields::findings);
  f("restarts", &StageFields::restarts);
  f("failure", &StageFields::failure);
  f("folder", &StageFields::folder);
  f("not_done", &StageFields::not_done);
}

struct NightReport {
  std::string id;
  std::string name;            // of the hunt file
  std::filesystem::path file;  // the hunt file
  std::string esox_version;
  std::string shard;    // "3/20"; empty: all of it
  std::string started;  // UTC, ISO 8601
  std::string ended;    // empty: it goes on, or was killed
  double seconds = 0;   // over all launches
  std::optional<double> budget_s;
  uint64_t launches = 1;
  bool interrupted = false;       // by a signal
  double recheck_s = 0;           // spent on known findings
  uint64_t nights_until_all = 0;  // every input has had its turn within so many; 0: not known
  std::vector<StageReport> stages;
  std::vector<std::string> missing;  // what was not done or may be lost, in sentences
  std::string failure;
};

void each_field(auto& f, Of<NightReport>) {
  using NightFields = NightReport;
  f("id", &NightFields::id, kRequired);
  f("name", &NightFields::name);
  f("file", &NightFields::file);
  f("esox_version", &NightFields::esox_version);
  f("shard", &NightFields::shard);
  f("started", &NightFields::started);
  f("ended", &NightFields::ended);
  f("interrupted", &NightFields::interrupted);
  f("failure", &NightFields::failure);
  f("missing", &NightFields::missing);
  f("budget_seconds", &NightFields::budget_s);
  f("seconds", &NightFields::seconds);
  f("launches", &NightFields::launches, kOptional, "sittings");
  f("recheck_seconds", &NightFields::recheck_s);
  f("nights_until_all", &NightFields::nights_until_all);
  f("stages", &NightFields::stages, kOptional, "legs");
}

// ---- night.json
//
// Fields that a file of an earlier version lacks keep their defaults; a field of a wrong kind, or a
// file that is cut off, is an error.

std::string night_json(const NightReport& night);

inline constexpr const char* kNightFile = "night.json";

// `file` is the name used in messages. Throws ReportError.
NightReport night_from_json(const std::string& text, const std::string& file);

// NIGHT/night.json. Throws ReportError.
NightReport read_night(const std::filesystem::path& night);

// What an earlier launch of the same night had told there of its stages, and what is missing. A
// file that is not there, or damaged, tells nothing.
void recall_night(NightReport& night, const std::filesystem::path& file);

// The nights of a hunt file's OUT, or of OUT/nights, by their ids, the oldest first: folders that
// hold a night.json.
std::vector<std::filesystem::path> night_folders(const std::filesystem::path& out);

}  // namespace esox
