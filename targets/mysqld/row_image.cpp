// SPDX-License-Identifier: Apache-2.0
// Lengths as table_def::calc_field_size() has them (MariaDB, sql/rpl_utility.cc).
#include "targets/mysqld/row_image.h"

#include <fmt/format.h>

#include <array>

#include "targets/mysqld/state/log_event.h"

namespace esox {
namespace {

constexpr unsigned char kFloat = 4;
constexpr unsigned char kDouble = 5;
constexpr unsigned char kVarchar = 15;
constexpr unsigned char kBit = 16;
constexpr unsigned char kTimestamp2 = 17;
constexpr unsigned char kDatetime2 = 18;
constexpr unsigned char kTime2 = 19;
constexpr unsigned char kDecimal = 246;
constexpr unsigned char kEnum = 247;
constexpr unsigned char kSet = 248;
constexpr unsigned char kBlob = 252;
constexpr unsigned char kString = 254;
constexpr unsigned char kGeometry = 255;

// Of types that have one length and no metadata.
std::optional<size_t> fixed_bytes(unsigned char type) {
  switch (type) {
    case 1:   // TINYINT
    case 13:  // YEAR
      return 1;
    case 2:  // SMALLINT
      return 2;
    case 9:   // MEDIUMINT
    case 10:  // DATE
    case 11:  // TIME, of before 5.6
    case 14:  // DATE
      return 3;
    case 3:  // INT
    case 7:  // TIMESTAMP, of before 5.6
      return 4;
    case 8:   // BIGINT
    case 12:  // DATETIME, of before 5.6
      return 8;
    default:
      return std::nullopt;
  }
}

std::optional<size_t> metadata_bytes(unsigned char type) {
  if (fixed_bytes(type)) return 0;
  switch (type) {
    case kFloat:
    case kDouble:
    case kTimestamp2:
    case kDatetime2:
    case kTime2:
    case kBlob:
    case kGeometry:
      return 1;
    case kVarchar:
    case kBit:
    case kDecimal:
    case kString:
      return 2;
    default:
      return std::nullopt;
  }
}

size_t decimal_bytes(size_t precision, size_t scale) {
  constexpr std::array<size_t, 10> kOfDigits = {0, 1, 1, 2, 2, 3, 3, 4, 4, 4};
  constexpr size_t kDigits = 9;  // in four bytes
  const size_t whole = precision - scale;
  return whole / kDigits * 4 + kOfDigits[whole % kDigits] + scale / kDigits * 4 +
         kOfDigits[scale % kDigits];
}

// Of a value behind its length, which has so many bytes.
std::optional<size_t> counted_bytes(std::string_view rest, size_t length_bytes) {
  if (length_bytes == 0 || length_bytes > 4 || rest.size() < length_bytes) return std::nullopt;
  return length_bytes + little_endian(rest.substr(0, length_bytes));
}

// CHAR, ENUM and SET: the type in the first byte of the metadata, with the upper bits of a length
// beyond 255.
std::optional<size_t> string_bytes(unsigned metadata, std::string_view rest) {
  const unsigned type = metadata & 0xff;
  const unsigned low = metadata >> 8;
  if (type == kEnum || type == kSet) return low;
  const unsigned most = (((type << 4) & 0x300) ^ 0x300) + low;
  return counted_bytes(rest, most > 255 ? 2 : 1);
}

std::optional<size_t> value_bytes(const LoggedColumn& column, std::string_view rest) {
  if (const auto fixed = fixed_bytes(column.type)) return fixed;
  const unsigned low = column.metadata & 0xff;
  const unsigned high = column.metadata >> 8;
  switch (column.type) {
    case kFloat:
    case kDouble:
      return low;
    case kTimestamp2:
      return 4 + (low + 1) / 2;
    case kDatetime2:
      return 5 + (low + 1) / 2;
    case kTime2:
      return 3 + (low + 1) / 2;
    case kBit:
      return high + (low > 0 ? 1 : 0);
    case kDecimal:
      return low < high ? std::nullopt : std::optional(decimal_bytes(low, high));
    case kVarchar:
      return counted_bytes(rest, column.metadata > 255 ? 2 : 1);
    case kBlob:
    case kGeometry:
      return counted_bytes(rest, low);
    case kString:
      return string_bytes(column.metadata, rest);
    default:
      return std::nullopt;
  }
}

// Takes a name behind its length, with the zero that ends it.
std::optional<std::string_view> take_name(std::string_view& rest) {
  if (rest.empty()) return std::nullopt;
  const size_t length = static_cast<unsigned char>(rest[0]);
  if (rest.size() < length + 2) return std::nullopt;
  const std::string_view name = rest.substr(1, length);
  rest.remove_prefix(length + 2);
  return name;
}

}  // namespace

std::optional<LoggedTable> logged_table(std::string_view body) {
  constexpr size_t kFlagBytes = 2;
  constexpr unsigned kLongestCount = 250;  // larger ones take more than a byte
  if (body.size() < kFlagBytes) return std::nullopt;
  body.remove_prefix(kFlagBytes);
  const auto database = take_name(body);
  const auto name = database ? take_name(body) : std::nullopt;
  if (!name || body.empty()) return std::nullopt;
  const size_t count = static_cast<unsigned char>(body[0]);
  if (count == 0 || count > kLongestCount || body.size() < count + 2) return std::nullopt;
  LoggedTable table{fmt::format("{}.{}", *database, *name), {}};
  const std::string_view types = body.substr(1, count);
  const size_t all_metadata = static_cast<unsigned char>(body[count + 1]);
  std::string_view metadata = body.substr(count + 2);
  if (all_metadata > kLongestCount || metadata.size() < all_metadata) return std::nullopt;
  metadata = metadata.substr(0, all_metadata);
  for (const char c : types) {
    const auto type = static_cast<unsigned char>(c);
    const auto bytes = metadata_bytes(type);
    if (!bytes || metadata.size() < *bytes) return std::nullopt;
    table.columns.push_back(
        {type, static_cast<unsigned>(little_endian(metadata.substr(0, *bytes)))});
    metadata.remove_prefix(*bytes);
  }
  return table;
}

std::optional<size_t> row_bytes(const LoggedTable& table, std::string_view rest) {
  const size_t null_bytes = (table.columns.size() + 7) / 8;
  if (rest.size() < null_bytes) return std::nullopt;
  size_t end = null_bytes;
  for (size_t i = 0; i < table.columns.size(); ++i) {
    if ((static_cast<unsigned char>(rest[i / 8]) >> (i % 8) & 1) != 0) continue;
    const auto bytes = value_bytes(table.columns[i], rest.substr(end));
    if (!bytes || *bytes > rest.size() - end) return std::nullopt;
    end += *bytes;
  }
  return end;
}

}  // namespace esox
