// SPDX-License-Identifier: Apache-2.0
// Where the preload comes to life, and where it leaves: the constructor, forked and exec'd
// children.
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/mman.h>

#include <cstring>

#include "preload/core/control.h"
#include "preload/core/die.h"
#include "preload/core/library_layout.h"
#include "preload/core/real.h"
#include "preload/crash.h"
#include "preload/interpose/set_aside.h"
#include "preload/program/fork_server.h"
#include "preload/scheduler/scheduler.h"
#include "preload/scheduler/start_up.h"
#include "preload/snapshot/agent.h"

namespace esox {
namespace {

constexpr char kPreloadVariable[] = "LD_PRELOAD";
// Has the loader resolve all symbols at once: in forks of a program it would do so in each.
constexpr char kBindNowVariable[] = "LD_BIND_NOW";
constexpr char kInherited[] = "/proc/self/fd/";  // a server in namespaces sees no other process

ControlBlock* map_block(const char* path) {
  const long fd = raw::call(SYS_openat, AT_FDCWD, raw::address(path), O_RDWR | O_CLOEXEC);
  if (fd < 0) die("esox: the control block cannot be opened; start the server through esox\n");
  const long mapped =
      raw::call(SYS_mmap, 0, sizeof(ControlBlock), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  raw::call(SYS_close, fd);
  if (strncmp(path, kInherited, sizeof kInherited - 1) == 0) {
    raw::call(SYS_close, kInheritedControlFd);
  }
  if (mapped < 0 && mapped >= -4095) die("esox: the control block cannot be mapped\n");
  auto* block = reinterpret_cast<ControlBlock*>(mapped);
  if (block->magic != kProtocolMagic || block->version != kProtocolVersion ||
      block->bytes != sizeof(ControlBlock)) {
    die("esox: libesox_preload.so and esox are of different builds; build both anew\n");
  }
  return block;
}

// Children are not controlled: a forked one goes idle, an exec'd one does not load us.
void in_forked_child() {
  g_block = no_block();
  g_scheduler.forget();
  g_start_up.end();
}

// Maps the block named by the environment, and wakes all that needs it.
void attach_control_block() {
  const char* path = getenv(kControlVariable);
  if (path == nullptr || *path == '\0') return;
  ControlBlock* block = map_block(path);
  const bool forks = block->forks.point != ForkPoint::kNone;
  const bool server = block->mode == ControlMode::kClients;
  unsetenv(kControlVariable);
  unsetenv(kPreloadVariable);
  if (forks) unsetenv(kBindNowVariable);
  g_scheduler.clock().set_base(block->clock_base_ns);
  if (forks || server) g_scheduler.clock().fix_monotonic();
  if (forks) g_scheduler.clock().fix_executions();
  if (server) g_start_up.begin(g_scheduler.clock());
  pthread_atfork(nullptr, nullptr, in_forked_child);
  look_ahead_for_real_functions();
  look_up_library_layout();
  g_block = block;
  watch_fatal_signals();
  watch_spinners();
  start_snapshot_agent();
  if (server) {  // however its executions will be isolated
    map_execution_heap();
    map_listings();
  }
  block->loaded.store(1);
  if (block->mode == ControlMode::kProgram && block->phase.load() == Phase::kArming) {
    g_scheduler.begin_program();
    fork_at_start();
  }
}

}  // namespace
}  // namespace esox

extern "C" {

__attribute__((constructor)) static void esox_constructor() {
  esox::attach_control_block();
}

// A pure virtual call cannot happen; the symbol is all that the vtables need of the C++ runtime.
__attribute__((visibility("hidden"))) void __cxa_pure_virtual() {
  __builtin_trap();
}
}
