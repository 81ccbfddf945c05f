// SPDX-License-Identifier: Apache-2.0
// What the requests of MySQL and MariaDB have in common beyond SQL: the parts of the state that
// they can touch, and where else they may leave something.
#pragma once

#include <string>

#include "targets/mysqld/state/parts.h"
#include "targets/sql/language.h"

namespace esox {

class MysqldLanguage : public SqlLanguage {
 public:
  // Engines: known ones, those first that are tried where nobody says.
  // Statements: what was set by SET GLOBAL; who may do what, beyond what information_schema has of
  // both flavours (" UNION ALL SELECT ..." of three columns, or nothing).
  MysqldLanguage(std::string_view server, std::span<const std::string_view> engines,
                 size_t tried_engines, std::string globals, const std::string& more_rights);

  std::string_view server() const override { return server_; }
  ContentView content_view() const override;
  std::span<const std::string_view> engines() const override { return engines_; }
  std::span<const std::string_view> default_engines() const override {
    return engines_.first(tried_engines_);
  }
  std::span<const std::string_view> summary_parts() const override { return kMysqldParts; }
  // By the input's statements and its server's options. Of tables that it does not touch,
  // definitions and rows are always summarised.
  bool touches_part(const Input& input, std::string_view part) const override;

 private:
  std::string_view server_;
  std::span<const std::string_view> engines_;
  size_t tried_engines_;
  std::string globals_;
  std::string rights_;
};

}  // namespace esox
