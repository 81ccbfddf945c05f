// SPDX-License-Identifier: Apache-2.0
// Which operations matter to each other, judged by their kinds and objects (Yuan, PhD thesis 2020,
// section 1.4: independence and conflict).
//
//   conflict(a, b)   two pending operations of different threads, both of which could be executed
//                    now, lead to different states in their two orders. POS* and RAPOS ask this.
//   dependent(a, b)  the above, or one may enable or disable the other: their order is part of
//                    the execution's partial order. The exhaustive search asks this.
//
// So a release and the acquisition that waits for it are dependent, but no conflict: they are never
// enabled together. Finer than "same object", where that is worth it (Yuan's table 3.2: 1.4 times
// the partial orders): reads of a file, shared holders of a read-write lock, posts to a semaphore,
// wake-ups, and releases commute with each other.
//
// Limits. Objects are compared by identity: of an operation on two (a wait on a condition variable
// releases a mutex, a rename has two names) only the one that the point names is known, a name in a
// folder and the folder are two objects, and plain memory accesses after the operation are not seen
// at all (but in programs that tell them: protocol/accesses.h). Kinds that are not listed count as
// writes to their object, so that a new one is at worst compared too coarsely. In the server a
// release has its point *after* the release (trace_event.h): a thread parked there has nothing left
// to do to the object, and only attempts that can fail (trylock) are held to conflict with it.
#pragma once

#include "preload/strategy/strategy.h"

namespace esox {

// What an operation does to its object.
enum class Effect {
  kNone,      // not at all, or in a way that no other thread can tell
  kRead,      // reads; commutes with reads
  kShare,     // acquires it together with other sharers
  kTryShare,  // the same, but fails rather than waits
  kAcquire,   // acquires it alone; not enabled while it is held
  kRelease,   // gives it back
  kUnshare,   // gives back what it shared
  kPost,      // adds a permit
  kTake,      // takes a permit; not enabled while there is none
  kWake,      // wakes whoever waits
  kEnter,     // a request begins
  kLeave,     // a request ends
  kChange     // anything else: commutes with nothing
};

constexpr Effect effect_of(OpKind kind) {
  switch (kind) {
    case OpKind::kNone:
    case OpKind::kThreadExit:
    case OpKind::kThreadJoin:  // of one that ended
    case OpKind::kThreadCreate:
    case OpKind::kProcessExit:  // see dependent()
    case OpKind::kYield:
    case OpKind::kSleep:
    case OpKind::kPoll:
    case OpKind::kSignalWait:
    case OpKind::kFileSync:  // nobody tests power failures
      return Effect::kNone;
    case OpKind::kFileRead:
    case OpKind::kFileStat:
    case OpKind::kDirectoryRead:
    case OpKind::kAtomicLoad:
    case OpKind::kMemoryRead:
    case OpKind::kLatchShare:
      return Effect::kRead;
    case OpKind::kReadLock:
      return Effect::kShare;
    case OpKind::kTryReadLock:
      return Effect::kTryShare;
    case OpKind::kMutexLock:
    case OpKind::kWriteLock:
    case OpKind::kSpinLock:
      return Effect::kAcquire;
    case OpKind::kMutexUnlock:
    case OpKind::kRwUnlock:
    case OpKind::kSpinUnlock:
      return Effect::kRelease;
    case OpKind::kSharedUnlock:
      return Effect::kUnshare;
    case OpKind::kSemPost:
      return Effect::kPost;
    case OpKind::kSemWait:
      return Effect::kTake;
    case OpKind::kCondSignal:
    case OpKind::kCondBroadcast:
    case OpKind::kFutexWake:
      return Effect::kWake;
    case OpKind::kRequestBegin:
      return Effect::kEnter;
    case OpKind::kRequestEnd:
      return Effect::kLeave;
    default:
      return Effect::kChange;
  }
}

namespace effects {

constexpr bool shares(Effect effect) {
  return effect == Effect::kShare || effect == Effect::kTryShare;
}

// Waits rather than fails.
constexpr bool waits(Effect effect) {
  return effect == Effect::kAcquire || effect == Effect::kShare;
}

// Can take place whoever else shares.
constexpr bool leaves_sharers(Effect effect) {
  return shares(effect) || effect == Effect::kUnshare;
}

constexpr bool releases(Effect effect) {
  return effect == Effect::kRelease || effect == Effect::kUnshare;
}

// Two effects on one object.
constexpr bool commute(Effect a, Effect b) {
  if (a == Effect::kNone || b == Effect::kNone) return true;
  if (leaves_sharers(a) && leaves_sharers(b)) return true;
  if (releases(a) && releases(b)) return true;
  if (a != b) return false;
  return a == Effect::kRead || a == Effect::kPost || a == Effect::kWake;
}

// One of them enables the other, so that they are never both enabled, or are indifferent if so.
constexpr bool enables(Effect a, Effect b) {
  return (releases(a) && waits(b)) || (a == Effect::kPost && b == Effect::kTake);
}

// A request that begins after another one's reply cannot come before it in a linearization; which
// of two begins, or ends, comes first tells nothing.
constexpr bool border(Effect a, Effect b) {
  return (a == Effect::kEnter && b == Effect::kLeave) ||
         (a == Effect::kLeave && b == Effect::kEnter);
}

}  // namespace effects

constexpr bool dependent(const Pending& a, const Pending& b) {
  // The end of the process is the end of whatever has not been done yet.
  if (a.kind == OpKind::kProcessExit || b.kind == OpKind::kProcessExit) return true;
  const Effect first = effect_of(a.kind);
  const Effect second = effect_of(b.kind);
  if (effects::border(first, second)) return true;
  return a.object != 0 && a.object == b.object && !effects::commute(first, second);
}

constexpr bool conflict(const Pending& a, const Pending& b) {
  // Nothing follows an exit that could be different.
  if (a.kind == OpKind::kProcessExit || b.kind == OpKind::kProcessExit) return false;
  const Effect first = effect_of(a.kind);
  const Effect second = effect_of(b.kind);
  return dependent(a, b) && !effects::enables(first, second) && !effects::enables(second, first);
}

}  // namespace esox
