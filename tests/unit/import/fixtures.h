// SPDX-License-Identifier: Apache-2.0
// The two logs of a made-up test, put together statement by statement.
#pragma once

#include <string>
#include <vector>

namespace esox::testing_import {

struct Told {
  std::string text;
  std::vector<std::string> tables = {};  // "WRITE t1", as the audit log tells of them
  int error = 0;
  int connection = 4;
};

struct Logs {
  std::string general;
  std::string audit;
};

inline std::string audit_text(const std::string& text) {
  std::string escaped;
  for (const char c : text) {
    if (c == '\'' || c == '\\') escaped += '\\';
    escaped += c == '\n' ? ' ' : c;
  }
  return escaped;
}

inline Logs logs_of(const std::vector<Told>& statements) {
  Logs logs;
  for (const Told& one : statements) {
    const std::string number = std::to_string(one.connection);
    logs.general += "\t\t     " + number + " Query\t" + one.text + "\n";
    const std::string begin = "20300101 00:00:00,host,root,localhost," + number + ",7,";
    for (const std::string& table : one.tables) {
      const size_t blank = table.find(' ');
      logs.audit += begin + table.substr(0, blank) + ",test," + table.substr(blank + 1) + ",\n";
    }
    logs.audit +=
        begin + "QUERY,test,'" + audit_text(one.text) + "'," + std::to_string(one.error) + "\n";
  }
  return logs;
}

}  // namespace esox::testing_import
