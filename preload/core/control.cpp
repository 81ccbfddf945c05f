// SPDX-License-Identifier: Apache-2.0
#include "preload/core/control.h"

#include "preload/core/internal_lock.h"

namespace esox {
namespace {

// The block of a process that nobody controls: all zero, so its phase stays kIdle, and in .bss.
union Untouched {
  constexpr Untouched() : nothing(0) {}
  char nothing;
  ControlBlock block;
};
constinit Untouched g_no_block;

}  // namespace

constinit ControlBlock* g_block = &g_no_block.block;
constinit HookLocks g_hook_locks;
constinit thread_local ControlledThread* t_self __attribute__((tls_model("initial-exec"))) =
    nullptr;
constinit thread_local uint32_t t_inside = 0;

ControlBlock* no_block() {
  return &g_no_block.block;
}

}  // namespace esox
