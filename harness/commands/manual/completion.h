// SPDX-License-Identifier: Apache-2.0
// What fits a command line of esox at the cursor.
//
// The shells' scripts know nothing of esox's commands. At each tab they ask the hidden command
// `esox complete-words -- WORD ...`: its first line names what the shell is to add of its own -
// none, files, folders, program (commands and files), arguments (of that program) - and each other
// line is a candidate, some with a tab and a description behind. That of an option which needs a
// value ends in '='.
#pragma once

#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace esox {

// Of templates/, compiled in.
extern const char* const kBashScript;
extern const char* const kZshScript;

enum class Fitting { kNothing, kFiles, kFolders, kProgram, kArguments, kFindings, kIds };

struct Offer {
  Fitting fitting = Fitting::kNothing;  // beside the candidates
  std::vector<std::string> candidates;
  std::string typed;  // what all candidates begin with: the word at the cursor, or its value
};

// `words` are those behind esox's own name, up to the cursor; the last may be empty. Bash gives
// "--seed=7" as three words, zsh as one. Pure.
Offer offer_at(const CLI::App& esox, const std::vector<std::string>& words);

}  // namespace esox
