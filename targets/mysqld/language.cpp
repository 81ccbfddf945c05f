// SPDX-License-Identifier: Apache-2.0
#include "targets/mysqld/language.h"

#include <utility>

namespace esox {
namespace {

// Who may do what; passwords and dates are left out.
constexpr const char* kRights =
    "SELECT GRANTEE, '' AS PLACE, PRIVILEGE_TYPE FROM information_schema.USER_PRIVILEGES UNION ALL "
    "SELECT GRANTEE, TABLE_SCHEMA, PRIVILEGE_TYPE FROM information_schema.SCHEMA_PRIVILEGES UNION "
    "ALL SELECT GRANTEE, CONCAT(TABLE_SCHEMA, '.', TABLE_NAME), PRIVILEGE_TYPE FROM "
    "information_schema.TABLE_PRIVILEGES";
constexpr const char* kDatabases = "SHOW DATABASES";
// All else that lasts; the tables of the above change with it and are not among these.
constexpr const char* kOthers =
    "CHECKSUM TABLE mysql.columns_priv, mysql.func, mysql.plugin, mysql.procs_priv, "
    "mysql.proxies_priv, mysql.servers, mysql.time_zone, mysql.time_zone_name";

}  // namespace

MysqldLanguage::MysqldLanguage(std::string_view server, std::span<const std::string_view> engines,
                               size_t tried_engines, std::string globals,
                               const std::string& more_rights)
    : server_(server),
      engines_(engines),
      tried_engines_(tried_engines),
      globals_(std::move(globals)),
      rights_(kRights + more_rights) {}

ContentView MysqldLanguage::content_view() const {
  return {"programs", {globals_, rights_, kDatabases}, {kOthers}};
}

}  // namespace esox
