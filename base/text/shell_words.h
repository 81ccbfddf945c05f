// SPDX-License-Identifier: Apache-2.0
// Words for a POSIX shell that mean exactly what they say.
#pragma once

#include <string>
#include <vector>

namespace esox {

// Plain words as they are; all else between apostrophes. A NUL cannot be said: throws
// std::invalid_argument.
std::string shell_word(const std::string& text);
std::string shell_words(const std::vector<std::string>& words);

}  // namespace esox
