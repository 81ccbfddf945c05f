// SPDX-License-Identifier: Apache-2.0
// What the requests of MySQL and MariaDB have in common beyond SQL: the parts of the state that
// they can touch.
#pragma once

#include "targets/mysqld/summary_parts.h"
#include "targets/sql/language.h"

namespace esox {

class MysqldLanguage : public SqlLanguage {
 public:
  std::span<const std::string_view> summary_parts() const override { return kMysqldParts; }
  bool touches_part(const Input& input, std::string_view part) const override {
    return can_touch_part(input, part);
  }
};

}  // namespace esox
