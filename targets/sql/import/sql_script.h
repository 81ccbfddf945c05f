// SPDX-License-Identifier: Apache-2.0
// Cuts a file of SQL into statements, as the mariadb client would send them.
//
// A statement begins with its first word and ends with its last one before
//   - the delimiter: ";", or what DELIMITER has said; not in texts, names in back-quotes, comments;
//   - \g or \G;
//   - a line that begins with DELIMITER;
//   - the end of a line that says USE and a name, and no more;
//   - the end of the file.
// Comments before and after it are left out, those within stay. Unlike the client, we do not end
// statements within executable comments (/*! ... */): half of one could not be run.
//
// Left out, and counted: commands of the client (source, system ...) and lines for mysqltest
// (--error and the like), when a line begins with them where a statement could begin.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "inputs/import/part_mark.h"

namespace esox {

inline constexpr size_t kMaxScriptBytes = size_t{64} << 20;
inline constexpr size_t kMaxDelimiterBytes = 16;

// `file` is for messages. Throws InputError: too large, not UTF-8 (in other encodings a quote may
// be the second half of a letter), a text or comment that never ends, a delimiter that cannot be
// one, a wrong mark. Safe on any bytes.
ImportScript read_sql_script(std::string_view text, const std::string& file);

}  // namespace esox
