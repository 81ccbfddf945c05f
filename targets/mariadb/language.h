// SPDX-License-Identifier: Apache-2.0
// The requests of MariaDB.
#pragma once

#include "targets/sql/language.h"

namespace esox {

const RequestLanguage& mariadb_language();

}  // namespace esox
