// SPDX-License-Identifier: Apache-2.0
#include "targets/sql/made_databases.h"

#include <vector>

#include "base/text/letters.h"
#include "targets/sql/tokens.h"

namespace esox {
namespace {

constexpr std::string_view kSystem[] = {"information_schema", "mysql", "performance_schema", "sys"};

// CREATE [OR REPLACE] {DATABASE | SCHEMA} [IF NOT EXISTS] name
void add_databases(const std::string& text, std::set<std::string>& names) {
  const std::vector<Token> tokens = tokens_of(text);
  for (size_t i = 1; i + 1 < tokens.size(); ++i) {
    if (!is_keyword(tokens[i], "DATABASE") && !is_keyword(tokens[i], "SCHEMA")) continue;
    if (!is_keyword(tokens[i - 1], "CREATE") && !is_keyword(tokens[i - 1], "REPLACE")) continue;
    if (i > 1 && is_keyword(tokens[i - 2], "SHOW")) continue;
    size_t at = i + 1;
    for (const std::string_view word : {"IF", "NOT", "EXISTS"}) {
      if (at < tokens.size() && is_keyword(tokens[at], word)) ++at;
    }
    if (at == tokens.size()) continue;
    const std::string name = identifier(text, tokens[at]);
    if (!name.empty() && name != "test" && !is_system_database(name)) names.insert(name);
  }
}

}  // namespace

bool is_system_database(const std::string& name) {
  return is_one_of(kSystem, lower(name));
}

std::set<std::string> made_databases(const Input& input) {
  std::set<std::string> names;
  for (const std::string& text : input.setup) add_databases(text, names);
  for (const InputClient& client : input.clients) {
    for (const std::string& text : client.setup) add_databases(text, names);
    for (const Request& request : client.requests) add_databases(request.text, names);
  }
  return names;
}

}  // namespace esox
