// SPDX-License-Identifier: Apache-2.0
// What is known of a finding's reproducer (harness/findings/reproduce): how often it violated where
// it was made, or why there is none. It is kept in reproduce.json beside finding.yaml, as
// "measured"; reports and triage show it. And the rounds of one on any server, told apart by what
// was seen and no further.
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

namespace esox {

// Of a reproducer on one server.
struct PlayedRounds {
  uint64_t rounds = 0;
  uint64_t violated = 0;
  std::map<std::string, uint64_t> what;  // rounds by outcome: "violated", "held", ...
  std::string why;   // of a round that was neither; without rounds: why there are none
  std::string held;  // "B at mysql_rename_table (2nd time)"
  uint64_t control_rounds = 0;
  uint64_t control_violated = 0;
  std::string seen;               // what no serial order gave, as JSON; empty: nothing
  bool as_made = false;           // that is what was seen where the reproducer was made
  std::vector<std::string> told;  // all that the script says, a line each

  // It shows the finding. Other outcomes that no serial order gives may be another bug, or what
  // filters forgive, which the script does not know: they are told, and decide nothing.
  bool shows_the_finding() const { return violated > 0 && control_violated == 0 && as_made; }
};

void each_field(auto& f, Of<PlayedRounds>) {
  f("rounds", &PlayedRounds::rounds, kRequired);
  f("violated", &PlayedRounds::violated);
  f("what", &PlayedRounds::what);
  f("why", &PlayedRounds::why);
  f("held", &PlayedRounds::held);
  f("control_rounds", &PlayedRounds::control_rounds);
  f("control_violated", &PlayedRounds::control_violated);
  f("seen", &PlayedRounds::seen);
  f("as_made", &PlayedRounds::as_made);
  f("told", &PlayedRounds::told);
}

struct ReproducerRecord {
  std::string needs_esox;  // why there is none; empty: there is one
  bool by_name = false;    // all places are functions with names, not offsets in one build
  std::string version;     // of the server where it was made
  PlayedRounds rounds;     // there
};

void each_field(auto& f, Of<ReproducerRecord>) {
  f("needs_esox", &ReproducerRecord::needs_esox);
  f("by_name", &ReproducerRecord::by_name);
  f("version", &ReproducerRecord::version);
  f("rounds", &ReproducerRecord::rounds);
}

// "violated 20 of 20", "held as told, violated 0 of 20", "place unknown: ..."
std::string rounds_text(const PlayedRounds& played);

// "by name, violated 20 of 20", "by offset, ...", "needs esox"; with the places held, the control,
// or the reason.
std::string reproducer_text(const ReproducerRecord& record);
std::string short_reproducer_text(const ReproducerRecord& record);

// Of reproduce.json's text; nothing: it says nothing of what was measured. Throws RecordError.
std::optional<ReproducerRecord> reproducer_record(const std::string& reproduce_json);

// Of a finding's folder. A file that makes no sense is none.
std::optional<ReproducerRecord> read_reproducer_record(const std::filesystem::path& folder);

}  // namespace esox
