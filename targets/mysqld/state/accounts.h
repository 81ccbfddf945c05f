// SPDX-License-Identifier: Apache-2.0
// Who may do what:
//   accounts         multiset  by system table: each of its rows (accounts; rights on all, on
//                              databases, tables, columns and routines; roles)
//   grants           multiset  by account: what the server enforces (SHOW GRANTS)
//   reloaded-grants  multiset  by account: where that is not what the tables say, which the server
//                              is made to read again (FLUSH PRIVILEGES)
//
// Left out: when something was granted or a password set, and what is only so in the row of a right
// that nobody has. Of a password whose digest is salted, for which equal histories have other
// bytes, only whether it was there after the setup counts; that of a digest without salt is
// compared.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "summaries/component.h"
#include "targets/mysqld/state/batch.h"

namespace esox {

class Accounts {
 public:
  // Learns which tables there are, and which salted passwords.
  void begin(const Ask& own);
  void ask(QuestionBatch& batch);
  // Last of all, for it makes the server read its tables again.
  void read(const Ask& own, std::vector<Component>& components);

 private:
  struct Table {
    std::string name;
    std::string select;
    Output rows;
  };
  std::set<std::string> names() const;
  Component rows() const;
  std::string why_not(size_t accounts) const;

  std::vector<Table> tables_;
  Output in_memory_;              // the accounts that the server knows
  std::set<std::string> salted_;  // passwords of the setup
};

// "authentication_string 'x', Select_priv 'Y'"; `known`: the salted passwords that are no news.
// With `seen` those that there are are added to it.
std::string account_row(const std::vector<Column>& columns, const Row& row,
                        const std::set<std::string>& known, std::set<std::string>* seen = nullptr);

// A line of SHOW GRANTS without the password.
std::string without_password(const std::string& grant);

}  // namespace esox
