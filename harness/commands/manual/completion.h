// SPDX-License-Identifier: Apache-2.0
// What a shell needs to complete esox's command lines, made of what the commands' definitions say.
//
// The scripts are whole: they do not call esox, but for the ids of findings, which are in the
// triage store.
#pragma once

#include <string>

#include "harness/commands/manual/command_facts.h"

namespace esox {

// Of templates/, compiled in.
extern const char* const kBashTemplate;
extern const char* const kZshTemplate;

std::string bash_completion(const CommandFacts& all);
std::string zsh_completion(const CommandFacts& all);

}  // namespace esox
