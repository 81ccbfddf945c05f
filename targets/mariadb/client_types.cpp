// SPDX-License-Identifier: Apache-2.0
// See mysql_types.h.
#include "targets/mariadb/client_types.h"

#include <fmt/format.h>
#include <mysql.h>

namespace esox {
namespace {

constexpr unsigned int kBinaryCharset = 63;

std::string base_name(const MYSQL_FIELD& field) {
  const bool binary = field.charsetnr == kBinaryCharset;
  switch (field.type) {
    case MYSQL_TYPE_TINY:
      return "TINYINT";
    case MYSQL_TYPE_SHORT:
      return "SMALLINT";
    case MYSQL_TYPE_INT24:
      return "MEDIUMINT";
    case MYSQL_TYPE_LONG:
      return "INT";
    case MYSQL_TYPE_LONGLONG:
      return "BIGINT";
    case MYSQL_TYPE_FLOAT:
      return "FLOAT";
    case MYSQL_TYPE_DOUBLE:
      return "DOUBLE";
    case MYSQL_TYPE_DECIMAL:
    case MYSQL_TYPE_NEWDECIMAL:
      return "DECIMAL";
    case MYSQL_TYPE_BIT:
      return "BIT";
    case MYSQL_TYPE_YEAR:
      return "YEAR";
    case MYSQL_TYPE_DATE:
    case MYSQL_TYPE_NEWDATE:
      return "DATE";
    case MYSQL_TYPE_TIME:
    case MYSQL_TYPE_TIME2:
      return "TIME";
    case MYSQL_TYPE_DATETIME:
    case MYSQL_TYPE_DATETIME2:
      return "DATETIME";
    case MYSQL_TYPE_TIMESTAMP:
    case MYSQL_TYPE_TIMESTAMP2:
      return "TIMESTAMP";
    case MYSQL_TYPE_VARCHAR:
    case MYSQL_TYPE_VAR_STRING:
      return binary ? "VARBINARY" : "VARCHAR";
    case MYSQL_TYPE_STRING:
      if ((field.flags & ENUM_FLAG) != 0) return "ENUM";
      if ((field.flags & SET_FLAG) != 0) return "SET";
      return binary ? "BINARY" : "CHAR";
    case MYSQL_TYPE_TINY_BLOB:
    case MYSQL_TYPE_BLOB:
    case MYSQL_TYPE_MEDIUM_BLOB:
    case MYSQL_TYPE_LONG_BLOB:
      return binary ? "BLOB" : "TEXT";
    case MYSQL_TYPE_ENUM:
      return "ENUM";
    case MYSQL_TYPE_SET:
      return "SET";
    case MYSQL_TYPE_JSON:
      return "JSON";
    case MYSQL_TYPE_GEOMETRY:
      return "GEOMETRY";
    case MYSQL_TYPE_NULL:
      return "NULL";
    default:
      return fmt::format("TYPE{}", static_cast<int>(field.type));
  }
}

bool is_number(enum_field_types type) {
  return type == MYSQL_TYPE_TINY || type == MYSQL_TYPE_SHORT || type == MYSQL_TYPE_INT24 ||
         type == MYSQL_TYPE_LONG || type == MYSQL_TYPE_LONGLONG || type == MYSQL_TYPE_FLOAT ||
         type == MYSQL_TYPE_DOUBLE || type == MYSQL_TYPE_NEWDECIMAL;
}

}  // namespace

std::string type_name(const st_mysql_field& field) {
  const bool is_unsigned = is_number(field.type) && (field.flags & UNSIGNED_FLAG) != 0;
  return base_name(field) + (is_unsigned ? " UNSIGNED" : "");
}

}  // namespace esox
