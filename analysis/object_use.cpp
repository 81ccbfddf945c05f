// SPDX-License-Identifier: Apache-2.0
#include "analysis/object_use.h"

#include "preload/strategy/conflict.h"

namespace esox {
namespace {

// What no other client can notice: its own connection's and descriptors' affairs, data choices, and
// what was initialised once and is only looked at from then on.
bool is_its_own(OpKind kind) {
  switch (kind) {
    case OpKind::kSharedUnlock:  // a trace tells it as kRwUnlock
    case OpKind::kOnce:
    case OpKind::kReceive:
    case OpKind::kSend:
    case OpKind::kAccept:
    case OpKind::kFileClose:
      return true;
    default:
      return kind >= OpKind::kSpuriousWake;
  }
}

}  // namespace

Use use_of(OpKind kind) {
  if (is_its_own(kind)) return Use::kNone;
  if (kind == OpKind::kFileOpen) return Use::kReads;  // seldom makes it
  switch (effect_of(kind)) {
    case Effect::kNone:
    case Effect::kEnter:
    case Effect::kLeave:
      return Use::kNone;
    case Effect::kRead:
    case Effect::kShare:
    case Effect::kTryShare:
      return Use::kReads;
    default:
      return Use::kChanges;
  }
}

}  // namespace esox
