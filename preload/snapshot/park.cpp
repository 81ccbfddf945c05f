// SPDX-License-Identifier: Apache-2.0
#include "preload/snapshot/park.h"

#include <errno.h>

#include "preload/core/directory.h"
#include "preload/snapshot/refusal.h"

namespace esox {
namespace {

constexpr int64_t kParkLimit_ns = 2'000'000'000;  // for one thread to come into its handler
constexpr int64_t kSlice_ns = 10'000'000;
constexpr uint32_t kUnknownCall = 2;

// Grows when parked threads are let go: each waits for it to differ from what it was.
std::atomic<uint32_t> g_epoch{0};

ThreadImage* find(ParkedThreads& threads, uint32_t tid) {
  for (uint32_t i = 0; i < threads.count; ++i) {
    if (threads.images[i].tid == tid) return &threads.images[i];
  }
  return nullptr;
}

// False: the thread has ended meanwhile, or does not come (then `reply` is a refusal).
bool park_one(ThreadImage& image, SnapshotReply& reply) {
  read_syscall(image.tid, image.syscall);
  const long sent = raw::call(SYS_tgkill, raw::call(SYS_getpid), image.tid, kParkSignal);
  if (sent < 0) {
    if (sent != -ESRCH) refuse(reply, SnapshotStep::kParkThread, sent, "a thread takes no signal");
    return false;
  }
  const int64_t until_ns = raw::now_ns(CLOCK_MONOTONIC) + kParkLimit_ns;
  while (image.parked.load(std::memory_order_acquire) == 0) {
    raw::futex_wait(&image.parked, uint32_t{0}, kSlice_ns);
    if (raw::call(SYS_tgkill, raw::call(SYS_getpid), image.tid, 0) == -ESRCH) return false;
    if (raw::now_ns(CLOCK_MONOTONIC) < until_ns) continue;
    refuse(reply, SnapshotStep::kParkThread, ETIMEDOUT, "thread ")
        .number(image.tid)
        .text(" does not take the parking signal within 2 s (system call ")
        .number(static_cast<uint64_t>(image.syscall.number))
        .text("): it blocks it, or waits in the kernel for what cannot be interrupted");
    return false;
  }
  if (image.parked.load() != kUnknownCall) return true;
  reply.retry = 1;  // it was on its way into another call just then
  refuse(reply, SnapshotStep::kParkThread, EAGAIN, "thread ")
      .number(image.tid)
      .text(" was about to block in a system call that could not be seen");
  return true;
}

// A child can be asked to park before all its threads have gone on. False: see the reply.
bool await_resumed(const ParkedThreads& threads, SnapshotReply& reply) {
  const int64_t until_ns = raw::now_ns(CLOCK_MONOTONIC) + kParkLimit_ns;
  while (const uint32_t left = threads.resuming.load(std::memory_order_acquire)) {
    if (raw::now_ns(CLOCK_MONOTONIC) > until_ns) {
      reply.retry = 1;
      refuse(reply, SnapshotStep::kParkThread, ETIMEDOUT, "threads that have not gone on yet: ")
          .number(left);
      return false;
    }
    raw::call(SYS_sched_yield);
  }
  return true;
}

// One look at the list of threads: parks those not seen before. Gives their number.
uint32_t park_fresh(ParkedThreads& threads, SnapshotReply& reply) {
  DirectoryList tasks("/proc/self/task");
  if (!tasks.opened()) {
    refuse(reply, SnapshotStep::kListThreads, ENOENT, "/proc/self/task cannot be read");
    return 0;
  }
  const auto own = raw::thread_id();
  uint32_t fresh = 0;
  while (const char* name = tasks.next()) {
    const uint32_t tid = parse_number(name);
    if (tid == 0 || tid == own || find(threads, tid) != nullptr) continue;
    if (threads.count == kMaxParkedThreads) {
      refuse(reply, SnapshotStep::kTables, ENOMEM, "the server has more than ")
          .number(kMaxParkedThreads)
          .text(" threads");
      return 0;
    }
    ThreadImage& image = threads.images[threads.count++];
    image.tid = tid;
    image.parked.store(0);
    ++fresh;
    const bool parked = park_one(image, reply);
    if (!parked && reply.ok != 0) --threads.count;  // it has ended
    if (reply.ok == 0) return 0;
  }
  return fresh;
}

}  // namespace

bool park_threads(ParkedThreads& threads, SnapshotReply& reply) {
  if (!await_resumed(threads, reply)) return false;
  threads.count = 0;
  reply.ok = 1;
  // Until a whole look shows nobody new: a thread not yet parked may have made another one.
  while (park_fresh(threads, reply) > 0) {
  }
  reply.threads = threads.count + 1;
  if (reply.ok == 0) release_threads(threads);
  return reply.ok != 0;
}

void release_threads(ParkedThreads& threads) {
  g_epoch.fetch_add(1);
  raw::futex_wake(&g_epoch, INT32_MAX);
  threads.count = 0;
}

__attribute__((noinline)) void park_here(ParkedThreads& threads, ucontext_t& context) {
  ThreadImage* image = find(threads, raw::thread_id());
  if (image == nullptr) return;  // not asked for
  const uint32_t epoch = g_epoch.load();
  image->context = &context;
  capture_thread(*image);
  const bool known = rewind_interrupted(context, image->syscall) != Interruption::kUnknown;
  if (esox_mark_point(&image->point) != 0) {
    register_thread(*image, /*forked=*/false);  // a re-created thread, in a child
    threads.resuming.fetch_sub(1, std::memory_order_release);
    return;
  }
  image->parked.store(known ? 1 : kUnknownCall, std::memory_order_release);
  raw::futex_wake(&image->parked, 1);
  while (g_epoch.load() == epoch) raw::futex_wait(&g_epoch, epoch);
}

}  // namespace esox
