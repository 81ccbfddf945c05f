// SPDX-License-Identifier: Apache-2.0
// Is a text UTF-8? yaml-cpp would replace what is not, silently; a statement must reach the server
// as it was written, so such files are refused instead.
#pragma once

#include <cstddef>
#include <string_view>

namespace esox {

// Offset of the first byte that does not belong to valid UTF-8 (overlong forms, surrogates and code
// points above U+10FFFF are invalid; so is NUL, the mark of a UTF-16 file), or npos.
size_t find_invalid_utf8(std::string_view text);

}  // namespace esox
