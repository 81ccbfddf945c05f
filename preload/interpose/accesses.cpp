// SPDX-License-Identifier: Apache-2.0
// Memory accesses of a program built for it (accesses/gate.h): scheduling points, as far as the
// plan of the execution makes them such.
#include "preload/accesses/accesses.h"

#include "preload/scheduler/scheduler.h"

// By the linker: where this library begins and ends.
extern "C" const char __ehdr_start[] __attribute__((visibility("hidden")));
extern "C" const char _end[] __attribute__((visibility("hidden")));

namespace esox {
namespace {

// The runtime stands before memcpy and its like, which our hooks call too.
bool by_ourselves(uint64_t site) {
  const auto begin = reinterpret_cast<uint64_t>(__ehdr_start);
  return site - begin < reinterpret_cast<uint64_t>(_end) - begin;
}

void told(OpKind kind, uint64_t address, uint64_t bytes, uint64_t site) {
  ControlledThread* t = self();
  if (t == nullptr || by_ourselves(site)) return;
  if (is_point(t->id, t->slot->tid, {kind, address, bytes, site})) {
    g_scheduler.point(*t, kind, address, site, bytes);
  }
}

}  // namespace
}  // namespace esox

ESOX_HOOK void esox_attach_access_gate(esox::AccessGate* gate) {
  if (gate->version == esox::kGateVersion) return esox::attach_gate(*gate, esox::told);
  esox::mark_degraded(esox::kDegradedProtocol);
}
