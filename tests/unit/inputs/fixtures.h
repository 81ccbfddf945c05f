// SPDX-License-Identifier: Apache-2.0
// What the tests of this room share: a minimal valid input, and the message an input fails with.
#pragma once

#include <string>

#include "base/text/input_error.h"
#include "inputs/reader.h"
#include "tests/unit/servers.h"

namespace esox::testing_inputs {

// Lines are counted by the tests of messages: keep the order.
inline const std::string kValid =
    "id: some/input\n"                                              // 1
    "title: a title\n"                                              // 2
    "engines: [Aria]\n"                                             // 3
    "server_options: [--concurrent-insert=2]\n"                     // 4
    "setup:\n"                                                      // 5
    "  - CREATE TABLE t1 (a INT) ENGINE=${engine}\n"                // 6
    "clients:\n"                                                    // 7
    "  - name: A\n"                                                 // 8
    "    setup: [SET sql_mode='']\n"                                // 9
    "    requests:\n"                                               // 10
    "      - INSERT INTO t1 VALUES (1)\n"                           // 11
    "  - name: B\n"                                                 // 12
    "    requests:\n"                                               // 13
    "      - {sql: SELECT a FROM t1 ORDER BY a, ordered: false}\n"  // 14
    "observations: [SELECT COUNT(*) FROM t1]\n";                    // 15

inline const std::string kValidGenerator =
    "generate: pairs\n"                                         // 1
    "setup: [CREATE TABLE t1 (a INT)]\n"                        // 2
    "shapes:\n"                                                 // 3
    "  - {name: read, writes: false, sql: SELECT a FROM t1}\n"  // 4
    "  - name: add\n"                                           // 5
    "    writes: true\n"                                        // 6
    "    sql: INSERT INTO t1 VALUES (1)\n";                     // 7

// `text` with its one occurrence of `from` replaced; the text itself if there is none, which makes
// the test that relies on it fail.
inline std::string replaced(std::string text, const std::string& from, const std::string& to) {
  const size_t at = text.find(from);
  return at == std::string::npos ? text : text.replace(at, from.size(), to);
}

// The one line parse_inputs fails with, or "" if it does not fail.
inline std::string message_of(const std::string& yaml) {
  try {
    parse_inputs(yaml, "f.yaml", languages());
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

}  // namespace esox::testing_inputs
