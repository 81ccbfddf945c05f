// SPDX-License-Identifier: Apache-2.0
// The simulated server as what reads inputs, rules and findings knows servers. Its program is in
// none of them: executors of simulated_server.h are asked for in place of it.
#pragma once

#include "filters/known_servers.h"
#include "summaries/component.h"

namespace esox::simulated {

// "simulated". A request is what store.h says; CALL is not one step, and CHECK can be split into
// its names.
const RequestLanguage& language();

std::span<const ComponentFacts> components();

// For readers that are told which servers there are.
KnownServers known_servers();

// For those that ask the registry: once for each program.
void register_target();

}  // namespace esox::simulated
