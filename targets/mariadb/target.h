// SPDX-License-Identifier: Apache-2.0
// MariaDB, of any version, as its distribution makes it: what docs/mariadb-state.md describes.
#pragma once

#include "targets/mariadb/language.h"
#include "targets/mysqld/target.h"
#include "targets/shipped.h"

namespace esox {

class MariadbTarget final : public MysqldTarget {
 public:
  const RequestLanguage& language() const override { return mariadb_language(); }
  StateGap state_gap(const Server& server, const std::vector<std::string>& options) const override;
  const FileImport* file_import() const override;
  SyncTest sync_test(const SyncTestRequest& request) const override;
  std::string sync_point_function() const override { return "debug_sync"; }
  std::optional<std::filesystem::path> grammar_file() const override {
    return shipped("inputs/grammars/mariadb.yaml");
  }

 protected:
  Flavour flavour() const override { return Flavour::kMariadb; }
  std::vector<std::string> program_names() const override { return {"mariadbd", "mysqld"}; }
  std::string package() const override { return "mariadb-server-core"; }
  std::string data_maker() const override {
    return "mariadb-install-db --no-defaults --datadir=data";
  }
};

}  // namespace esox
