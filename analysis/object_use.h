// SPDX-License-Identifier: Apache-2.0
// How an operation uses the object it names: whether another client can notice it.
#pragma once

#include "preload/protocol/trace_event.h"

namespace esox {

// Of two uses of one object by different clients, one must change it for their order to matter.
enum class Use { kNone, kReads, kChanges };

// Releases change their lock, as acquisitions do.
Use use_of(OpKind kind);

}  // namespace esox
