// SPDX-License-Identifier: Apache-2.0
// All that a generation knows at the beginning of an epoch, and that the epoch follows from.
// Plain data with its counts; kept by made_corpus.h.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/record/record.h"
#include "harness/generate/energy.h"
#include "harness/generate/feature_counts.h"
#include "harness/records/kind_matrix.h"
#include "harness/records/shard.h"
#include "harness/records/tally.h"
#include "harness/search/bandit.h"
#include "inputs/generation/maker.h"
#include "inputs/holdings.h"
#include "inputs/input.h"

namespace esox {

inline constexpr size_t kMostMembers = 20'000;
// Of a member: its rarest ones, when it was kept.
inline constexpr size_t kMostOwnFeatures = 128;
// Findings of one cause that are confirmed and kept.
inline constexpr uint64_t kMostOfCause = 3;

// What was asked for. A corpus goes on under the same only.
struct GenerationSpec {
  std::string id;  // 16 hex digits
  std::string started;
  std::string esox_version;
  std::string server_version;
  std::vector<std::string> server_options;
  std::string grammar;  // digest of its text
  std::string taught;   // digest of the inputs that it began with; empty: none
  uint64_t seed = 0;
  std::string shard;  // "3/20"; empty: the whole
  bool feedback = true;
  std::string data_choices;  // as --data-choices has them
  std::string background;    // as --background has it
};

void each_field(auto& f, Of<GenerationSpec>) {
  using Spec = GenerationSpec;
  f("id", &Spec::id, kRequired);
  f("started", &Spec::started);
  f("esox_version", &Spec::esox_version);
  f("server_version", &Spec::server_version);
  f("server_options", &Spec::server_options);
  f("grammar", &Spec::grammar);
  f("taught", &Spec::taught);
  f("seed", &Spec::seed);
  f("shard", &Spec::shard);
  f("feedback", &Spec::feedback);
  f("data_choices", &Spec::data_choices);
  f("background", &Spec::background);
}

struct GenerationTotals {
  uint64_t mutants = 0;
  uint64_t tried = 0;   // of them, had concurrent executions
  uint64_t judged = 0;  // of those, by serial orders
  uint64_t kept = 0;
  uint64_t executions = 0;         // concurrent ones, replays among them
  uint64_t serial_executions = 0;  // of those that were judged
  uint64_t requests = 0;           // one client after the other
  uint64_t succeeded = 0;          // of them
  uint64_t findings = 0;           // kept
  uint64_t causes = 0;             // of them, as far as their families tell
  uint64_t on_known_causes = 0;    // executions of inputs that showed one
  std::map<std::string, uint64_t> fates;
};

void each_field(auto& f, Of<GenerationTotals>) {
  using Totals = GenerationTotals;
  f("mutants", &Totals::mutants, kSum);
  f("tried", &Totals::tried, kSum);
  f("judged", &Totals::judged, kSum);
  f("kept", &Totals::kept, kSum);
  f("executions", &Totals::executions, kSum);
  f("serial_executions", &Totals::serial_executions, kSum);
  f("requests", &Totals::requests, kSum);
  f("requests_succeeded", &Totals::succeeded, kSum);
  f("findings", &Totals::findings, kSum);
  f("causes", &Totals::causes, kSum);
  f("executions_on_known_causes", &Totals::on_known_causes, kSum);
  f("fates", &Totals::fates, kSum);
}

// An input of the corpus.
struct CorpusMember : Vitality {
  uint64_t number = 0;  // from 1, in the order of keeping
  Input input;
  std::string file;  // within the corpus
  uint64_t parent = 0;
  std::string made_by;
  uint64_t seed = 0;
  uint64_t epoch = 0;
  Tally tally;  // empty: it was not judged
};

// A key of a family of findings.
struct CauseRecord {
  bool told_before = false;  // the triage store knows it, and somebody has looked at it
  uint64_t confirmed = 0;    // findings of it that are kept here
};

struct GenerationState {
  GenerationSpec spec;
  uint64_t epochs = 0;  // that are over
  uint64_t last_member = 0;
  GenerationTotals totals;
  double judge_from = 0;
  std::vector<CorpusMember> members;  // by number
  FeatureCounts counts;
  std::array<ArmRecord, kMutations> mutators{};
  std::vector<TemplateRate> templates;
  uint64_t made = 0;  // inputs, by the maker
  std::map<std::string, CauseRecord> causes;
  KindMatrix kinds;
  std::map<std::string, Holdings> holdings;  // by setup_key()

  bool is_no_news(const std::vector<std::string>& keys) const;
  const CorpusMember* member(uint64_t number) const;
  // Inputs that had requests of these kinds in different clients.
  uint64_t tried(std::string_view kind, std::string_view other) const;
};

// 16 hex digits of all that comes before the clients.
std::string setup_key(const Input& input);
// Of all that it says to the server; with the setup's key an id.
std::string text_key(const Input& input);
std::string made_id(const Input& input);
// "3 clients: INSERT, SELECT | DROP TABLE | KILL"
std::string made_title(const Input& input);

}  // namespace esox
