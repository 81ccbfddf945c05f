// SPDX-License-Identifier: Apache-2.0
// Reads a file of requests of memcached's text protocol, as one would send them: a command line,
// and after a storage command its data, of as many bytes as the line says. Lines end in "\n" or
// "\r\n". Empty lines are skipped, and lines that begin with '#', which may be marks (part_mark.h).
//
// Left out, and counted: what has no reply (noreply), what is not about data (quit, verbosity ...),
// and what the format of inputs cannot hold (not UTF-8, data that is empty or ends in a blank).
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "inputs/import/part_mark.h"

namespace esox {

inline constexpr size_t kMaxTextScriptBytes = size_t{16} << 20;

// `file` is for messages. Throws InputError: too large, an unknown command (after which nobody
// knows whether data follows), data of another length than said, a wrong mark. Safe on any bytes.
ImportScript read_text_script(std::string_view text, const std::string& file);

}  // namespace esox
