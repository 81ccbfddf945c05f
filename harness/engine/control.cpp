// SPDX-License-Identifier: Apache-2.0
#include "harness/engine/control.h"

#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <stdexcept>
#include <system_error>

#include "harness/engine/futex.h"

namespace esox {
namespace {

// A table that is at most half full.
void fill_filter(ControlBlock& b, const std::vector<uint64_t>& keys) {
  b.filter_mask = 0;
  if (keys.empty()) return;
  const auto places = static_cast<uint32_t>(std::bit_ceil(2 * keys.size()));
  b.filter_mask = places - 1;
  std::fill_n(b.filter_places, places, uint64_t{0});
  for (const uint64_t key : keys) {
    b.filter_places[filter_place(b.filter_places, b.filter_mask, key)] = key;
  }
}

[[noreturn]] void fail(const char* what) {
  throw std::system_error(errno, std::generic_category(), what);
}

void check_limit(const auto& values, size_t limit, const char* what) {
  if (values.size() > limit) {
    throw std::invalid_argument(fmt::format(
        "{} {} are more than the {} that one execution can hold", values.size(), what, limit));
  }
}

}  // namespace

ControlMemory::ControlMemory() {
  fd_ = UniqueFd(memfd_create("esox-control", MFD_CLOEXEC));
  if (fd_.get() < 0) fail("memfd_create of the control block");
  if (ftruncate(fd_.get(), sizeof(ControlBlock)) != 0) fail("ftruncate of the control block");
  void* mapped =
      mmap(nullptr, sizeof(ControlBlock), PROT_READ | PROT_WRITE, MAP_SHARED, fd_.get(), 0);
  if (mapped == MAP_FAILED) fail("mmap of the control block");
  block_ = static_cast<ControlBlock*>(mapped);
}

ControlMemory::~ControlMemory() {
  munmap(block_, sizeof(ControlBlock));
}

std::vector<std::string> ControlMemory::environment(const std::string& preload_library) const {
  // Through /proc the file needs no name: nothing is left behind, whoever dies. The path is always
  // as long, by more slashes than it needs, since the environment moves the stack.
  const std::string path = fmt::format("/proc/{}/fd/{}", getpid(), fd_.get());
  return {fmt::format("{}={:/>36}", kControlVariable, path),
          fmt::format("LD_PRELOAD={}", preload_library)};
}

std::vector<std::string> ControlMemory::enclose(Enclosure& enclosure,
                                                const std::string& preload_library,
                                                int channel) const {
  enclosure.pass(fd_.get(), kInheritedControlFd);
  enclosure.pass(channel, kSnapshotFd);
  return {fmt::format("{}=/proc/self/fd/{}", kControlVariable, kInheritedControlFd),
          fmt::format("{}={}", kSnapshotVariable, kSnapshotFd),
          fmt::format("LD_PRELOAD={}", preload_library)};
}

void ControlMemory::reset(ControlMode mode, const ControlSettings& settings, int64_t clock_base_ns,
                          const std::string& root) {
  ControlBlock& b = *block_;
  // Everything before the bulk regions; those are governed by their counts.
  memset(static_cast<void*>(&b), 0, offsetof(ControlBlock, replay_choices));
  b.magic = kProtocolMagic;
  b.version = kProtocolVersion;
  b.bytes = sizeof(ControlBlock);
  b.mode = mode;
  b.clock_base_ns = clock_base_ns;
  b.step_limit = settings.step_limit;
  b.release_point_odds = settings.release_point_odds;
  b.starvation_limit = settings.starvation_limit;
  b.grace_ms = settings.grace_ms;
  b.deadlock_grace_ms = settings.deadlock_grace_ms;
  b.request_wait_ms = settings.request_wait_ms;
  data_choices_ = settings.data_choices;
  b.skip_sync = mode == ControlMode::kClients ? 1 : 0;
  root.copy(b.root, kMaxRootBytes - 1);
}

void ControlMemory::arm(const ControlPlan& plan) {
  check_limit(plan.requests, kMaxClients, "clients");
  check_limit(plan.signals, kMaxRequests, "signals");
  check_limit(plan.serial_order, size_t{kMaxClients} * kMaxRequests, "serial steps");
  check_limit(plan.shared_objects, kMaxSharedObjects, "shared objects");
  check_limit(plan.choices, kMaxChoices, "choices");
  check_limit(plan.values, kMaxValues, "data choices");
  check_limit(plan.filter_keys, kMaxFilterKeys, "conflicting operations");
  check_limit(plan.accesses.sites, kMaxAccessSites, "sites of memory accesses");
  ControlBlock& b = *block_;
  b.strategy = plan.strategy;
  b.seed = plan.seed;
  // What is replayed has its choices on the tape, and a serial order has none.
  b.data_choices = explores(plan.strategy.kind) ? data_choices_ : DataChoiceModes{};
  // To a search it is no draw, but one more order to be tried.
  if (plan.strategy.kind == StrategyKind::kPrefix) {
    b.data_choices.start_order = data_choices_.start_order;
  }
  b.expected_points = plan.expected_points;
  b.clients = static_cast<uint32_t>(plan.requests.size());
  b.participants =
      static_cast<uint32_t>(std::ranges::count_if(plan.requests, [](uint32_t n) { return n > 0; }));
  for (uint32_t i = 0; i < kMaxClients; ++i) {
    b.requests[i] = i < plan.requests.size() ? plan.requests[i] : 0;
    b.expected_points_of[i] =
        i < plan.expected_points_of.size() ? static_cast<uint32_t>(plan.expected_points_of[i]) : 0;
  }
  b.signal_client = plan.signal_client ? static_cast<uint32_t>(*plan.signal_client) + 1 : 0;
  std::ranges::copy(plan.signals, b.signals);
  b.ends_server = plan.ends_server ? 1 : 0;
  std::ranges::copy(plan.shared_objects, b.shared_objects);
  b.shared_object_count = static_cast<uint32_t>(plan.shared_objects.size());
  std::ranges::copy(plan.serial_order, b.serial_order);
  b.serial_length = static_cast<uint32_t>(plan.serial_order.size());
  std::ranges::copy(plan.choices, b.replay_choices);
  b.replay_choice_count = static_cast<uint32_t>(plan.choices.size());
  std::ranges::copy(plan.values, b.replay_values);
  b.replay_value_count = static_cast<uint32_t>(plan.values.size());
  b.patience_ms = b.deadlock_grace_ms;
  if (plan.impatient) b.patience_ms = std::min(b.patience_ms, kImpatience_ms);
  b.background = plan.contexts ? 1 : 0;
  b.contexts_first = plan.contexts_first;
  fill_filter(b, plan.filter_keys);
  const AccessSettings& accesses = plan.accesses;
  b.accesses = {accesses.level, accesses.learn ? 1u : 0u,
                static_cast<uint32_t>(accesses.sites.size()), 0};
  std::ranges::copy(accesses.sites, b.access_sites);
  b.ending = ControlEnding::kNone;
  b.arrived.store(0);
  b.degraded.store(0);
  b.phase.store(Phase::kArming);
}

bool ControlMemory::wait_end(std::chrono::microseconds limit) {
  const auto until = std::chrono::steady_clock::now() + limit;
  while (true) {
    const Phase phase = block_->phase.load();
    if (phase != Phase::kArming && phase != Phase::kRunning) return true;
    const auto left = std::chrono::duration_cast<std::chrono::microseconds>(
        until - std::chrono::steady_clock::now());
    if (left.count() <= 0) return false;
    futex_wait(block_->phase, phase, left);
  }
}

void ControlMemory::release(uint32_t degraded_reason) {
  ControlBlock& b = *block_;
  b.degraded.fetch_or(degraded_reason);
  for (Phase from : {Phase::kArming, Phase::kRunning}) {
    if (b.phase.compare_exchange_strong(from, Phase::kReleased)) break;
  }
  for (ThreadSlot& slot : b.slots) {
    slot.go.store(1);  // stored, so that a thread just about to wait does not
    futex_wake(slot.go);
  }
  futex_wake(b.phase);
}

std::vector<uint64_t> ControlMemory::learned_sites() const {
  return {block_->learned_sites, block_->learned_sites + block_->accesses_seen.learned_count};
}

void ControlMemory::disarm() {
  block_->phase.store(Phase::kIdle);
}

std::vector<char> ControlMemory::save() const {
  const char* bytes = reinterpret_cast<const char*>(block_);
  return {bytes + offsetof(ControlBlock, phase), bytes + offsetof(ControlBlock, replay_choices)};
}

void ControlMemory::restore(const std::vector<char>& saved) {
  char* bytes = reinterpret_cast<char*>(block_);
  std::ranges::copy(saved, bytes + offsetof(ControlBlock, phase));
}

std::map<uint64_t, std::string> read_names(const ControlBlock& block) {
  std::map<uint64_t, std::string> names;
  uint32_t at = 0;
  while (at + sizeof(uint64_t) + sizeof(uint32_t) <= block.name_bytes) {
    uint64_t object;
    uint32_t length;
    memcpy(&object, block.names + at, sizeof object);
    memcpy(&length, block.names + at + sizeof object, sizeof length);
    at += sizeof object + sizeof length;
    if (length > kMaxNameBytes - at) break;
    names[object].assign(block.names + at, length);
    at += length;
  }
  return names;
}

std::vector<std::string> degraded_texts(uint32_t reasons) {
  static constexpr std::pair<uint32_t, const char*> kTexts[] = {
      {kDegradedTraceFull, "the trace was full"},
      {kDegradedChoicesFull, "more switches or data choices than can be recorded"},
      {kDegradedTableFull, "more locks or threads than can be followed"},
      {kDegradedLostThread, "a thread blocked where control does not reach"},
      {kDegradedNoRequest, "a client did not send its next request in time"},
      {kDegradedReplay, "the recorded choices could not be followed"},
      {kDegradedExternalWait, "a thread waited for one outside control"},
      {kDegradedUnsupported, "an operation that cannot be decided (priority futex)"},
      {kDegradedProtocol, "preload and harness do not fit together"},
      {kDegradedListing, "a folder with too many entries to be listed in order"},
  };
  std::vector<std::string> texts;
  for (const auto& [bit, text] : kTexts) {
    if ((reasons & bit) != 0) texts.emplace_back(text);
  }
  return texts;
}

}  // namespace esox
