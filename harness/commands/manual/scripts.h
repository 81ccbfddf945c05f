// SPDX-License-Identifier: Apache-2.0
// The fixed parts of the completion scripts: the files of scripts/, which the build puts into the
// program. A mark, "%FACTS%", stands where what the definitions say is put in.
#pragma once

#include <string>

namespace esox {

extern const char* const kBashScript;  // scripts/esox.bash
extern const char* const kZshScript;   // scripts/esox.zsh

// The mark must be in the script.
void replace_mark(std::string& script, const std::string& mark, const std::string& text);

}  // namespace esox
