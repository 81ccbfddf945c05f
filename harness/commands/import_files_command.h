// SPDX-License-Identifier: Apache-2.0
// esox import sql, esox import text: files of requests become inputs.
#pragma once

#include "harness/commands/cli.h"
#include "harness/commands/command.h"

namespace esox {

void add_import_files_commands(Command& import, Chosen& chosen);

}  // namespace esox
