// SPDX-License-Identifier: Apache-2.0
// The components of MariaDB's state (docs/mariadb-state.md).
#pragma once

#include <span>

#include "summaries/component.h"

namespace esox {

std::span<const ComponentFacts> mysqld_components();

inline constexpr const char* kTableList = "tables";     // of the database `test`
inline constexpr const char* kTableListOf = "tables:";  // of another one

// "check:test.t1" and so on: what CHECK TABLE said. Of a sound table it has this one element, and
// is no sign of damage; nor is a check that is not there, for then neither is the table.
inline constexpr const char* kCheckPrefix = "check:";
inline constexpr const char* kSoundCheck = "status: OK";

}  // namespace esox
