// SPDX-License-Identifier: Apache-2.0
// What must hold across a grammar's files (grammar_reader.h).
#pragma once

#include <map>
#include <memory>
#include <string>

#include "inputs/generation/grammar.h"

namespace esox {

// As read; all names are unresolved.
struct GrammarDraft {
  struct Source {
    std::string file;
    int line = 0;
  };
  Grammar grammar;
  std::map<std::string, Source> sources;  // "rule x", "request x", "setup x", "values x", "name x"
};

// Slots resolved to rules and types, and the invariants of grammar.h. Throws InputError.
std::shared_ptr<const Grammar> checked(GrammarDraft draft, const std::string& file);

}  // namespace esox
