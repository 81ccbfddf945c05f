// SPDX-License-Identifier: Apache-2.0
#include "analysis/rows.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/text/counted.h"
#include "base/text/utf8.h"

namespace esox {
namespace {

bool looks_numeric(const std::string& text) {
  return !text.empty() && text.size() < 40 &&
         text.find_first_not_of("0123456789+-.eE") == std::string::npos &&
         text.find_first_of("0123456789") != std::string::npos;
}

std::string cell_text(const Cell& cell) {
  if (!cell) return "NULL";
  if (looks_numeric(*cell)) return *cell;
  return "'" + printable_cut(*cell) + "'";
}

}  // namespace

bool same_rows(const std::vector<Row>& first, const std::vector<Row>& second, bool ordered) {
  if (first.size() != second.size()) return false;
  if (first == second) return true;
  if (ordered) return false;
  const auto pointers = [](const std::vector<Row>& rows) {
    std::vector<const Row*> sorted;
    sorted.reserve(rows.size());
    for (const Row& row : rows) sorted.push_back(&row);
    std::ranges::sort(sorted, [](auto a, auto b) { return *a < *b; });
    return sorted;
  };
  const auto a = pointers(first);
  const auto b = pointers(second);
  return std::equal(a.begin(), a.end(), b.begin(), [](auto x, auto y) { return *x == *y; });
}

std::vector<Row> without_columns(const std::vector<Row>& rows, const std::set<size_t>& columns) {
  std::vector<Row> result = rows;
  for (Row& row : result) {
    for (size_t column : columns) {
      if (column < row.size()) row[column] = "(masked)";
    }
  }
  return result;
}

std::string row_text(const Row& row) {
  std::string text;
  for (const Cell& cell : row) {
    if (!text.empty()) text += ", ";
    text += cell_text(cell);
  }
  return text.empty() ? "(no columns)" : text;
}

std::string printable(const std::string& bytes) {
  std::string text;
  text.reserve(bytes.size());
  for (size_t i = 0; i < bytes.size();) {
    const unsigned char byte = static_cast<unsigned char>(bytes[i]);
    const size_t length = utf8_length(bytes, i);
    if (byte == '\n') {
      text += "\\n";
    } else if (byte == '\t') {
      text += "\\t";
    } else if (byte == '\\') {
      text += "\\\\";
    } else if (length == 0 || byte < 0x20 || byte == 0x7f) {
      text += fmt::format("\\x{:02x}", byte);
    } else {
      text.append(bytes, i, length);
      i += length;
      continue;
    }
    ++i;
  }
  return text;
}

std::string printable_cut(const std::string& bytes, size_t limit) {
  if (bytes.size() <= limit) return printable(bytes);
  return fmt::format("{}...({} bytes, digest {})", printable(bytes.substr(0, limit)), bytes.size(),
                     hex(digest_of(bytes)).substr(0, 8));
}

std::string reply_text(const Output& output, std::string (*rows)(const ResultSet& result)) {
  if (!output.answered) return "no reply";
  if (output.error != 0) {
    return fmt::format("error {} ({}): {}", output.error, output.sql_state,
                       printable_cut(output.message));
  }
  std::vector<std::string> parts;
  for (const ResultSet& result : output.results) parts.push_back(rows(result));
  const bool says_less = output.affected_rows == 0 && !output.info.empty();
  if (output.results.empty() && !says_less) {
    parts.push_back(fmt::format("{} affected", output.affected_rows));
  }
  if (!output.info.empty()) parts.push_back(printable_cut(output.info));
  if (output.warning_count != 0) parts.push_back(counted(output.warning_count, "warning"));
  return fmt::format("{}", fmt::join(parts, ", "));
}

}  // namespace esox
