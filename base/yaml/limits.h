// SPDX-License-Identifier: Apache-2.0
// The limits on YAML files. They exist so that a mistaken or hostile file ends in one clear message
// rather than in exhausted memory.
#pragma once

#include <cstddef>

namespace esox {

inline constexpr size_t kMaxFileBytes = 4 << 20;       // one file
inline constexpr size_t kMaxDocumentDepth = 16;        // nesting of lists and mappings
inline constexpr size_t kMaxDocumentNodes = 200000;    // with aliases counted as copies
inline constexpr size_t kMaxDocumentBytes = 16 << 20;  // texts, with aliases counted as copies
inline constexpr size_t kMaxIdBytes = 160;
inline constexpr size_t kMaxIdParts = 4;  // parts between '/'
inline constexpr size_t kMaxFieldNameBytes = 64;

}  // namespace esox
