// SPDX-License-Identifier: Apache-2.0
#include "targets/mariadb/language.h"

#include "targets/mysqld/language.h"

namespace esox {
namespace {

constexpr std::string_view kEngines[] = {"Aria", "MyISAM", "InnoDB", "MEMORY"};
constexpr size_t kTriedEngines = 3;

// Positions of the logs change with every statement.
constexpr const char* kGlobals =
    "SELECT VARIABLE_NAME, GLOBAL_VALUE FROM information_schema.SYSTEM_VARIABLES WHERE "
    "GLOBAL_VALUE_ORIGIN = 'SQL' AND VARIABLE_NAME NOT LIKE 'gtid%'";
constexpr const char* kRoles =
    " UNION ALL SELECT User, Role, Admin_option FROM mysql.roles_mapping";

}  // namespace

const RequestLanguage& mariadb_language() {
  static const MysqldLanguage language("mariadb", kEngines, kTriedEngines, kGlobals, kRoles);
  return language;
}

}  // namespace esox
