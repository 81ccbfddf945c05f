// SPDX-License-Identifier: Apache-2.0
// What the database `test` holds, what other databases there are, and the accounts from any host
// (the server's own are from this one), by one question that all releases answer. MariaDB calls a
// sequence a table of the type SEQUENCE, and keeps a role as an account without a host; a generated
// column is told by its EXTRA, which in MySQL 8 also says DEFAULT_GENERATED of one that can be
// written.
#include <algorithm>
#include <tuple>

#include "targets/mysqld/target.h"
#include "targets/sql/tokens.h"

namespace esox {
namespace {

constexpr size_t kColumns = 4;  // type, name, of, detail

constexpr const char* kQuestion =
    "SELECT 'table', TABLE_NAME, '', CONCAT_WS(' ', ENGINE, IF(CREATE_OPTIONS LIKE "
    "'%partitioned%', 'partitioned', NULL), IF(TABLE_TYPE = 'SYSTEM VERSIONED', 'versioned', "
    "NULL)) FROM information_schema.TABLES WHERE TABLE_SCHEMA = 'test' AND TABLE_TYPE IN ('BASE "
    "TABLE', 'SYSTEM VERSIONED') UNION ALL SELECT LOWER(TABLE_TYPE), TABLE_NAME, '', '' FROM "
    "information_schema.TABLES WHERE TABLE_SCHEMA = 'test' AND TABLE_TYPE IN ('VIEW', 'SEQUENCE') "
    "UNION ALL SELECT 'column', c.COLUMN_NAME, c.TABLE_NAME, CONCAT_WS(' ', LOWER(c.DATA_TYPE), "
    "IF(c.COLUMN_KEY = 'PRI', 'primary', IF(c.COLUMN_KEY = 'UNI', 'unique', NULL)), "
    "IF(c.COLUMN_KEY <> '', 'indexed', NULL), IF(c.EXTRA LIKE '%auto_increment%', 'auto', NULL), "
    "IF(c.EXTRA LIKE '%VIRTUAL%' OR c.EXTRA LIKE '%STORED%' OR c.EXTRA LIKE '%PERSISTENT%', "
    "'generated', NULL)) FROM information_schema.COLUMNS c WHERE c.TABLE_SCHEMA = 'test' AND "
    "c.TABLE_NAME NOT IN (SELECT TABLE_NAME FROM information_schema.TABLES WHERE TABLE_SCHEMA = "
    "'test' AND TABLE_TYPE = 'SEQUENCE') UNION ALL SELECT DISTINCT 'index', INDEX_NAME, "
    "TABLE_NAME, CONCAT_WS(' ', LOWER(INDEX_TYPE), IF(NON_UNIQUE = 0, 'unique', NULL)) FROM "
    "information_schema.STATISTICS WHERE TABLE_SCHEMA = 'test' AND INDEX_NAME <> 'PRIMARY' UNION "
    "ALL SELECT 'constraint', CONSTRAINT_NAME, TABLE_NAME, LOWER(CONSTRAINT_TYPE) FROM "
    "information_schema.TABLE_CONSTRAINTS WHERE TABLE_SCHEMA = 'test' AND CONSTRAINT_TYPE IN "
    "('FOREIGN KEY', 'CHECK') UNION ALL SELECT DISTINCT 'partition', PARTITION_NAME, TABLE_NAME, "
    "LOWER(PARTITION_METHOD) FROM information_schema.PARTITIONS WHERE TABLE_SCHEMA = 'test' AND "
    "PARTITION_NAME IS NOT NULL UNION ALL SELECT 'trigger', TRIGGER_NAME, EVENT_OBJECT_TABLE, "
    "LOWER(EVENT_MANIPULATION) FROM information_schema.TRIGGERS WHERE TRIGGER_SCHEMA = 'test' "
    "UNION ALL SELECT LOWER(ROUTINE_TYPE), ROUTINE_NAME, '', '' FROM information_schema.ROUTINES "
    "WHERE ROUTINE_SCHEMA = 'test' UNION ALL SELECT 'event', EVENT_NAME, '', '' FROM "
    "information_schema.EVENTS WHERE EVENT_SCHEMA = 'test' UNION ALL SELECT 'database', "
    "SCHEMA_NAME, '', '' FROM information_schema.SCHEMATA WHERE SCHEMA_NAME NOT IN ('test', "
    "'mysql', "
    "'sys', 'information_schema', 'performance_schema') UNION ALL SELECT IF(Host = '', 'role', "
    "'user'), User, '', '' FROM mysql.user WHERE Host IN ('%', '') AND User <> ''";

// Which names must stand in back-quotes: all that are not plain.
std::string as_written(const std::string& name) {
  const bool plain = !name.empty() && name.find_first_not_of("0123456789") != name.npos &&
                     std::ranges::all_of(name, is_word_character);
  return plain ? name : quoted_name(name);
}

}  // namespace

std::vector<std::string> MysqldTarget::holdings_questions() const {
  return {kQuestion};
}

Holdings MysqldTarget::holdings_of(std::span<const Output> replies) const {
  Holdings holdings;
  for (const Output& reply : replies) {
    if (!reply.answered || reply.error != 0) continue;
    for (const ResultSet& result : reply.results) {
      for (const Row& row : result.rows) {
        if (row.size() != kColumns || !row[0] || !row[1]) continue;
        const std::string of = row[2].value_or("");
        holdings.push_back(
            {*row[0], as_written(*row[1]), of.empty() ? "" : as_written(of), row[3].value_or("")});
      }
    }
  }
  std::ranges::sort(holdings, [](const Holding& a, const Holding& b) {
    return std::tie(a.type, a.of, a.name) < std::tie(b.type, b.of, b.name);
  });
  return holdings;
}

}  // namespace esox
