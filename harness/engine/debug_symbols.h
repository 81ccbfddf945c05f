// SPDX-License-Identifier: Apache-2.0
// Names from the ELF files of an execution's module map, read with libdw; the server itself may be
// gone.
//
// Without debug information the dynamic symbols are enough for function names (a server that lets
// plugins link against it exports nearly all of its own). A thread keeps what it knows of the last
// few servers, and asking for the symbols of one of them again costs nothing. Each is its thread's
// alone.
#pragma once

#include <vector>

#include "analysis/symbols.h"

namespace esox {

Symbols debug_symbols(std::vector<Module> modules);

}  // namespace esox
