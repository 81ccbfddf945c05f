// SPDX-License-Identifier: Apache-2.0
#include "targets/mysqld/state/accounts.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string_view>
#include <utility>

#include "targets/mysqld/state/replies.h"

namespace esox {
namespace {

// More are not asked for.
constexpr size_t kMaxAccounts = 100;

// Which of these there are is asked. In the first there is one row for each account; where MariaDB
// has it, the second is a view of it.
constexpr const char* kAccounts[] = {"global_priv", "user"};
constexpr const char* kRights[] = {
    "db",
    "tables_priv",
    "columns_priv",
    "procs_priv",
    "proxies_priv",
    "roles_mapping",
    "global_grants",
    "role_edges",
    "default_roles",
};

constexpr std::string_view kTimes[] = {"Timestamp", "password_last_changed"};

std::string select_of(const std::string& table) {
  if (table != "global_priv") return "SELECT * FROM mysql." + table;
  return "SELECT Host, User, JSON_REMOVE(Priv, '$.password_last_changed') AS Priv FROM "
         "mysql.global_priv";
}

// As crypt(3) writes it, which MySQL follows ($A$005$..., $5$...); MariaDB's parsec (P0:...).
bool is_salted(std::string_view text) {
  const bool crypt = text.size() > 3 && text[0] == '$' && text.find('$', 1) <= 3;
  const bool parsec = text.size() > 3 && text[0] == 'P' && text.substr(0, 4).find(':') != text.npos;
  return crypt || parsec;
}

// Where a string in JSON ends that begins at `at`.
size_t end_of_string(std::string_view json, size_t at) {
  while (at < json.size() && json[at] != '"') at += json[at] == '\\' ? 2 : 1;
  return std::min(at, json.size());
}

struct Salted {
  const std::set<std::string>& known;
  std::set<std::string>* seen;

  std::string in_words(std::string password) const {
    const bool old = known.contains(password);
    if (seen != nullptr) seen->insert(std::move(password));
    return old ? "(salted, as after the setup)" : "(salted, set since)";
  }
};

// A password by itself, or any in JSON.
std::string without_salted(const std::string& text, const Salted& salted) {
  if (is_salted(text)) return salted.in_words(text);
  if (!text.starts_with('{')) return text;
  std::string result;
  for (size_t at = 0; at < text.size();) {
    result.push_back(text[at]);
    if (text[at++] != '"') continue;
    const size_t end = end_of_string(text, at);
    const std::string inner = text.substr(at, end - at);
    result += is_salted(inner) ? salted.in_words(inner) : inner;
    at = end;
    if (at < text.size()) result.push_back(text[at++]);
  }
  return result;
}

bool says_nothing(const std::string& column, const std::string& value) {
  const auto* const end = std::end(kTimes);
  return value.empty() || value == "N" || std::find(std::begin(kTimes), end, column) != end;
}

// 'u'@'localhost'; 'r' of a role, which is from nowhere.
std::string account_name(const std::string& user, const std::string& host, bool roles) {
  return quoted_text(user) + (host.empty() && roles ? "" : "@" + quoted_text(host));
}

using GrantsOf = std::map<std::string, Output>;  // by account

GrantsOf ask_grants(const Ask& own, const std::set<std::string>& accounts) {
  GrantsOf grants;
  QuestionBatch batch;
  for (const std::string& account : accounts) {
    batch.add("SHOW GRANTS FOR " + account,
              [&grants, account](Output output) { grants[account] = std::move(output); });
  }
  batch.run(own);
  return grants;
}

std::vector<std::string> lines_of(const Output& grants, ComponentBuilder& builder) {
  std::vector<std::string> lines;
  if (std::string why = unavailability(grants); !why.empty()) builder.fail(std::move(why));
  if (grants.error != 0) lines.push_back(fmt::format("error {}", grants.error));
  if (grants.results.empty()) return lines;
  for (const Row& row : grants.results[0].rows) lines.push_back(without_password(cell(row, 0)));
  std::ranges::sort(lines);
  return lines;
}

Component enforced(const GrantsOf& grants) {
  ComponentBuilder builder("grants", ComponentKind::kMultiset);
  for (const auto& [account, output] : grants) {
    for (std::string& line : lines_of(output, builder)) {
      builder.add(Element{account, std::move(line)});
    }
  }
  return std::move(builder).build();
}

Component disagreement(const GrantsOf& enforced, const GrantsOf& reloaded) {
  ComponentBuilder builder("reloaded-grants", ComponentKind::kMultiset);
  for (const auto& [account, output] : enforced) {
    const std::vector<std::string> before = lines_of(output, builder);
    const std::vector<std::string> after = lines_of(reloaded.at(account), builder);
    add_those_only_in(before, after, account + ", only enforced", builder);
    add_those_only_in(after, before, account + ", only in the tables", builder);
  }
  return std::move(builder).build();
}

}  // namespace

std::string account_row(const std::vector<Column>& columns, const Row& row,
                        const std::set<std::string>& known, std::set<std::string>* seen) {
  std::string text;
  for (size_t i = 0; i < columns.size(); ++i) {
    const std::string value = cell(row, i);
    if (says_nothing(columns[i].name, value)) continue;
    text += fmt::format("{}{} '{}'", text.empty() ? "" : ", ", columns[i].name,
                        without_salted(value, {known, seen}));
  }
  return text;
}

// Whatever follows it in quotes goes, too: accounts have it.
std::string without_password(const std::string& grant) {
  const size_t at = grant.find(" IDENTIFIED ");
  if (at == std::string::npos) return grant;
  const size_t quote = grant.rfind('\'');
  return grant.substr(0, at) + (quote == std::string::npos ? "" : grant.substr(quote + 1));
}

void Accounts::begin(const Ask& own) {
  tables_.clear();
  salted_.clear();
  const auto add = [&](const char* name) {
    std::string select = select_of(name);
    const Output rows = own(select);
    if (!rows.answered || rows.error != 0) return false;
    if (!rows.results.empty()) {
      for (const Row& row : rows.results[0].rows) {
        account_row(rows.results[0].columns, row, {}, &salted_);
      }
    }
    tables_.push_back({name, std::move(select), {}});
    return true;
  };
  for (const char* name : kAccounts) {
    if (add(name)) break;
  }
  for (const char* name : kRights) add(name);
}

void Accounts::ask(QuestionBatch& batch) {
  for (Table& table : tables_) {
    batch.add(table.select, [&table](Output output) { table.rows = std::move(output); });
  }
  batch.add("SELECT GRANTEE FROM information_schema.USER_PRIVILEGES",
            [this](Output output) { in_memory_ = std::move(output); });
}

Component Accounts::rows() const {
  ComponentBuilder builder("accounts", ComponentKind::kMultiset);
  if (tables_.empty()) builder.fail("none of the server's tables of accounts can be read");
  for (const Table& table : tables_) {
    if (!has_rows(table.rows, builder)) continue;
    for (const Row& row : table.rows.results[0].rows) {
      builder.add(Element{table.name, account_row(table.rows.results[0].columns, row, salted_)});
    }
  }
  return std::move(builder).build();
}

// Those that the server knows, and those of which it only has a row.
std::set<std::string> Accounts::names() const {
  std::set<std::string> names;
  if (!in_memory_.results.empty()) {
    for (const Row& row : in_memory_.results[0].rows) names.insert(cell(row, 0));
  }
  if (tables_.empty() || tables_[0].rows.results.empty()) return names;
  const bool roles = tables_[0].name == kAccounts[0];
  for (const Row& row : tables_[0].rows.results[0].rows) {
    names.insert(account_name(cell(row, 1), cell(row, 0), roles));
  }
  return names;
}

// Why they cannot be compared; empty: they can.
std::string Accounts::why_not(size_t accounts) const {
  if (std::string why = unavailability(in_memory_); !why.empty()) return why;
  return accounts <= kMaxAccounts
             ? std::string()
             : fmt::format("{} accounts; at most {} are asked for", accounts, kMaxAccounts);
}

void Accounts::read(const Ask& own, std::vector<Component>& components) {
  components.push_back(rows());
  const std::set<std::string> accounts = names();
  if (const std::string why = why_not(accounts.size()); !why.empty()) {
    for (const char* name : {"grants", "reloaded-grants"}) {
      components.push_back(unavailable_component(name, ComponentKind::kMultiset, why));
    }
    return;
  }
  const GrantsOf before = ask_grants(own, accounts);
  components.push_back(enforced(before));
  own("FLUSH LOCAL PRIVILEGES");
  components.push_back(disagreement(before, ask_grants(own, accounts)));
}

}  // namespace esox
