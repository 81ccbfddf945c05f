// SPDX-License-Identifier: Apache-2.0
#include "preload/accesses/accesses.h"

#include <pthread.h>
#include <sys/auxv.h>
#include <unistd.h>

#include "preload/accesses/shadow.h"
#include "preload/core/control.h"
#include "preload/core/dense_table.h"

namespace esox {
namespace {

struct Site {
  uint64_t object;
};

AccessGate* g_gate = nullptr;
AccessShadow g_shadow;
DenseTable<Site, 1u << 13> g_listed;   // of the plan
DenseTable<Site, 1u << 13> g_learned;  // by this execution
uint8_t g_filter[kSiteFilterBytes];
uint32_t g_living = 0;
static_assert(decltype(g_listed)::kMost >= kMaxAccessSites);

// [low, high): found out at the thread's first access. Where threads have stacks of a size of their
// own, less of them may count as theirs, or a neighbour's unused end.
struct OwnStack {
  uint64_t low = 0;
  uint64_t size = 0;

  bool holds(uint64_t address) const { return address - low < size; }
};
constinit thread_local OwnStack t_stack __attribute__((tls_model("initial-exec")));

OwnStack find_stack(uint32_t tid) {
  pthread_attr_t defaults;
  size_t size = 0;
  pthread_attr_init(&defaults);
  pthread_attr_getstacksize(&defaults, &size);  // RLIMIT_STACK's, which bounds main's stack too
  pthread_attr_destroy(&defaults);
  // Above main's stack lie its arguments, above others' their thread-local objects and their handle
  // (pthread_self() is the address of the latter in glibc). Where this is not so, no memory is
  // taken for the thread's own.
  const uint64_t high =
      tid == static_cast<uint32_t>(getpid()) ? getauxval(AT_EXECFN) : pthread_self();
  const OwnStack stack{high - size, size};
  return stack.holds(reinterpret_cast<uint64_t>(&size)) ? stack : OwnStack{};
}

bool is_atomic(OpKind kind) {
  return kind == OpKind::kAtomicLoad || kind == OpKind::kAtomicStore ||
         kind == OpKind::kAtomicUpdate;
}

void learn(ThreadId thread, const Access& access) {
  ControlBlock& b = block();
  // An atomic access may well conflict with a plain one; but it needs no list.
  const auto keep = [&](uint64_t found) {
    if (g_learned.find(found) != nullptr) return;
    if (b.accesses_seen.learned_count == kMaxAccessSites) {
      ++b.accesses_seen.sites_not_kept;
      return;
    }
    g_learned.find_or_add(found);
    b.learned_sites[b.accesses_seen.learned_count++] = found;
  };
  g_shadow.note(thread, access.address, access.bytes, is_write(access.kind), access.site, keep);
  b.accesses_seen.forgotten = g_shadow.forgotten();
}

bool offered(uint32_t tid, const Access& access) {
  const AccessLevel level = block().accesses.level;
  if (level == AccessLevel::kNone) return false;
  if (is_atomic(access.kind)) return true;
  if (level == AccessLevel::kConflicting) return g_listed.find(access.site) != nullptr;
  if (level != AccessLevel::kAll) return false;
  if (t_stack.size == 0) t_stack = find_stack(tid);
  return !t_stack.holds(access.address);
}

PlainAccesses plain_accesses(const AccessPlan& plan) {
  if (plan.learn != 0 || plan.level == AccessLevel::kAll) return PlainAccesses::kTold;
  return plan.level == AccessLevel::kConflicting ? PlainAccesses::kListed : PlainAccesses::kUntold;
}

void set_gate() {
  if (g_gate == nullptr) return;
  const AccessPlan& plan = block().accesses;
  const bool open = g_living >= 2;
  const bool atomics = open && (plan.level != AccessLevel::kNone || plan.learn != 0);
  g_gate->plain.store(open ? plain_accesses(plan) : PlainAccesses::kUntold);
  g_gate->atomics.store(atomics ? 1 : 0);
}

}  // namespace

void begin_accesses() {
  const ControlBlock& b = block();
  block().accesses_seen = {};
  block().accesses_seen.told = g_gate != nullptr ? 1 : 0;
  if (b.accesses.learn != 0) {
    g_shadow.begin();
    g_learned.clear();
  }
  for (uint32_t i = 0; i < g_listed.size(); ++i) g_filter[place_of_site(g_listed[i].object)] = 0;
  g_listed.clear();
  if (b.accesses.level != AccessLevel::kConflicting) return;
  for (uint32_t i = 0; i < b.accesses.site_count && i < kMaxAccessSites; ++i) {
    g_listed.find_or_add(b.access_sites[i]);
    g_filter[place_of_site(b.access_sites[i])] = 1;
  }
}

void tell_accesses_to(uint32_t living_threads) {
  g_living = living_threads;
  set_gate();
}

void attach_gate(AccessGate& gate, decltype(AccessGate::told) told) {
  gate.listed = g_filter;
  gate.told = told;
  g_gate = &gate;
  set_gate();
}

bool is_point(ThreadId thread, uint32_t tid, const Access& access) {
  if (block().accesses.learn != 0) learn(thread, access);
  return offered(tid, access);
}

}  // namespace esox
