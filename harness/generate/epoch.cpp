// SPDX-License-Identifier: Apache-2.0
#include "harness/generate/epoch.h"

#include <xxhash.h>

#include <algorithm>
#include <array>

#include "base/process/server_error.h"
#include "harness/generate/group_executor.h"
#include "harness/generate/meeting_names.h"
#include "harness/hunt/finding_folder.h"
#include "harness/records/triage/signature.h"

namespace esox {
namespace {

constexpr double kMutatorFloor = 0.3;  // dealt out evenly, for ever
// A mutation that brings so much is worth half of the most.
constexpr double kHalfEarned = 8;
constexpr uint64_t kOneInTwo = 2;
constexpr int kMostMutations = 3;  // of one input
// Those whose gain is among the greatest of so many are judged.
constexpr size_t kJudgedEach = 8;
constexpr int kAttempts = 4;  // to make an input that is none of the corpus

uint64_t epoch_seed(const GenerationState& state) {
  const Shard shard = shard_from_text(state.spec.shard).value_or(Shard{});
  const std::array<uint64_t, 3> facts = {state.epochs, shard.number, shard.of};
  return XXH3_64bits_withSeed(facts.data(), sizeof facts, state.spec.seed);
}

Input without_clients(const Input& input) {
  Input setup = input;
  setup.clients.clear();
  return setup;
}

double earned_by(double gain) {
  return gain / (gain + kHalfEarned);
}

}  // namespace

GenerationEpoch::GenerationEpoch(GenerationState& state, Maker& maker,
                                 const std::vector<Input>& taught)
    : state_(state), maker_(maker), random_(epoch_seed(state)) {
  for (size_t i = 0; i < state_.members.size(); ++i) {
    const CorpusMember& one = state_.members[i];
    energies_.push_back(state_.spec.feedback ? energy_of(one, state_.counts) : 1);
    over_setup_[setup_key(one.input)].push_back(i);
    texts_.insert(text_key(one.input));
  }
  if (!state_.members.empty()) wheel_.emplace(energies_);
  if (state_.epochs * kTaughtOfEpoch < taught.size()) {
    plan_taught(taught);
  } else {
    plan_made();
  }
}

void GenerationEpoch::plan_taught(const std::vector<Input>& taught) {
  const size_t first = state_.epochs * kTaughtOfEpoch;
  const size_t end = std::min(taught.size(), first + kTaughtOfEpoch);
  for (size_t i = first; i < end; ++i) {
    Mutant mutant;
    mutant.input.input = taught[i];
    mutant.made_by = "taught";
    mutant.seed = random_.next();
    MutantGroup* group = groups_.empty() ? nullptr : &groups_.back();
    const Input setup = without_clients(taught[i]);
    if (group == nullptr || setup_key(group->setup) != setup_key(setup)) {
      group = &groups_.emplace_back();
      group->setup = setup;
    }
    group->mutants.push_back(std::move(mutant));
  }
}

void GenerationEpoch::plan_made() {
  for (size_t i = 0; i < kGroupsOfEpoch; ++i) {
    MutantGroup& group = groups_.emplace_back();
    if (!wheel_ || random_.below(kFreshEach) == 0) {
      group.setup = maker_.setup(random_);
      continue;
    }
    group.member = wheel_->draw(random_);
    group.setup = without_clients(state_.members[*group.member].input);
  }
}

std::vector<MutantGroup*> GenerationEpoch::unknown_setups() {
  std::vector<MutantGroup*> unknown;
  std::set<std::string> asked;
  for (MutantGroup& group : groups_) {
    const std::string key = setup_key(group.setup);
    if (!state_.holdings.contains(key) && asked.insert(key).second) unknown.push_back(&group);
  }
  return unknown;
}

bool GenerationEpoch::draw_anew() {
  if (++drawn_ > kAttempts) return false;
  bool some = false;
  for (MutantGroup& group : groups_) {
    const bool is_fresh = !group.member && group.mutants.empty();
    if (!is_fresh || state_.holdings.contains(setup_key(group.setup))) continue;
    group.setup = maker_.setup(random_);
    some = true;
  }
  return some;
}

// ---- making

void GenerationEpoch::make_mutants() {
  for (MutantGroup& group : groups_) make_group(group);
}

void GenerationEpoch::make_group(MutantGroup& group) {
  const auto known = state_.holdings.find(setup_key(group.setup));
  if (known == state_.holdings.end()) {
    group.mutants.clear();
    return;
  }
  const Holdings& holdings = known->second;
  std::vector<Mutant> taught = std::move(group.mutants);
  group.mutants.clear();
  for (Mutant& one : taught) {
    maker_.teach(one.input.input, holdings);
    add(group, std::move(one), holdings);
  }
  if (!taught.empty()) return;
  for (size_t i = 0; i < kMutantsOfGroup; ++i) {
    for (int attempt = 0; attempt < kAttempts; ++attempt) {
      std::optional<Mutant> made =
          group.member ? made_of_member(group, holdings) : made_fresh(group, holdings);
      if (!made) continue;
      const bool again =
          texts_.contains(text_key(made->input.input)) || maker_.ends_held(made->input.input);
      if (again && attempt + 1 < kAttempts) continue;
      add(group, std::move(*made), holdings);
      break;
    }
  }
}

std::optional<Mutant> GenerationEpoch::made_fresh(const MutantGroup& group,
                                                  const Holdings& holdings) {
  std::optional<Input> input =
      maker_.fresh(group.setup, holdings, help_for({}, Mutation::kReplace), random_);
  if (!input) return std::nullopt;
  Mutant mutant;
  mutant.input.input = std::move(*input);
  mutant.made_by = "fresh";
  return mutant;
}

std::optional<Mutant> GenerationEpoch::made_of_member(const MutantGroup& group,
                                                      const Holdings& holdings) {
  const std::vector<size_t>& alike = over_setup_[setup_key(group.setup)];
  const size_t place =
      random_.below(kOneInTwo) == 0 ? *group.member : alike[random_.below(alike.size())];
  const CorpusMember& parent = state_.members[place];
  const auto how = static_cast<Mutation>(draw_mutation());
  std::optional<Input> input =
      maker_.mutate(how, parent.input, holdings, help_for(parent, how), random_);
  for (int i = 1; input && i < kMostMutations && random_.below(kOneInTwo) == 0; ++i) {
    const auto more = static_cast<Mutation>(random_.below(kMutations));
    if (!keeps_setup(how) || !keeps_setup(more)) break;
    std::optional<Input> next =
        maker_.mutate(more, *input, holdings, help_for(parent, more), random_);
    if (next) input = std::move(next);
  }
  if (!input) return std::nullopt;
  Mutant mutant;
  mutant.input.input = std::move(*input);
  mutant.parent = parent.number;
  mutant.made_by = name_of(how);
  mutant.parents = parent.features;
  return mutant;
}

void GenerationEpoch::add(MutantGroup& group, Mutant mutant, const Holdings& holdings) {
  Input& input = mutant.input.input;
  input.id = made_id(input);
  input.title = made_title(input);
  input.origin = input.id;
  mutant.seed = random_.next();
  MutantResult result;
  if (!texts_.insert(text_key(input)).second) {
    result.fate = Fate::kKnown;
  } else if (maker_.ends_held(input)) {
    result.fate = Fate::kHeld;
  } else if (setup_key(input) == setup_key(group.setup) && !may_meet(input, holdings)) {
    result.fate = Fate::kNoConflict;
  }
  group.mutants.push_back(std::move(mutant));
  group.results.push_back(std::move(result));
}

size_t GenerationEpoch::draw_mutation() {
  if (!state_.spec.feedback) return random_.below(kMutations);
  std::array<double, kMutations> priors{};
  priors.fill(1.0 / kMutations);
  return bandit_arm(bandit_shares(priors, state_.mutators, kMutatorFloor), random_.next());
}

MakingHelp GenerationEpoch::help_for(const CorpusMember& parent, Mutation how) {
  MakingHelp help;
  help.wanted = [this](std::string_view one, std::string_view other) {
    return 1 / (1 + static_cast<double>(state_.tried(one, other)));
  };
  if (!wheel_) return help;
  if (how == Mutation::kSplice) help.other = &state_.members[wheel_->draw(random_)].input;
  if (how == Mutation::kComplete) {
    // What a member over the same setup asks for, one with rare features rather than others.
    const std::vector<size_t>& alike = over_setup_[setup_key(parent.input)];
    std::vector<double> energies;
    energies.reserve(alike.size());
    for (const size_t place : alike) energies.push_back(energies_[place]);
    const Input& donor = alike.empty()
                             ? parent.input
                             : state_.members[alike[EnergyWheel(energies).draw(random_)]].input;
    const InputClient& client = donor.clients[random_.below(donor.clients.size())];
    help.request = client.requests[random_.below(client.requests.size())].text;
  }
  return help;
}

// ---- executing

void run_group(Executor& executor, MutantGroup& group, const GenerationState& state,
               const FunnelSettings& settings, const std::atomic<bool>& stop,
               std::atomic<uint64_t>& executed) {
  FeatureCounts counts(&state.counts);
  Known known{&counts, state.judge_from,
              [&](const std::vector<std::string>& keys) { return state.is_no_news(keys); }};
  std::vector<bool> done(group.mutants.size(), false);
  for (size_t i = 0; i < group.mutants.size(); ++i) {
    done[i] = group.results[i].fate != Fate::kNothingNew;
  }
  for (size_t first = 0; first < group.mutants.size(); ++first) {
    if (done[first]) continue;
    std::vector<size_t> alike;
    std::vector<const Input*> inputs;
    const Input* largest = &group.mutants[first].input.input;
    for (size_t i = first; i < group.mutants.size(); ++i) {
      const Input& input = group.mutants[i].input.input;
      if (done[i] || !same_group(*largest, input)) continue;
      done[i] = true;
      alike.push_back(i);
      inputs.push_back(&input);
      if (input.clients.size() > largest->clients.size()) largest = &input;
    }
    GroupExecutor together(executor, inputs);
    for (const size_t i : alike) {
      if (stop.load()) return;
      MutantResult& result = group.results[i];
      try {
        result = run_through_funnel(together, executor, group.mutants[i], settings, known);
      } catch (const SetupError&) {
        result.fate = Fate::kSetupFails;
      } catch (const ServerError&) {
        // Whose options a server does not start with is not tried; else it is the server's fault.
        if (group.mutants[i].input.input.server_options.empty()) throw;
        result.fate = Fate::kSetupFails;
      }
      executed += result.executions;
      // Before any epoch has ended, nobody knows which gains are great.
      if (state.epochs == 0) known.judge_from = std::max(known.judge_from, result.gain);
      counts.add(result.features);
    }
  }
}

// ---- what comes of it

EpochChanges GenerationEpoch::fold(const std::filesystem::path& findings) {
  for (MutantGroup& group : groups_) {
    for (size_t i = 0; i < group.mutants.size(); ++i) {
      fold(group.mutants[i], group.results[i], findings);
    }
  }
  make_room();
  forget_setups();
  std::ranges::sort(gains_);
  if (!gains_.empty()) state_.judge_from = gains_[gains_.size() - 1 - gains_.size() / kJudgedEach];
  state_.templates = maker_.rates();
  state_.made = maker_.made();
  ++state_.epochs;
  std::ranges::sort(changes_.members);
  changes_.members.erase(std::unique(changes_.members.begin(), changes_.members.end()),
                         changes_.members.end());
  std::ranges::sort(changes_.features);
  changes_.features.erase(std::unique(changes_.features.begin(), changes_.features.end()),
                          changes_.features.end());
  return std::move(changes_);
}

void GenerationEpoch::fold(const Mutant& mutant, MutantResult& result,
                           const std::filesystem::path& findings) {
  // What others of this epoch showed first is new no longer.
  result.unseen = state_.counts.unseen(result.unseen);
  const bool news = keep_findings(result, findings);
  const bool chance = !state_.spec.feedback;
  if (result.kept && !news && !chance && weight_of(result.unseen) < kLeastGain) {
    result.kept.reset();
    result.fate = Fate::kNothingNew;
  }
  learn(mutant, result);
  state_.counts.add(result.features);
  changes_.features.insert(changes_.features.end(), result.features.begin(), result.features.end());
  if (result.kept) keep_member(mutant, result);
}

void GenerationEpoch::learn(const Mutant& mutant, const MutantResult& result) {
  GenerationTotals& totals = state_.totals;
  ++totals.mutants;
  ++totals.fates[name_of(result.fate)];
  totals.executions += result.executions;
  totals.serial_executions += result.tally.serial_executions;
  totals.judged += result.judged ? 1 : 0;
  if (!result.known_causes.empty()) totals.on_known_causes += result.executions;
  for (const auto& [request, succeeded] : result.replies) {
    ++totals.requests;
    totals.succeeded += succeeded ? 1 : 0;
    maker_.learn(request, succeeded);
  }
  if (result.executions > 0) {
    ++totals.tried;
    gains_.push_back(result.gain);
    note_input(state_.kinds, mutant.input.input, {true, result.executions, result.found.size()},
               result.coverage);
  }
  const auto how = value_in<Mutation>(kMutationNames, mutant.made_by);
  if (how && result.fate != Fate::kKnown) {
    ArmRecord& arm = state_.mutators[static_cast<size_t>(*how)];
    ++arm.executions;
    arm.earned += earned_by(weight_of(result.unseen));
  }
  if (CorpusMember* parent = parent_of(mutant)) {
    parent->fruitless = result.kept ? 0 : parent->fruitless + 1;
    parent->known = parent->known || !result.known_causes.empty();
    touch(parent->number);
  }
}

CorpusMember* GenerationEpoch::parent_of(const Mutant& mutant) {
  return const_cast<CorpusMember*>(mutant.parent == 0 ? nullptr : state_.member(mutant.parent));
}

// Made smaller, two inputs may have become one, and show the same.
bool GenerationEpoch::has_finding(const std::string& id) const {
  return std::ranges::any_of(state_.members, [&](const CorpusMember& one) {
    const auto& findings = one.tally.findings;
    return std::ranges::any_of(findings, [&](const auto& found) { return found.second.id == id; });
  });
}

// True: something was found that is news.
bool GenerationEpoch::keep_findings(MutantResult& result, const std::filesystem::path& findings) {
  std::vector<FoundViolation> news;
  for (FoundViolation& one : result.found) {
    const std::vector<std::string> keys = family_keys(signature_of(one.finding, std::nullopt));
    if (state_.is_no_news(keys) || has_finding(one.finding.id)) {
      result.known_causes.insert(result.known_causes.end(), keys.begin(), keys.end());
      continue;
    }
    const bool met = std::ranges::any_of(
        keys, [&](const std::string& key) { return state_.causes.contains(key); });
    state_.totals.causes += met ? 0 : 1;
    ++state_.totals.findings;
    for (const std::string& key : keys) ++state_.causes[key].confirmed;
    // An epoch that was cut off has written it before.
    if (!std::filesystem::exists(findings / one.finding.id)) {
      write_finding_folder(findings, one.finding, one.judged, one.masks);
    }
    result.tally.findings[one.judged.cause->id] = one.line;
    news.push_back(std::move(one));
  }
  result.found = std::move(news);
  return !result.found.empty();
}

void GenerationEpoch::keep_member(const Mutant& mutant, MutantResult& result) {
  CorpusMember member;
  member.number = ++state_.last_member;
  member.input = std::move(*result.kept);
  member.input.id = made_id(member.input);
  member.input.title = made_title(member.input);
  member.file = "inputs/" + member.input.id + ".yaml";
  member.input.origin = member.file;
  const auto same = [&](const CorpusMember& one) { return one.file == member.file; };
  // Smaller, two may have become one.
  const auto there = std::ranges::find_if(state_.members, same);
  if (there != state_.members.end()) {
    --state_.last_member;
    if (there->tally.executions == 0) {
      there->tally = std::move(result.tally);
    } else {
      there->tally.findings.merge(result.tally.findings);
    }
    return touch(there->number);
  }
  member.parent = mutant.parent;
  member.made_by = mutant.made_by;
  member.seed = mutant.seed;
  member.epoch = state_.epochs + 1;
  member.points = result.points;
  member.known = !result.known_causes.empty();
  member.tally = std::move(result.tally);
  member.features = result.features;
  std::ranges::stable_sort(member.features, [&](Feature a, Feature b) {
    return state_.counts.count(a) < state_.counts.count(b);
  });
  member.features.resize(std::min(member.features.size(), kMostOwnFeatures));
  std::ranges::sort(member.features);
  ++state_.totals.kept;
  touch(member.number);
  state_.members.push_back(std::move(member));
}

// Those that no member has are asked about again, should they come again.
void GenerationEpoch::forget_setups() {
  std::set<std::string> wanted;
  for (const CorpusMember& one : state_.members) wanted.insert(setup_key(one.input));
  std::erase_if(state_.holdings, [&](const auto& one) { return !wanted.contains(one.first); });
}

// Those with the least energy go.
void GenerationEpoch::make_room() {
  if (state_.members.size() <= kMostMembers) return;
  std::vector<std::pair<double, uint64_t>> order;
  for (const CorpusMember& one : state_.members) {
    order.emplace_back(energy_of(one, state_.counts), one.number);
  }
  std::ranges::sort(order);
  std::set<uint64_t> going;
  for (size_t i = 0; i < state_.members.size() - kMostMembers; ++i) going.insert(order[i].second);
  std::erase_if(state_.members, [&](const CorpusMember& one) {
    if (!going.contains(one.number)) return false;
    changes_.gone.push_back(one.file);
    return true;
  });
}

}  // namespace esox
