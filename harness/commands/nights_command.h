// SPDX-License-Identifier: Apache-2.0
// esox nights: the nights of a hunt file, a line each.
#pragma once

#include "harness/commands/command.h"

namespace esox {

void add_nights_command(CLI::App& app, Chosen& chosen);

}  // namespace esox
