// SPDX-License-Identifier: Apache-2.0
#include "targets/mysql/language.h"

#include "targets/mysqld/language.h"

namespace esox {
namespace {

constexpr std::string_view kEngines[] = {"InnoDB", "MyISAM", "MEMORY"};
constexpr size_t kTriedEngines = 2;

// Releases have no common way to ask which variables were set, so all are; positions of the logs
// change with every statement.
constexpr const char* kGlobals = "SHOW GLOBAL VARIABLES WHERE Variable_name NOT LIKE 'gtid%'";

}  // namespace

const RequestLanguage& mysql_language() {
  static const MysqldLanguage language("mysql", kEngines, kTriedEngines, kGlobals, "");
  return language;
}

}  // namespace esox
