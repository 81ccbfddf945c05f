// SPDX-License-Identifier: Apache-2.0
#include "targets/mysql/target.h"

#include "targets/shipped.h"

namespace esox {

std::optional<std::filesystem::path> MysqlTarget::filters_file() const {
  return shipped("filters/mysql.yaml");
}

}  // namespace esox
