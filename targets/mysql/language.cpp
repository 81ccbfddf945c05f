// SPDX-License-Identifier: Apache-2.0
#include "targets/mysql/language.h"

#include "targets/mysqld/language.h"

namespace esox {
namespace {

constexpr std::string_view kEngines[] = {"InnoDB", "MyISAM", "MEMORY"};
constexpr size_t kTriedEngines = 2;  // the first

// Who may do what; passwords and dates are left out. Releases have no common way to ask which
// variables were set, so all are: those that count or tell the time are not among them.
constexpr const char* kUsers =
    "SELECT GRANTEE, '' AS PLACE, PRIVILEGE_TYPE FROM information_schema.USER_PRIVILEGES UNION ALL "
    "SELECT GRANTEE, TABLE_SCHEMA, PRIVILEGE_TYPE FROM information_schema.SCHEMA_PRIVILEGES UNION "
    "ALL SELECT GRANTEE, CONCAT(TABLE_SCHEMA, '.', TABLE_NAME), PRIVILEGE_TYPE FROM "
    "information_schema.TABLE_PRIVILEGES";
constexpr const char* kGlobals = "SHOW GLOBAL VARIABLES WHERE Variable_name NOT LIKE 'gtid%'";
constexpr const char* kDatabases = "SHOW DATABASES";
constexpr const char* kOthers =
    "CHECKSUM TABLE mysql.columns_priv, mysql.func, mysql.plugin, mysql.procs_priv, "
    "mysql.proxies_priv, mysql.servers, mysql.time_zone, mysql.time_zone_name";

class MysqlLanguage final : public MysqldLanguage {
 public:
  std::string_view server() const override { return "mysql"; }
  ContentView content_view() const override {
    return {"programs", {kGlobals, kUsers, kDatabases}, {kOthers}};
  }
  std::span<const std::string_view> engines() const override { return kEngines; }
  std::span<const std::string_view> default_engines() const override {
    return std::span(kEngines).first(kTriedEngines);
  }
};

}  // namespace

const RequestLanguage& mysql_language() {
  static const MysqlLanguage language;
  return language;
}

}  // namespace esox
