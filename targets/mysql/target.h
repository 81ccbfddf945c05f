// SPDX-License-Identifier: Apache-2.0
// MySQL, of any version: see docs/servers.md.
#pragma once

#include "targets/mysql/language.h"
#include "targets/mysqld/target.h"
#include "targets/shipped.h"

namespace esox {

class MysqlTarget final : public MysqldTarget {
 public:
  const RequestLanguage& language() const override { return mysql_language(); }
  std::optional<std::filesystem::path> grammar_file() const override {
    return shipped("inputs/grammars/mysql.yaml");
  }

 protected:
  Flavour flavour() const override { return Flavour::kMysql; }
  std::vector<std::string> program_names() const override { return {"mysqld"}; }
  std::string package() const override { return "mysql-server-core"; }
  std::string data_maker() const override {
    return "mysqld --no-defaults --initialize-insecure --datadir=data   "
           "# before 5.7: mysql_install_db --no-defaults --datadir=data";
  }
};

}  // namespace esox
