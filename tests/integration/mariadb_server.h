// SPDX-License-Identifier: Apache-2.0
// The MariaDB of this machine, for tests and measurements.
#pragma once

#include <utility>

#include "targets/mariadb/target.h"

namespace esox {

class MariadbServer final : public MysqldServer {
 public:
  explicit MariadbServer(ServerOptions options = {})
      : MysqldServer(std::move(options), MariadbTarget().places(), Flavour::kMariadb) {}
};

}  // namespace esox
