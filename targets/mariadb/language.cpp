// SPDX-License-Identifier: Apache-2.0
#include "targets/mariadb/language.h"

#include "targets/mysqld/language.h"

namespace esox {
namespace {

constexpr std::string_view kEngines[] = {"Aria", "MyISAM", "InnoDB", "MEMORY"};
constexpr size_t kTriedEngines = 3;  // the first

// What was set by SET GLOBAL; positions of the logs change with every statement.
constexpr const char* kGlobals =
    "SELECT VARIABLE_NAME, GLOBAL_VALUE FROM information_schema.SYSTEM_VARIABLES WHERE "
    "GLOBAL_VALUE_ORIGIN = 'SQL' AND VARIABLE_NAME NOT LIKE 'gtid%'";
// Who may do what; passwords and dates are left out.
constexpr const char* kUsers =
    "SELECT GRANTEE, '' AS PLACE, PRIVILEGE_TYPE FROM information_schema.USER_PRIVILEGES UNION ALL "
    "SELECT GRANTEE, TABLE_SCHEMA, PRIVILEGE_TYPE FROM information_schema.SCHEMA_PRIVILEGES UNION "
    "ALL SELECT GRANTEE, CONCAT(TABLE_SCHEMA, '.', TABLE_NAME), PRIVILEGE_TYPE FROM "
    "information_schema.TABLE_PRIVILEGES UNION ALL SELECT User, Role, Admin_option FROM "
    "mysql.roles_mapping";
constexpr const char* kDatabases = "SHOW DATABASES";
// All else that lasts; the tables of the above change with it and are not among these.
constexpr const char* kOthers =
    "CHECKSUM TABLE mysql.columns_priv, mysql.func, mysql.plugin, mysql.procs_priv, "
    "mysql.proxies_priv, mysql.servers, mysql.time_zone, mysql.time_zone_name";

class MariadbLanguage final : public MysqldLanguage {
 public:
  std::string_view server() const override { return "mariadb"; }
  ContentView content_view() const override {
    return {"programs", {kGlobals, kUsers, kDatabases}, {kOthers}};
  }
  std::span<const std::string_view> engines() const override { return kEngines; }
  std::span<const std::string_view> default_engines() const override {
    return std::span(kEngines).first(kTriedEngines);
  }
};

}  // namespace

const RequestLanguage& mariadb_language() {
  static const MariadbLanguage language;
  return language;
}

}  // namespace esox
