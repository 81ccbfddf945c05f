// SPDX-License-Identifier: Apache-2.0
#include "tests/keyvalue/client.h"

#include <sstream>
#include <string>
#include <string_view>

namespace esox {
namespace {

constexpr std::string_view kRow = "ROW ";
constexpr std::string_view kError = "ERROR";

void add_row(ResultSet& result, const std::string& line) {
  std::istringstream words(line.substr(kRow.size()));
  Row row;
  for (std::string word; words >> word;) row.emplace_back(word);
  while (result.columns.size() < row.size()) {
    result.columns.push_back({"word" + std::to_string(result.columns.size() + 1), "text"});
  }
  result.rows.push_back(std::move(row));
}

}  // namespace

void KeyvalueClient::exchange(const Request& request, Output& output) {
  send_all(request.text + "\n");
  ResultSet result;
  std::string line = read_line();
  for (; line.starts_with(kRow); line = read_line()) add_row(result, line);
  if (!result.rows.empty()) output.results.push_back(std::move(result));
  if (line.starts_with(kError)) {
    output.error = 1;
    output.message = line;
  } else {
    output.info = line;
  }
}

}  // namespace esox
