// SPDX-License-Identifier: Apache-2.0
// Reads a file of requests of memcached's text protocol, as one would send them: a command line,
// and after a storage command its data, of as many bytes as the line says. Lines end in "\n" or
// "\r\n". Empty lines are skipped, and lines that begin with '#', which may be marks (part_mark.h).
//
// Left out, and counted: what has no reply (noreply), what is not about data (quit, watch ...),
// what the format of inputs cannot hold (not UTF-8, data that is empty or ends in a blank), and
// lines that are no such request, each with its place and text.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "inputs/import/part_mark.h"

namespace esox {

inline constexpr size_t kMaxTextScriptBytes = size_t{16} << 20;

// `file` is for messages. Throws InputError: too large, more than 20 lines that are no request or
// nothing else, data of another length than said (nobody knows where the next request begins), a
// wrong mark. Safe on any bytes.
ImportScript read_text_script(std::string_view text, const std::string& file);

}  // namespace esox
