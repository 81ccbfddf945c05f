// SPDX-License-Identifier: Apache-2.0
// Reads MariaDB's general log: what each connection sent, in the order the server took it up.
//
// An entry begins with a line of the form
//   (261121 16:25:21 | TAB) TAB  blanks CONNECTION blank COMMAND TAB text
// and goes on until the next such line, so that statements of several lines stay whole. A statement
// that holds a line of that very form is cut in two here: the audit log gives that away, which has
// each statement on one line (logged_test.h).
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace esox {

struct GeneralLogEntry {
  uint64_t connection = 0;
  std::string command;  // "Query", "Connect", "Init DB", ...
  std::string text;     // without the line end
};

struct GeneralLog {
  std::vector<GeneralLogEntry> entries;
  bool restarted = false;   // the server was; what follows is left out, for numbers begin anew
  size_t unread_bytes = 0;  // before the first entry, and from a restart on
};

// Safe on any bytes.
GeneralLog read_general_log(std::string_view text);

}  // namespace esox
