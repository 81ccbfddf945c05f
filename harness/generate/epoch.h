// SPDX-License-Identifier: Apache-2.0
// One epoch of a generation: inputs are made of what is known at its beginning, and what they
// showed is added at its end, in their order. So it does not matter who executes them, nor when: an
// epoch follows from the seed, its number and the state at its beginning.
//
//   GenerationEpoch(state, ...)   the setups that are wanted
//   make_mutants()                once is known what each holds
//   run_group()                   by any worker, on any executor
//   fold()                        into the state
#pragma once

#include <atomic>
#include <optional>
#include <string>
#include <vector>

#include "harness/generate/funnel.h"
#include "harness/generate/generation_state.h"
#include "harness/generate/made_corpus.h"

namespace esox {

inline constexpr size_t kGroupsOfEpoch = 8;
inline constexpr size_t kMutantsOfGroup = 8;
// One in so many groups is made of nothing, for ever.
inline constexpr uint64_t kFreshEach = 4;

// Made over one setup, for the most part, so that a snapshot serves them all.
struct MutantGroup {
  Input setup;                   // without clients
  std::optional<size_t> member;  // place of the one that it is made of; none: of nothing
  std::vector<Mutant> mutants;
  std::vector<MutantResult> results;   // as many; of those dropped at once only the fate
  std::optional<std::string> failure;  // why it has none: its setup fails
};

class GenerationEpoch {
 public:
  // `taught` are tried as they are before anything is made: this epoch's, if any are left.
  GenerationEpoch(GenerationState& state, Maker& maker, const std::vector<Input>& taught);

  std::vector<MutantGroup>& groups() { return groups_; }
  // The setups of groups that the state has no holdings of.
  std::vector<MutantGroup*> unknown_setups();
  // After these were asked: other setups for those that the server refuses. False: there are none.
  bool draw_anew();
  void make_mutants();

  // What is new goes into the state; findings into their folder, if they are not there yet.
  EpochChanges fold(const std::filesystem::path& findings);

 private:
  void plan_made();
  void plan_taught(const std::vector<Input>& taught);
  void make_group(MutantGroup& group);
  std::optional<Mutant> made_fresh(const MutantGroup& group, const Holdings& holdings);
  std::optional<Mutant> made_of_member(const MutantGroup& group, const Holdings& holdings);
  void add(MutantGroup& group, Mutant mutant, const Holdings& holdings);
  size_t draw_mutation();
  MakingHelp help_for(const CorpusMember& parent, Mutation how);
  void fold(const Mutant& mutant, MutantResult& result, const std::filesystem::path& findings);
  void learn(const Mutant& mutant, const MutantResult& result);
  bool keep_findings(MutantResult& result, const std::filesystem::path& findings);
  bool has_finding(const std::string& id) const;
  void keep_member(const Mutant& mutant, MutantResult& result);
  void make_room();
  void forget_setups();
  CorpusMember* parent_of(const Mutant& mutant);
  void touch(uint64_t number) { changes_.members.push_back(number); }

  GenerationState& state_;
  Maker& maker_;
  Rng random_;
  std::vector<MutantGroup> groups_;
  std::vector<double> energies_;  // of the members
  std::optional<EnergyWheel> wheel_;
  std::map<std::string, std::vector<size_t>> over_setup_;  // places of members
  std::set<std::string> texts_;                            // of members, and of mutants so far
  EpochChanges changes_;
  int drawn_ = 0;              // times, of setups that the server refuses
  std::vector<double> gains_;  // of those tried
};

// Inputs of which an epoch takes so many.
inline constexpr size_t kTaughtOfEpoch = kGroupsOfEpoch * kMutantsOfGroup;

// Executes all of a group, on a server of its own; ends early once `stop`. Throws ServerError,
// Executor::Interrupted. `executed` is told of concurrent executions.
void run_group(Executor& executor, MutantGroup& group, const GenerationState& state,
               const FunnelSettings& settings, const std::atomic<bool>& stop,
               std::atomic<uint64_t>& executed);

}  // namespace esox
