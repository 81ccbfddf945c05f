// SPDX-License-Identifier: Apache-2.0
// The state of one session's server, taken by its interface (interface.h) and, where the program is
// annotated, from its memory; with the binary log that a replay takes.
#pragma once

#include <memory>

#include "targets/server_state.h"

namespace esox {

std::unique_ptr<ServerState> make_mariadb_state(const SessionView& session);

}  // namespace esox
