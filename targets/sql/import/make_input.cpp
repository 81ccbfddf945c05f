// SPDX-License-Identifier: Apache-2.0
#include "targets/sql/import/make_input.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <iterator>
#include <map>
#include <set>

#include "base/text/letters.h"
#include "base/yaml/limits.h"
#include "inputs/languages.h"
#include "inputs/limits.h"
#include "targets/sql/import/cut.h"
#include "targets/sql/import/transactions.h"
#include "targets/sql/statement.h"
#include "targets/sql/tokens.h"

namespace esox {
namespace {

std::vector<std::string> texts(const LoggedTest& test, const std::vector<size_t>& numbers) {
  std::vector<std::string> all;
  all.reserve(numbers.size());
  for (const size_t number : numbers) all.push_back(test.statements[number].text);
  return all;
}

bool sets_default_engine(const std::string& text) {
  static constexpr std::string_view kDefaults[] = {"DEFAULT_STORAGE_ENGINE", "STORAGE_ENGINE"};
  if (statement_kind(text) != "SET") return false;
  const std::vector<Token> tokens = tokens_of(text);
  return std::ranges::any_of(tokens,
                             [](const Token& token) { return is_one_of(kDefaults, token.text); });
}

// Some statement creates a table without saying of which engine.
bool uses_default_engine(const std::vector<std::string>& statements) {
  if (std::ranges::any_of(statements, sets_default_engine)) return false;
  return std::ranges::any_of(statements, [](const std::string& text) {
    if (statement_kind(text) != "CREATE TABLE") return false;
    const std::vector<Token> tokens = tokens_of(text);
    return std::ranges::none_of(tokens, [](const Token& token) {
      return token.text == "ENGINE" || token.text == "TYPE" || token.text == "LIKE";
    });
  });
}

constexpr const char* kTransactional = "InnoDB";

// `all`: of the setup, what says for which engines the input is.
void take_default_engine(Input& input, std::vector<std::string> all) {
  for (const InputClient& client : input.clients) {
    for (const Request& request : client.requests) all.push_back(request.text);
  }
  if (!uses_default_engine(all)) return;
  const auto tried = input.language->default_engines();
  input.engines.assign(tried.begin(), tried.end());
  if (!input.isolation_level.empty()) input.engines = {kTransactional};
  std::ranges::sort(input.engines);
  input.server_options.emplace_back("--default-storage-engine=${engine}");
}

// Of a setup, what changes a table of the requests.
std::vector<size_t> about_tables(const LoggedTest& test, const Candidate& candidate,
                                 const std::vector<size_t>& setup) {
  std::set<std::string> tables;
  for (const auto& client : candidate.clients) {
    for (const size_t number : client) {
      for (const Access& access : test.statements[number].accesses) {
        if (is_table(access)) tables.insert(access.object);
      }
    }
  }
  std::vector<size_t> about;
  std::ranges::copy_if(setup, std::back_inserter(about), [&](size_t number) {
    const Accesses& accesses = test.statements[number].accesses;
    return std::ranges::any_of(accesses, [&](const Access& access) {
      return access.mode == AccessMode::kWrite && tables.contains(access.object);
    });
  });
  return about;
}

InputClient client_of(const LoggedTest& test, const std::vector<size_t>& numbers,
                      const std::vector<size_t>& settings, size_t place, bool level_given) {
  InputClient client;
  client.name = std::string(1, static_cast<char>('A' + place));
  client.setup = texts(test, settings);
  if (level_given) std::erase_if(client.setup, sets_isolation_level);
  for (const std::string& text : texts(test, numbers)) {
    client.requests.push_back({text, orders_rows(text)});
  }
  return client;
}

// Fit for an id: letters, digits, '.', '_', '-'.
std::string id_part(const std::string& name) {
  std::string part;
  for (const char c : name) {
    const bool allowed = std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '/' || c == '.' ||
                         c == '_' || c == '-';
    part.push_back(allowed ? c : '-');
  }
  return part;
}

std::string numbers_text(const std::vector<std::vector<size_t>>& clients) {
  std::string text;
  for (const auto& client : clients) {
    if (!text.empty()) text += " | ";
    for (size_t i = 0; i < client.size(); ++i)
      text += fmt::format("{}{}", i ? " " : "", client[i] + 1);
  }
  return text;
}

bool over_one_connection(const LoggedTest& test, const Candidate& candidate, const Slice& slice) {
  const uint64_t connection = test.statements[candidate.clients.front().front()].connection;
  for (const auto& client : candidate.clients) {
    for (const size_t number : client) {
      if (test.statements[number].connection != connection) return false;
    }
  }
  return std::ranges::all_of(slice.clients, [&](const auto& settings) {
    return texts(test, settings) == texts(test, slice.clients.front());
  });
}

std::vector<uint16_t> log_order(const Candidate& candidate) {
  std::map<size_t, uint16_t> client_of;  // by number
  for (size_t i = 0; i < candidate.clients.size(); ++i) {
    for (const size_t number : candidate.clients[i]) client_of[number] = static_cast<uint16_t>(i);
  }
  std::vector<uint16_t> order;
  order.reserve(client_of.size());
  for (const auto& [number, client] : client_of) order.push_back(client);
  return order;
}

void look_at_members(const LoggedTest& test, const Candidate& candidate, ImportedInput& imported) {
  for (const auto& client : candidate.clients) {
    imported.errors.emplace_back();
    for (const size_t number : client) {
      const LoggedStatement& statement = test.statements[number];
      imported.statements.push_back(number + 1);
      imported.errors.back().push_back(statement.error);
      imported.failing = imported.failing || statement.error != 0;
      imported.drops_tables = imported.drops_tables || is_about_whole_object(statement.kind);
    }
  }
}

// ENGINE=..., default_storage_engine=...: of another engine.
bool names_other_engine(const std::string& text) {
  static constexpr std::string_view kWords[] = {"ENGINE", "TYPE", "STORAGE_ENGINE",
                                                "DEFAULT_STORAGE_ENGINE"};
  const std::string kind = statement_kind(text);
  if (kind != "SET" && !is_definition(kind.substr(0, kind.find(' ')))) return false;
  const std::vector<Token> tokens = tokens_of(text);
  for (size_t i = 0; i + 1 < tokens.size(); ++i) {
    if (tokens[i].member || !is_one_of(kWords, tokens[i].text)) continue;
    const size_t value = i + (is_symbol(tokens[i + 1], "=") ? 2 : 1);
    if (value >= tokens.size() || tokens[value].kind == Token::Kind::kSymbol) continue;
    const std::string name = tokens[value].kind == Token::Kind::kQuoted
                                 ? text.substr(tokens[value].begin + 1, tokens[value].length - 2)
                                 : tokens[value].text;
    if (upper(name) != upper(kTransactional)) return true;
  }
  return false;
}

// Some member puts rows into a table that numbers them.
bool gives_out_numbers(const LoggedTest& test, const Candidate& candidate,
                       const std::vector<size_t>& setup) {
  std::set<std::string> numbered;
  for (const size_t i : setup) {
    if (!speaks(test.statements[i].text, "AUTO_INCREMENT")) continue;
    for (const Access& one : test.statements[i].accesses) {
      if (is_table(one) && one.mode == AccessMode::kWrite) numbered.insert(one.object);
    }
  }
  const auto fills = [&](size_t i) {
    const LoggedStatement& one = test.statements[i];
    const bool adds = one.kind != "UPDATE" && one.kind != "DELETE" && one.kind != "SELECT";
    return adds && std::ranges::any_of(one.accesses, [&](const Access& access) {
             return access.mode == AccessMode::kWrite && numbered.contains(access.object);
           });
  };
  return std::ranges::any_of(
      candidate.clients, [&](const auto& client) { return std::ranges::any_of(client, fills); });
}

std::string refusal_of_transactions(const LoggedTest& test, const Candidate& candidate,
                                    const Slice& slice, const Input& input) {
  bool other = std::ranges::any_of(input.setup, names_other_engine);
  for (const InputClient& client : input.clients) {
    other = other || std::ranges::any_of(client.setup, names_other_engine);
  }
  if (other) return "transactions: a table of an engine that may have none";
  if (gives_out_numbers(test, candidate, slice.setup)) {
    return "transactions: numbers in the order of asking (AUTO_INCREMENT)";
  }
  return "";
}

std::string refusal(const Input& input) {
  for (const InputClient& client : input.clients) {
    if (client.setup.size() > kMaxStatementsPerList) return "input: too many session settings";
    if (client.requests.size() > kMaxRequestsPerClient) return "input: too many requests";
  }
  if (input.id.size() > kMaxIdBytes) return "input: the test's name is too long for an id";
  return "";
}

}  // namespace

Made make_input(const ImportSource& source, const std::string& test_name, const LoggedTest& test,
                const Candidate& candidate, const Slice& slice,
                const std::vector<std::string>& server_options) {
  Made made;
  ImportedInput& imported = made.imported;
  Input& input = imported.input;
  input.language = &source.language;
  input.server_options = server_options;
  input.setup = texts(test, slice.setup);
  input.isolation_level = candidate.isolation_level;
  const bool level_given = !input.isolation_level.empty();
  for (size_t i = 0; i < candidate.clients.size(); ++i) {
    input.clients.push_back(
        client_of(test, candidate.clients[i], slice.clients[i], i, level_given));
  }
  Input told = input;
  if (slice.whole) told.setup = texts(test, about_tables(test, candidate, slice.setup));
  take_default_engine(input, told.setup);
  told.server_options = input.server_options;
  input.id = fmt::format("{}/{}/{:016x}", source.name, id_part(test_name), text_hash(input));
  imported.test = test_name;
  imported.form = candidate.form;
  look_at_members(test, candidate, imported);
  if (!level_given) imported.log_order = log_order(candidate);
  imported.one_connection = over_one_connection(test, candidate, slice);
  imported.kinds = kinds_of(input);
  imported.shape = source.language.shape(told);
  imported.whole_prefix = slice.whole;
  input.title = fmt::format("{}, statements {}", test_name, numbers_text(candidate.clients))
                    .substr(0, kMaxTitleBytes);
  if (slice.whole) add_to_title(input, "with the full prefix");
  made.refused = refusal(input);
  if (made.refused.empty() && level_given) {
    made.refused = refusal_of_transactions(test, candidate, slice, input);
  }
  return made;
}

}  // namespace esox
