// SPDX-License-Identifier: Apache-2.0
// The commands that tell of all commands.
#pragma once

#include "harness/commands/command.h"

namespace esox {

void add_completion_command(Command& app, Chosen& chosen);
void add_manual_command(Command& app, Chosen& chosen);  // hidden

}  // namespace esox
