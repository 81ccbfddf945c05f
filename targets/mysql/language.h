// SPDX-License-Identifier: Apache-2.0
// The requests of MySQL.
#pragma once

#include "targets/sql/language.h"

namespace esox {

const RequestLanguage& mysql_language();

}  // namespace esox
