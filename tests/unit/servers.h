// SPDX-License-Identifier: Apache-2.0
// The servers that files are read for in tests of rooms that know none.
#pragma once

#include "filters/known_servers.h"
#include "targets/mariadb/language.h"
#include "targets/mariadb/state/components.h"
#include "targets/memcached/interface.h"
#include "targets/memcached/language.h"

namespace esox {

inline KnownServers known_servers() {
  return {{&mariadb_language(), mariadb_components()},
          {&memcached_language(), memcached_components()}};
}

inline Languages languages() {
  return languages_of(known_servers());
}

}  // namespace esox
