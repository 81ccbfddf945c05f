// SPDX-License-Identifier: Apache-2.0
#include "summaries/annotation/recorder.h"

#include <sys/syscall.h>
#include <unistd.h>

#include <utility>

namespace esox {
namespace {

constexpr uint64_t kCountMask = 0xffffffffu;
constexpr uint64_t kMostInCounter = 0xffff;

bool same_name(const char* a, const char* b) {
  for (uint32_t i = 0; i < kMaxComponentNameBytes; ++i) {
    if (a[i] != b[i]) return false;
    if (a[i] == '\0') return true;
  }
  return true;
}

void add_fault(AnnotatedComponent& component, uint32_t fault) {
  component.faults.fetch_or(fault, std::memory_order_relaxed);
}

bool is_name(const char* name) {
  const size_t length = strnlen(name, kMaxComponentNameBytes);
  return length > 0 && length < kMaxComponentNameBytes;
}

// Who holds it writes a few bytes, and needs no lock of anybody else's to finish.
class Naming {
 public:
  explicit Naming(std::atomic<uint32_t>& taken) : taken_(taken) {
    while (taken_.exchange(1, std::memory_order_acquire) != 0) __builtin_ia32_pause();
  }
  ~Naming() { taken_.store(0, std::memory_order_release); }
  Naming(const Naming&) = delete;
  Naming& operator=(const Naming&) = delete;

 private:
  std::atomic<uint32_t>& taken_;
};

// One call for all pages costs a fraction of as many page faults (Linux 5.14); zeros stay zeros.
void have_there(void* first, uint64_t bytes) {
  constexpr int kPopulateWrite = 23;  // MADV_POPULATE_WRITE; older headers lack it
  constexpr uint64_t kPageBytes = 4096;
  if (syscall(SYS_madvise, first, bytes, kPopulateWrite) == 0) return;
  for (uint64_t at = 0; at < bytes; at += kPageBytes) {
    static_cast<volatile unsigned char*>(first)[at] = 0;
  }
}

// Whether the way to an element's slot ends here: at its own, or at a free one, which is claimed or
// says that the element has none.
inline bool ends_at(ListedSlot& slot, uint64_t element, bool claim, ListedSlot*& found) {
  uint64_t seen = slot.element.load(std::memory_order_relaxed);
  if (seen == 0) {
    if (!claim) return true;
    if (slot.element.compare_exchange_strong(seen, element)) seen = element;
  }
  if (seen != element) return false;
  found = &slot;
  return true;
}

// Which 2 of the 4 counters of half a block: 1 in each.
constexpr uint64_t kPairs[6] = {0x0000'0000'0001'0001, 0x0000'0001'0000'0001,
                                0x0001'0000'0000'0001, 0x0000'0001'0001'0000,
                                0x0001'0000'0001'0000, 0x0001'0001'0000'0000};

// The places of an element in a Bloom filter: 4 of the 8 counters of one block, so that they are
// looked at and changed as one.
struct BloomPlaces {
  BloomBlock& block;
  uint64_t low;  // 1 in each of two counters
  uint64_t high;
  BloomBlock one_each() const { return BloomBlock{high} << 64 | low; }
};

BloomPlaces bloom_places(BloomBlock* blocks, const ElementDigest& digest) {
  const uint64_t bits = digest.high;
  return {blocks[bits % kBloomBlocks], kPairs[(bits >> 32 & 0xffff) * 6 >> 16],
          kPairs[(bits >> 48) * 6 >> 16]};
}

// Whether neither of two counters is 0.
bool holds(uint64_t counters, uint64_t pair) {
  constexpr uint64_t kButHighest = 0x7fff'7fff'7fff'7fff;
  const uint64_t both = counters & pair * kMostInCounter;
  const uint64_t highest_if_any = ((both & kButHighest) + kButHighest) | both;
  return (highest_if_any & pair << 15) == pair << 15;
}

bool holds(BloomBlock block, const BloomPlaces& places) {
  return holds(static_cast<uint64_t>(block), places.low) &&
         holds(static_cast<uint64_t>(block >> 64), places.high);
}

// False if another thread changed the block; `seen` is then what it is now.
bool change(BloomBlock& block, BloomBlock& seen, BloomBlock to) {
  const BloomBlock was = __sync_val_compare_and_swap(&block, seen, to);
  return std::exchange(seen, was) == was;
}

// Until no other thread comes in between.
void update(unsigned __int128& place, const auto& change) {
  unsigned __int128 seen = place;  // may be torn: then the swap below fails
  while (true) {
    const unsigned __int128 was = __sync_val_compare_and_swap(&place, seen, change(seen));
    if (was == seen) return;
    seen = was;
  }
}

// One swap costs less than two additions.
void add_to(AnnotatedComponent& component, uint64_t low, uint64_t high) {
  update(component.lanes, [&](unsigned __int128 seen) {
    return lanes_of(low_lane(seen) + low, high_lane(seen) + high);
  });
}

uint64_t never_zero(uint64_t value) {
  return value == 0 ? 1 : value;
}

}  // namespace

void Recorder::touch() {
  have_there(region_.log, kTouchedLogBytes);
  have_there(region_.inclusion, kTouchedTables * sizeof region_.inclusion[0]);
}

void Recorder::sign() {
  region_.version = kRegionVersion;
  region_.bytes_of_components = sizeof region_.components;
  region_.magic = kRegionMagic;
}

AnnotatedComponent* Recorder::named(const char* name) {
  for (AnnotatedComponent& component : region_.components) {
    const ComponentState state = component.state.load(std::memory_order_relaxed);
    if (state == ComponentState::kFree) return nullptr;
    if (state == ComponentState::kReady && same_name(component.name, name)) return &component;
  }
  return nullptr;
}

AnnotatedComponent* Recorder::vacant() {
  for (AnnotatedComponent& component : region_.components) {
    if (component.state.load(std::memory_order_relaxed) != ComponentState::kReady) {
      return &component;
    }
  }
  return nullptr;
}

esox_component Recorder::open(const char* name, int kind, int inclusion) {
  const bool fits = is_name(name) && kind >= ESOX_SET && kind <= ESOX_CACHE &&
                    inclusion >= ESOX_TRUSTED && inclusion <= ESOX_BLOOM;
  const Naming naming(region_.naming);
  AnnotatedComponent* component = fits ? named(name) : nullptr;
  if (fits && component == nullptr) {
    component = vacant();
    if (component != nullptr) {
      memcpy(component->name, name, strlen(name) + 1);
      component->kind = static_cast<uint32_t>(kind);
      component->inclusion = static_cast<uint32_t>(inclusion);
      component->state.store(ComponentState::kReady, std::memory_order_release);
    }
  }
  if (component != nullptr && component->kind == static_cast<uint32_t>(kind)) {
    return static_cast<esox_component>(component - region_.components) + 1;
  }
  region_.refused.fetch_add(1, std::memory_order_relaxed);
  return 0;
}

void Recorder::rename(esox_component handle, const char* name) {
  if (handle == 0 || handle > kMaxAnnotatedComponents) return;
  AnnotatedComponent& component = region_.components[handle - 1];
  const Naming naming(region_.naming);
  if (!is_name(name)) {
    region_.refused.fetch_add(1, std::memory_order_relaxed);
    return;
  }
  AnnotatedComponent* other = named(name);
  if (other == &component) return;
  if (other != nullptr) close_place(*other);
  memcpy(component.name, name, strlen(name) + 1);
}

void Recorder::close(esox_component handle) {
  if (handle == 0 || handle > kMaxAnnotatedComponents) return;
  const Naming naming(region_.naming);
  close_place(region_.components[handle - 1]);
}

void Recorder::close_place(AnnotatedComponent& component) {
  const auto index = static_cast<uint32_t>(&component - region_.components);
  clear(component, index);
  log(index, ESOX_CLEAR, nullptr, nullptr);
  component.faults.store(0, std::memory_order_relaxed);
  component.state.store(ComponentState::kClosed, std::memory_order_release);
}

void Recorder::record(esox_component handle, int operation, const esox_element* key,
                      const esox_element* value) {
  if (handle == 0 || handle > kMaxAnnotatedComponents) return;
  const uint32_t index = handle - 1;
  AnnotatedComponent& component = region_.components[index];
  if (operation == ESOX_CLEAR) {
    clear(component, index);
    return log(index, operation, nullptr, nullptr);
  }
  if ((key != nullptr && key->overflow != 0) || value->overflow != 0) {
    return add_fault(component, kFaultElementTooLong);
  }
  log(index, operation, key, value);
  const ElementDigest digest =
      key == nullptr ? element_digest(nullptr, 0, value->bytes, value->used)
                     : element_digest(key->bytes, key->used, value->bytes, value->used);
  if (component.kind == ESOX_SEQUENCE) {
    if (operation == ESOX_ADD) append(component, digest);
    return;
  }
  if (operation == ESOX_ADD) {
    if (!include(component, index, digest)) return;
    add_to(component, digest.low, digest.high);
  } else if (exclude(component, index, digest)) {
    add_to(component, -digest.low, -digest.high);
  } else {
    component.absent.fetch_add(1, std::memory_order_relaxed);
  }
}

void Recorder::digest_of_component(esox_component handle, unsigned char digest[16]) const {
  memset(digest, 0, 16);
  if (handle == 0 || handle > kMaxAnnotatedComponents) return;
  const AnnotatedComponent& component = region_.components[handle - 1];
  memcpy(digest, &component.lanes, 16);
}

// True if the element is to be added to the digest: always, but for a set that has it.
bool Recorder::include(AnnotatedComponent& component, uint32_t index, const ElementDigest& digest) {
  switch (component.inclusion) {
    case ESOX_LISTED:
      return include_listed(component, index, never_zero(digest.low));
    case ESOX_BLOOM:
      return include_bloom(component, index, digest);
    default:
      return true;
  }
}

// True if the element is to be taken out of the digest: it was there.
bool Recorder::exclude(AnnotatedComponent& component, uint32_t index, const ElementDigest& digest) {
  switch (component.inclusion) {
    case ESOX_LISTED:
      return exclude_listed(component, index, never_zero(digest.low));
    case ESOX_BLOOM:
      return exclude_bloom(index, digest);
    default:
      return true;
  }
}

// Open addressing in two parts: a few tries in a small one, which is dense enough to stay in a
// core's cache, then as many as it takes in both. A slot once claimed stays its element's, so that
// looking needs no lock and may end at the first free one.
ListedSlot* Recorder::slot_of(uint32_t index, uint64_t element, bool claim) {
  ListedSlot* slots = region_.inclusion[index].listed;
  ListedSlot* found = nullptr;
  for (uint32_t probe = 0; probe < kDenseTries; ++probe) {
    if (ends_at(slots[(element + probe) % kDenseSlots], element, claim, found)) return found;
  }
  constexpr uint32_t kRest = kListedSlots - kDenseSlots;
  for (uint32_t probe = 0; probe < kRest; ++probe) {
    ListedSlot& slot = slots[kDenseSlots + (element + probe) % kRest];
    if (ends_at(slot, element, claim, found)) return found;
  }
  for (uint32_t probe = kDenseTries; probe < kDenseSlots; ++probe) {
    if (ends_at(slots[(element + probe) % kDenseSlots], element, claim, found)) return found;
  }
  return nullptr;
}

bool Recorder::include_listed(AnnotatedComponent& component, uint32_t index, uint64_t element) {
  ListedSlot* slot = slot_of(index, element, true);
  if (slot == nullptr) {
    add_fault(component, kFaultListFull);
    return true;
  }
  const uint64_t generation = uint64_t{component.generation.load(std::memory_order_relaxed)} << 32;
  uint64_t seen = slot->count.load(std::memory_order_relaxed);
  while (true) {
    const uint64_t count = (seen & ~kCountMask) == generation ? seen & kCountMask : 0;
    if (component.kind == ESOX_SET && count > 0) return false;
    if (slot->count.compare_exchange_weak(seen, generation | (count + 1))) return true;
  }
}

bool Recorder::exclude_listed(AnnotatedComponent& component, uint32_t index, uint64_t element) {
  ListedSlot* slot = slot_of(index, element, false);
  if (slot == nullptr) return false;
  const uint64_t generation = uint64_t{component.generation.load(std::memory_order_relaxed)} << 32;
  uint64_t seen = slot->count.load(std::memory_order_relaxed);
  while (true) {
    const uint64_t count = (seen & ~kCountMask) == generation ? seen & kCountMask : 0;
    if (count == 0) return false;
    if (slot->count.compare_exchange_weak(seen, generation | (count - 1))) return true;
  }
}

// Of calls for equal elements exactly one sees a set's element as new.
bool Recorder::include_bloom(AnnotatedComponent& component, uint32_t index,
                             const ElementDigest& digest) {
  const BloomPlaces places = bloom_places(region_.inclusion[index].bloom, digest);
  BloomBlock seen = places.block;  // may be torn: then the change fails
  do {
    if (component.kind == ESOX_SET && holds(seen, places)) return false;
  } while (!change(places.block, seen, seen + places.one_each()));
  if (!holds(~seen, places)) add_fault(component, kFaultCounterFull);
  return true;
}

bool Recorder::exclude_bloom(uint32_t index, const ElementDigest& digest) {
  const BloomPlaces places = bloom_places(region_.inclusion[index].bloom, digest);
  BloomBlock seen = places.block;
  do {
    if (!holds(seen, places)) return false;
  } while (!change(places.block, seen, seen - places.one_each()));
  return true;
}

void Recorder::clear(AnnotatedComponent& component, uint32_t index) {
  component.generation.fetch_add(1);
  update(component.lanes, [](unsigned __int128) { return 0; });
  component.absent.store(0);
  component.chain = 0;
  if (component.inclusion != ESOX_BLOOM) return;
  memset(region_.inclusion[index].bloom, 0, sizeof region_.inclusion[index].bloom);
}

void Recorder::append(AnnotatedComponent& component, const ElementDigest& digest) {
  update(component.chain, [&](unsigned __int128 seen) { return chained(seen, digest); });
}

void Recorder::log(uint32_t index, int operation, const esox_element* key,
                   const esox_element* value) {
  const uint32_t key_bytes = key != nullptr ? key->used : 0;
  const uint32_t value_bytes = value != nullptr ? value->used : 0;
  const uint32_t bytes = (sizeof(LoggedOperation) + key_bytes + value_bytes + 7u) & ~7u;
  // Once full it stays full: what is missing is known by the position, which must not wrap.
  if (region_.log_used.load(std::memory_order_relaxed) > kOperationLogBytes) return;
  const uint64_t at = region_.log_used.fetch_add(bytes, std::memory_order_relaxed);
  if (at + bytes > kOperationLogBytes) return;
  auto* entry = reinterpret_cast<LoggedOperation*>(region_.log + at);
  entry->key_bytes = key_bytes;
  entry->value_bytes = value_bytes;
  unsigned char* text = region_.log + at + sizeof(LoggedOperation);
  if (key_bytes > 0) memcpy(text, key->bytes, key_bytes);
  if (value_bytes > 0) memcpy(text + key_bytes, value->bytes, value_bytes);
  const uint64_t head =
      uint64_t{bytes} << 32 | uint64_t{index} << 16 | static_cast<uint64_t>(operation) << 8 | 1;
  entry->head.store(head, std::memory_order_release);
}

}  // namespace esox
