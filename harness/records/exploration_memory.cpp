// SPDX-License-Identifier: Apache-2.0
#include "harness/records/exploration_memory.h"

namespace esox {

static void each_place(auto& f, Of<RequestId>) {
  f(&RequestId::client, &RequestId::request);
}
static void each_place(auto& f, Of<OutputPlace>) {
  f(&OutputPlace::client, &OutputPlace::request, &OutputPlace::part, &OutputPlace::result,
    &OutputPlace::column);
}
static void each_place(auto& f, Of<StatePlace>) {
  f(&StatePlace::component, &StatePlace::key);
}
static void each_field(auto& f, Of<Masks>) {
  f("outputs", &Masks::outputs, kRequired);
  f("state", &Masks::state, kRequired);
}
static void each_place(auto& f, Of<ConflictSignature>) {
  f.inlined(&ConflictSignature::site);
  f(&ConflictSignature::object, &ConflictSignature::client);
}
static void each_field(auto& f, Of<Lessons>) {
  f("conflicts", &Lessons::conflicts, kRequired);
  f("shares", &Lessons::shares, kRequired);
  f("up_to", &Lessons::up_to, kRequired);
  f("pool_shares", &Lessons::pool_shares);
}
static void each_place(auto& f, Of<RequestPair>) {
  f(&RequestPair::thread, &RequestPair::request, &RequestPair::other_thread,
    &RequestPair::other_request);
}
static void each_place(auto& f, Of<Coverage>) {
  f(&Coverage::classes, &Coverage::outcomes, &Coverage::meetings, &Coverage::met);
}
static void each_place(auto& f, Of<ArmRecord>) {
  f(&ArmRecord::executions, &ArmRecord::earned);
}
static void each_place(auto& f, Of<Segment>) {
  f(&Segment::thread, &Segment::until);
}
static void each_place(auto& f, Of<Exemplar>) {
  f(&Exemplar::outcome, &Exemplar::met, &Exemplar::violation, &Exemplar::schedule,
    &Exemplar::lengths, &Exemplar::values);
}
static void each_place(auto& f, Of<Prediction>) {
  f(&Prediction::id, &Prediction::lines, &Prediction::schedules, &Prediction::tried,
    &Prediction::hits);
}
static void each_place(auto& f, Of<SerialFailure>) {
  f(&SerialFailure::ending, &SerialFailure::facts, &SerialFailure::may_wait_for_session);
}
static void each_place(auto& f, Of<ExplorationMemory::Doubt>) {
  f(&ExplorationMemory::Doubt::text, &ExplorationMemory::Doubt::attempts);
}
static void each_place(auto& f, Of<ExplorationMemory::SearchMemory>) {
  f(&ExplorationMemory::SearchMemory::left_out, &ExplorationMemory::SearchMemory::violating,
    &ExplorationMemory::SearchMemory::expected);
}
static void each_place(auto& f, Of<exhaustive::Run>) {
  f(&exhaustive::Run::thread, &exhaustive::Run::points);
}
static void each_place(auto& f, Of<Pending>) {
  f(&Pending::thread, &Pending::kind, &Pending::object, &Pending::site);
}
static void each_place(auto& f, Of<exhaustive::Block>) {
  f(&exhaustive::Block::operations, &exhaustive::Block::open_ended);
}
static void each_place(auto& f, Of<exhaustive::ScheduleBranches::Kept>) {
  using Kept = exhaustive::ScheduleBranches::Kept;
  f(&Kept::beginning, &Kept::fates, &Kept::name);
}
static void each_field(auto& f, Of<exhaustive::PreemptionPass::Kept>) {
  using Kept = exhaustive::PreemptionPass::Kept;
  f("preemptions", &Kept::preemptions, kRequired);
  f("schedules", &Kept::schedules, kRequired);
  f("free", &Kept::free, kRequired);
  f("schedule", &Kept::schedule, kRequired);
  f("branch", &Kept::branch, kRequired);
  f("block", &Kept::block, kRequired);
  f("parents", &Kept::parents, kRequired);
  f("parent", &Kept::parent, kRequired);
  f("returns", &Kept::returns);
  f("next_return", &Kept::next_return);
  f("returning", &Kept::returning);
  f("return_counts", &Kept::return_counts);
  f("counts", &Kept::counts, kRequired);
  f("left_out", &Kept::left_out, kRequired);
  f("failures", &Kept::failures, kRequired);
}
static void each_place(auto& f, Of<ExplorationMemory::Systematic>) {
  f(&ExplorationMemory::Systematic::pass, &ExplorationMemory::Systematic::arm);
}
static void each_field(auto& f, Of<Experience>) {
  f("lessons", &Experience::lessons, kRequired);
  f("portfolio", &Experience::portfolio, kRequired);
  f("exemplars", &Experience::exemplars, kRequired);
}
static void each_field(auto& f, Of<ExplorationMemory>) {
  using Memory = ExplorationMemory;
  f("executed", &Memory::executed, kRequired);
  f("without_luck", &Memory::without_luck, kRequired);
  f("repeated", &Memory::repeated, kRequired);
  f("steps", &Memory::steps, kRequired);
  f("serial_failures", &Memory::serial_failures);  // not in hunts of before they were told apart
  f("serial_failure_untold", &Memory::serial_failure_untold, kRequired, "serial_crash_untold");
  f("masks", &Memory::masks, kRequired);
  f("expected_points", &Memory::expected_points, kRequired);
  f("expected_points_of", &Memory::expected_points_of, kRequired);
  f("serial_executions", &Memory::serial_executions, kRequired);
  f("patient", &Memory::patient);
  f("contexts", &Memory::contexts);
  f("replays", &Memory::replays, kRequired);
  f("doubts", &Memory::doubts, kRequired);
  f("causes", &Memory::causes, kRequired);
  f("lessons", &Memory::lessons, kRequired);
  f("coverage", &Memory::coverage, kRequired);
  f("portfolio", &Memory::portfolio, kRequired);
  f("exemplars", &Memory::exemplars, kRequired);
  f("predictions", &Memory::predictions, kRequired, "foretold");
  f("last", &Memory::last, kRequired);
  f("search", &Memory::search, kRequired);
  f("systematic", &Memory::systematic);
}

// Things met once, those met again, how often in all, and those not remembered.
static void write_value(ValueWriter& out, const Sightings& sightings) {
  std::array<std::vector<uint64_t>, 2> things;
  for (const auto& [thing, again] : sightings.known()) things[again ? 1 : 0].push_back(thing);
  write_list(out, things[0], things[1], sightings.total(), sightings.beyond());
}

static void read_value(const ValueReader& in, Sightings& sightings) {
  std::map<uint64_t, bool> known;
  for (const size_t again : {0, 1}) {
    std::vector<uint64_t> things;
    read_value(in.at(again), things);
    for (const uint64_t thing : things) known.emplace(thing, again == 1);
  }
  uint64_t total = 0;
  uint64_t beyond = 0;
  read_value(in.at(2), total);
  read_value(in.at(3), beyond);
  sightings = Sightings::restored(std::move(known), total, beyond);
}

static void write_value(ValueWriter& out, const PortfolioRecord& record) {
  write_value(out, record.arms);
}

static void read_value(const ValueReader& in, PortfolioRecord& record) {
  read_value(in, record.arms);
}

namespace {

// An arm's earnings per execution stay what they were.
PortfolioRecord shortened(PortfolioRecord record) {
  for (ArmRecord& arm : record.arms) {
    if (arm.executions <= kRememberedExecutions) continue;
    arm.earned *= static_cast<double>(kRememberedExecutions) / static_cast<double>(arm.executions);
    arm.executions = kRememberedExecutions;
  }
  return record;
}

}  // namespace

// The numbers of executions begin anew.
Experience experience_of(const ExplorationMemory& memory) {
  Experience experience{memory.lessons, shortened(memory.portfolio), memory.exemplars};
  experience.lessons.up_to = 0;
  experience.lessons.pool_shares.clear();  // the next hunt has another pool
  return experience;
}

std::vector<uint8_t> to_bytes(const Experience& experience) {
  return to_cbor(experience);
}

Experience experience_of(const std::vector<uint8_t>& bytes) {
  return from_cbor<Experience>(bytes);
}

std::vector<uint8_t> to_bytes(const ExplorationMemory& memory) {
  return to_cbor(memory);
}

ExplorationMemory exploration_memory_of(const std::vector<uint8_t>& bytes) {
  return from_cbor<ExplorationMemory>(bytes);
}

}  // namespace esox
