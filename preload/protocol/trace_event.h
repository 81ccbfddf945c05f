// SPDX-License-Identifier: Apache-2.0
// The operations of a controlled thread, and one line of the trace.
//
// A scheduling point lies just before a visible operation. The kinds below are all the operations
// the preload makes visible. Their numbers are part of the protocol: append, never renumber.
#pragma once

#include <cstdint>

namespace esox {

// Index of a controlled thread within one execution. With clients under control it is the client's
// index in the input; with a whole program under control it is the order of creation (0 = main).
using ThreadId = uint16_t;
inline constexpr ThreadId kNoThread = 0xffff;

enum class OpKind : uint8_t {
  kNone = 0,
  // Requests and threads.
  kRequestBegin = 1,
  kRequestEnd = 2,
  kThreadStart = 3,
  kThreadExit = 4,
  kThreadJoin = 5,
  kThreadCreate = 6,
  kProcessExit = 7,  // of a program while it has other threads: they end with it
  // Locks. kMutexUnlock and kRwUnlock are "release points": the point lies just after the release.
  kMutexLock = 10,
  kMutexTrylock = 11,
  kMutexUnlock = 12,
  kReadLock = 13,
  kWriteLock = 14,
  kTryReadLock = 15,
  kTryWriteLock = 16,
  kRwUnlock = 17,
  kSpinLock = 18,
  kSpinUnlock = 19,
  kSharedUnlock = 9,  // kRwUnlock by a holder who shared; only in protocol/waiting.h
  // Condition variables, semaphores, barriers, futexes.
  kCondWait = 20,
  kCondSignal = 21,
  kCondBroadcast = 22,
  kSemWait = 23,
  kSemPost = 24,
  kBarrierWait = 25,
  kFutexWait = 26,
  kFutexWake = 27,
  kOnce = 28,
  // Time.
  kYield = 30,
  kSleep = 31,
  // Latches of the server's own (interpose/latches.cpp). Whether one is held is not known.
  kLatchShare = 32,
  kLatchTake = 33,
  kLatchLeft = 34,
  // Sockets and readiness.
  kReceive = 40,
  kSend = 41,
  kPoll = 42,
  kAccept = 43,
  kSignalWait = 44,
  // Files and directories.
  kFileOpen = 50,
  kFileClose = 51,
  kFileRead = 52,
  kFileWrite = 53,
  kFileSync = 54,
  kFileRename = 55,
  kFileRemove = 56,
  kFileStat = 57,
  kFileResize = 58,
  kFileLock = 59,
  kDirectoryRead = 60,
  kDirectoryMake = 61,
  // Memory, in programs built for it (protocol/accesses.h). `aux` is the number of bytes.
  kAtomicLoad = 70,
  kAtomicStore = 71,
  kAtomicUpdate = 72,  // exchange, fetch-and-..., compare-and-exchange whether or not it succeeds
  kMemoryRead = 73,
  kMemoryWrite = 74,
  // Data choices that were taken (data_choice.h). No points: each is told after the operation's own
  // events, when its thread goes on. `aux` is the number of bytes of a short transfer.
  kSpuriousWake = 80,
  kEarlyTimeout = 81,
  kTryRefused = 82,
  kShortTransfer = 83,
  kInterrupted = 84,
};

// True for points that lie after a release rather than before an acquisition: they matter for
// windows that open at an unlock and close at a plain read, but are rarer to be useful, so the
// scheduler offers only some of them to the strategy (ControlBlock::release_point_odds).
constexpr bool is_release(OpKind kind) {
  return kind == OpKind::kMutexUnlock || kind == OpKind::kRwUnlock || kind == OpKind::kSpinUnlock ||
         kind == OpKind::kLatchLeft;
}

// True for memory accesses that change what they touch.
constexpr bool is_write(OpKind kind) {
  return kind == OpKind::kAtomicStore || kind == OpKind::kAtomicUpdate ||
         kind == OpKind::kMemoryWrite;
}

enum TraceFlag : uint8_t {
  kTraceSwitchedAway = 1,  // another thread was chosen at this point while this one could run
  kTraceBlocked = 2,       // the thread could not go on here: lock held, wait entered
  kTraceTimedOut = 4,      // a timed wait ended by the virtual clock
  kTraceExternal = 8,      // woken by, or waited for, a thread that is not controlled
  kTraceDemoted = 16,      // moved away by the anti-starvation rule
  kTraceOffered = 32,      // the strategy was asked at this point
  kTraceUnsignalled = 64,  // a wait ended by a data choice: whoever signalled, it was not that
};

// One operation of one thread. `object` is an address (locks) or a path hash (files, see the names
// region of the control block); `site` is the absolute return address of the intercepted call.
struct TraceEvent {
  uint64_t site;
  uint64_t object;
  uint64_t aux;     // kind-specific: result, descriptor, woken thread
  uint32_t point;   // number of the scheduling point within the execution
  ThreadId thread;  // who
  OpKind kind;
  uint8_t flags;  // TraceFlag
};
static_assert(sizeof(TraceEvent) == 32);

}  // namespace esox
