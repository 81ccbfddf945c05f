// SPDX-License-Identifier: Apache-2.0
#include "summaries/render.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text/counted.h"

namespace esox {
namespace {

void append_quoted(std::string& text, const std::string& cell) {
  text.push_back('\'');
  for (const char c : cell) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '\'' || c == '\\') {
      text.push_back('\\');
      text.push_back(c);
    } else if (c == '\n') {
      text += "\\n";
    } else if (byte < 0x20 || byte == 0x7f) {
      text += fmt::format("\\x{:02x}", byte);
    } else {
      text.push_back(c);  // bytes of UTF-8 stay as they are
    }
  }
  text.push_back('\'');
}

std::string render_result(const ResultSet& result, bool ordered) {
  std::vector<Element> rows;
  rows.reserve(result.rows.size());
  for (const Row& row : result.rows) rows.push_back(Element{"", render_row(row)});
  if (!ordered) std::ranges::sort(rows);
  const ComponentKind kind = ordered ? ComponentKind::kSequence : ComponentKind::kMultiset;
  ComponentBuilder builder("", kind);
  for (Element& row : rows) builder.add(std::move(row));
  const Component all = std::move(builder).build();
  std::string text =
      fmt::format("{}: {}, {}", render_columns(result), counted(all.count, "row"), hex(all.digest));
  for (const Element& row : all.elements) text += "\n" + row.value;
  return text;
}

}  // namespace

std::string render_row(const Row& row) {
  std::string text = "(";
  for (size_t i = 0; i < row.size(); ++i) {
    if (i > 0) text += ", ";
    if (row[i]) {
      append_quoted(text, *row[i]);
    } else {
      text += "NULL";
    }
  }
  return text + ")";
}

std::string quoted_bytes(std::string_view bytes) {
  std::string text = "'";
  for (const char c : bytes) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '\'' || c == '\\') {
      text += '\\';
      text += c;
    } else if (byte < 0x20 || byte >= 0x7f) {
      text += fmt::format("\\x{:02x}", byte);
    } else {
      text += c;
    }
  }
  return text + "'";
}

std::string render_columns(const ResultSet& result) {
  std::string text;
  for (const Column& column : result.columns) {
    if (!text.empty()) text += ", ";
    text += column.name + " " + column.type;
  }
  return text;
}

std::string render_error(const Output& output) {
  return fmt::format("error {} ({}) {}", output.error, output.sql_state, output.message);
}

std::string render_reply(const Output& output) {
  std::string text;
  for (const ResultSet& result : output.results) {
    if (!text.empty()) text += "\n";
    text += render_result(result, output.ordered);
  }
  if (output.error != 0)
    return text.empty() ? render_error(output) : text + "\n" + render_error(output);
  return text.empty() ? fmt::format("{} rows affected", output.affected_rows) : text;
}

}  // namespace esox
