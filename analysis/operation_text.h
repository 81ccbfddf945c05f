// SPDX-License-Identifier: Apache-2.0
// Operations by the words a reader knows.
#pragma once

#include "preload/protocol/trace_event.h"

namespace esox {

const char* operation_name(OpKind kind);  // "lock mutex", "write file"; "operation" if unknown

// What kind of object the operation acts on: "mutex", "rwlock", "file", ... ; "" for none. Objects
// are numbered by it: mutex#1, mutex#2.
const char* object_kind(OpKind kind);

}  // namespace esox
