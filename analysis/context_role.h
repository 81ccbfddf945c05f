// SPDX-License-Identifier: Apache-2.0
// What a thread of the server's own is, for people: a context (preload/scheduler/contexts.cpp) has
// no name but its number, which means nothing to a reader, nor stays the same over builds.
#pragma once

#include <string>

#include "analysis/execution_record.h"
#include "analysis/symbols.h"

namespace esox {

// "waits in F, works mostly in G": where it waited when it was woken, or that it was made
// meanwhile, and the function in which most of its other operations are. Empty for a client's
// thread.
std::string context_role(const ExecutionRecord& record, ThreadId thread, Symbols& symbols);

}  // namespace esox
