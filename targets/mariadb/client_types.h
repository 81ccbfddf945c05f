// SPDX-License-Identifier: Apache-2.0
// Names of column types, as a reader of SQL knows them.
#pragma once

#include <string>

struct st_mysql_field;  // libmariadb's MYSQL_FIELD

namespace esox {

// "INT", "BIGINT UNSIGNED", "VARCHAR", "VARBINARY", "TEXT", ...
std::string type_name(const st_mysql_field& field);

}  // namespace esox
