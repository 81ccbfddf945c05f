// SPDX-License-Identifier: Apache-2.0
// Whether a server's own threads, under control beside its clients' (contexts,
// preload/scheduler/contexts.cpp), did work that can meet the clients': only then is it worth
// scheduling them.
#pragma once

#include <cstddef>

#include "analysis/execution_record.h"

namespace esox {

// A context used an object that a client below `clients` used, too, and one of them changed it.
bool has_background_work(const ExecutionRecord& record, size_t clients);

}  // namespace esox
