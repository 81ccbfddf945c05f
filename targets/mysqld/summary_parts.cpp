// SPDX-License-Identifier: Apache-2.0
#include "targets/mysqld/summary_parts.h"

#include <algorithm>
#include <cctype>
#include <string>
#include <vector>

#include "targets/sql/statement.h"
#include "targets/sql/touched_tables.h"

namespace esox {

namespace {

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

bool can_touch_part(const Input& input, std::string_view part) {
  const auto subject = std::ranges::find(kSubjects, part, &Subject::part);
  return subject == std::end(kSubjects) || speaks_of(input, *subject);
}

}  // namespace esox
