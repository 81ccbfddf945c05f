// SPDX-License-Identifier: Apache-2.0
#include "targets/mysqld/language.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "targets/sql/statement.h"
#include "targets/sql/touched_tables.h"

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

// What a statement, or an option of the server, must speak of to touch a part. Such a look costs a
// temporary table in the server, in every execution.
struct Subject {
  std::string_view part;
  std::vector<std::string_view> words;
  bool by_setup = true;  // whether it counts that the setup speaks of it
};
const Subject kSubjects[] = {
    {"programs", {"TRIGGER", "PROCEDURE", "FUNCTION", "EVENT", "CALL", "PACKAGE"}},
    {"transactions", {"INNODB", "TRANSACTION", "BEGIN", "COMMIT", "XA"}},
    {"key-blocks", {"MYISAM", "MERGE", "MRG"}},
    {"accounts", {"GRANT", "REVOKE", "USER", "ROLE", "PRIVILEGES", "PASSWORD", "MYSQL"}},
    {"dictionary",
     {"CREATE", "ALTER", "DROP", "RENAME", "TRUNCATE", "OPTIMIZE", "CALL", "EXECUTE", "EVENT"},
     /*by_setup=*/false},
};

// The server's default engine is InnoDB.
bool speaks_of(const std::string& text, const Subject& subject) {
  const bool by_default = subject.part == "transactions" && speaks(text, "CREATE") &&
                          speaks(text, "TABLE") && !speaks(text, "ENGINE");
  return by_default || std::ranges::any_of(subject.words, [&](std::string_view word) {
           return speaks(text, word);
         });
}

// The engine of a table that no statement touches is no concern of the input's.
bool is_of_untouched(const std::string& setup, const TouchedTables& touched) {
  const std::string table = setup.find(';') == setup.npos ? made_table(setup) : "";
  return !table.empty() && !touched.has(table);
}

bool speaks_of(const Input& input, const Subject& subject) {
  const TouchedTables touched(input);
  const auto some = [&](const std::vector<std::string>& texts) {
    return std::ranges::any_of(texts,
                               [&](const std::string& text) { return speaks_of(text, subject); });
  };
  return (subject.by_setup && std::ranges::any_of(input.setup,
                                                  [&](const std::string& text) {
                                                    return speaks_of(text, subject) &&
                                                           !is_of_untouched(text, touched);
                                                  })) ||
         some(input.server_options) ||
         std::ranges::any_of(input.clients, [&](const InputClient& client) {
           return some(client.setup) ||
                  std::ranges::any_of(client.requests, [&](const Request& one) {
                    return speaks_of(one.text, subject);
                  });
         });
}

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

bool MysqldLanguage::touches_part(const Input& input, std::string_view part) const {
  const auto subject = std::ranges::find(kSubjects, part, &Subject::part);
  return subject == std::end(kSubjects) || speaks_of(input, *subject);
}

}  // namespace esox
