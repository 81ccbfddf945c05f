// SPDX-License-Identifier: Apache-2.0
// The gate, and all calls of the compilers that are no accesses.
#include "preload/tsan/instrumented.h"
#include "preload/tsan/tell.h"

extern "C" __attribute__((weak)) void esox_attach_access_gate(esox::AccessGate* gate);

namespace esox {

constinit AccessGate g_gate = {kGateVersion, {0}, {PlainAccesses::kUntold}, nullptr, nullptr};

}  // namespace esox

__attribute__((constructor)) static void show_gate() {
  if (esox_attach_access_gate == nullptr) return;
  esox::look_at_modules();
  esox_attach_access_gate(&esox::g_gate);
}

// Each module built with -fsanitize=thread calls this when it is loaded; the gate is shown by then.
ESOX_TSAN void __tsan_init() {
  if (esox_attach_access_gate != nullptr) esox::look_at_modules();
}

// Calls and returns of functions, for the stacks that a race detector prints.
ESOX_TSAN void __tsan_func_entry(void*) {}
ESOX_TSAN void __tsan_func_exit() {}

// Accesses that a race detector is told not to look at happen all the same.
ESOX_TSAN void __tsan_ignore_thread_begin() {}
ESOX_TSAN void __tsan_ignore_thread_end() {}

// What programs tell a race detector about orders that it cannot see (sanitizer/tsan_interface.h):
// nothing happens in these calls.
ESOX_TSAN void __tsan_acquire(void*) {}
ESOX_TSAN void __tsan_release(void*) {}
