// SPDX-License-Identifier: Apache-2.0
// Which servers have a finding: a row per server, as `esox affected` keeps them beside finding.yaml
// (affected.json, affected.txt) and as reports show them. How a row comes about:
// harness/findings/affected.
//
// Plain data, and its text.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/record/record.h"
#include "harness/records/reproducer_record.h"

namespace esox {

enum class Affected {
  kHasIt,
  kNotSeen,
  kRefused,     // the setup, or a request that was accepted where it was found
  kCannotTell,  // nothing can be said: it does not start, control was lost ...
};

const char* affected_name(Affected affected);  // "has it", "not seen", "refused", "cannot tell"
void write_value(ValueWriter& out, Affected affected);
void read_value(const ValueReader& in, Affected& affected);

// Executions of a finding's input on one server, under one strategy.
struct SearchCounts {
  uint64_t executions = 0;
  uint64_t degraded = 0;     // of them: not judged
  uint64_t hits = 0;         // of the finding's violation, or its family's
  uint64_t first_hit = 0;    // the execution, from 1; 0: none
  uint64_t unconfirmed = 0;  // it was seen, but its schedule did not give it again
  // Of the judged ones: by a schedule that others suggested (prediction.h), not drawn by the
  // strategy, and so no sample of its rate.
  uint64_t predicted = 0;
  uint64_t predicted_hits = 0;
  std::map<std::string, uint64_t> degraded_reasons;

  uint64_t judged() const { return executions - degraded; }
  uint64_t drawn() const { return judged() - predicted; }
  uint64_t drawn_hits() const { return hits - predicted_hits; }
};

void each_field(auto& f, Of<SearchCounts>) {
  f("executions", &SearchCounts::executions, kRequired);
  f("degraded", &SearchCounts::degraded);
  f("hits", &SearchCounts::hits);
  f("first_hit", &SearchCounts::first_hit);
  f("unconfirmed", &SearchCounts::unconfirmed);
  f("predicted", &SearchCounts::predicted);
  f("predicted_hits", &SearchCounts::predicted_hits);
  f("degraded_reasons", &SearchCounts::degraded_reasons);
}

// A violation that is not the finding's.
struct OtherViolation {
  std::string cause;  // as cause.h tells it, without what differs between builds
  uint64_t hits = 0;
  uint64_t seed = 0;  // of the first
};

void each_field(auto& f, Of<OtherViolation>) {
  f("cause", &OtherViolation::cause, kRequired);
  f("hits", &OtherViolation::hits);
  f("seed", &OtherViolation::seed);
}

struct AffectedSearch : SearchCounts {
  std::string strategy;
  std::vector<OtherViolation> other;
};

void each_field(auto& f, Of<AffectedSearch>) {
  f("strategy", &AffectedSearch::strategy, kRequired);
  each_field(f, Of<SearchCounts>());
  f("other_violations", &AffectedSearch::other);
}

inline constexpr const char* kReplayFailed = "not reproduced";  // as AffectedRow::replay

struct AffectedRow {
  std::string server;   // as it was named
  std::string path;     // of its program; empty: it could not be opened
  std::string version;  // as the server says
  std::vector<std::string> options;
  bool home = false;  // where the finding was found
  Affected answer = Affected::kCannotTell;
  std::string reason;                    // of a refusal, or why it cannot be told; one line
  std::optional<PlayedRounds> played;    // of the finding's reproducer, where there is one
  std::string replay;                    // of the finding's schedule: "to the letter", ...
  std::string replay_why;                // it was not to the letter
  std::vector<AffectedSearch> searches;  // by the finding's own strategy first
  // Of a row that has not shown it: how probable it was that it would have been seen, and the
  // version with whose rate that was reckoned (AffectedTable::confidence). Nothing: not known.
  std::optional<double> would_have_been_seen;
  std::string as_frequent_as;

  uint64_t executions() const;  // judged ones of all searches
};

void each_field(auto& f, Of<AffectedRow>) {
  f("server", &AffectedRow::server, kRequired);
  f("path", &AffectedRow::path);
  f("version", &AffectedRow::version);
  f("options", &AffectedRow::options);
  f("found_there", &AffectedRow::home);
  f("answer", &AffectedRow::answer, kRequired);
  f("reason", &AffectedRow::reason);
  f("reproducer", &AffectedRow::played);
  f("replay", &AffectedRow::replay);
  f("replay_why", &AffectedRow::replay_why);
  f("searches", &AffectedRow::searches);
  f("would_have_been_seen", &AffectedRow::would_have_been_seen);
  f("as_frequent_as", &AffectedRow::as_frequent_as);
}

struct AffectedTable {
  std::string finding;  // its id
  std::string input;    // "pairs/a--b on Aria"
  std::string violation;
  std::string made;  // utc_now()
  std::string esox;  // "0.1.0 (c73e0271a2b3)"
  uint64_t seed = 0;
  uint64_t executions_each = 0;  // of each search, at most
  uint64_t variants = 0;         // of the re-aligned schedule, at most
  double confidence = 0;         // of the rates from which probabilities are reckoned
  bool stopped = false;          // by a signal: rows may be missing
  std::vector<AffectedRow> rows;
};

void each_field(auto& f, Of<AffectedTable>) {
  f("finding", &AffectedTable::finding, kRequired);
  f("input", &AffectedTable::input);
  f("violation", &AffectedTable::violation);
  f("made", &AffectedTable::made);
  f("esox", &AffectedTable::esox);
  f("seed", &AffectedTable::seed);
  f("executions_each", &AffectedTable::executions_each);
  f("variants", &AffectedTable::variants);
  f("confidence", &AffectedTable::confidence);
  f("stopped", &AffectedTable::stopped);
  f("rows", &AffectedTable::rows, kRequired);
}

// "has it (41 of 300)", "not in 10000 executions; would have been seen with probability 0.99 ..."
std::string answer_text(const AffectedRow& row);
// What its reproducer gave there, and what else came, a line each.
std::vector<std::string> other_texts(const AffectedRow& row);
// When, by what, how many and how searched; a sentence or two.
std::string how_text(const AffectedTable& table);

std::string affected_text(const AffectedTable& table);
std::string affected_json(const AffectedTable& table);

// affected.txt and affected.json beside finding.yaml (beside_finding). Throws OutError.
void write_affected(const std::filesystem::path& finding_file, const AffectedTable& table);

// Of a finding's folder; one that makes no sense is none.
std::optional<AffectedTable> read_affected(const std::filesystem::path& folder);

}  // namespace esox
