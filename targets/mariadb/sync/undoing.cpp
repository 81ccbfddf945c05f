// SPDX-License-Identifier: Apache-2.0
#include "targets/mariadb/sync/undoing.h"

#include <fmt/format.h>

#include <regex>
#include <set>

namespace esox {
namespace {

void add_matches(const std::string& text, const std::regex& form, const char* format,
                 std::set<std::string>& found) {
  for (std::sregex_iterator one(text.begin(), text.end(), form), end; one != end; ++one) {
    found.insert(one->format(format));
  }
}

}  // namespace

std::vector<std::string> statements_of(const Input& input) {
  std::vector<std::string> texts = input.setup;
  for (const InputClient& client : input.clients) {
    texts.insert(texts.end(), client.setup.begin(), client.setup.end());
    for (const Request& request : client.requests) texts.push_back(request.text);
  }
  return texts;
}

Undoing undoing_of(const Input& input) {
  static const std::regex kGlobal(R"((?:\bGLOBAL\s+|@@GLOBAL\.)(\w+)\s*:?=)", std::regex::icase);
  static const std::regex kMade(
      R"(\bCREATE\s+(?:OR\s+REPLACE\s+)?(?:DEFINER\s*=\s*\S+\s+)?)"
      R"((DATABASE|SCHEMA|USER|ROLE|PROCEDURE|FUNCTION|EVENT|SEQUENCE)\s+)"
      R"((?:IF\s+NOT\s+EXISTS\s+)?([^\s(;,]+(?:\s*,\s*[^\s(;,]+)*))",
      std::regex::icase);
  static const std::regex kForeignKey(R"(\bREFERENCES\b)", std::regex::icase);
  std::set<std::string> globals;
  std::set<std::string> drops;
  Undoing undoing;
  for (const std::string& text : statements_of(input)) {
    add_matches(text, kGlobal, "$1", globals);
    add_matches(text, kMade, "DROP $1 IF EXISTS $2", drops);
    if (std::regex_search(text, kForeignKey)) {
      undoing.drop = "SET STATEMENT foreign_key_checks=0 FOR DROP";
    }
  }
  undoing.globals.assign(globals.begin(), globals.end());
  for (const std::string& name : globals) {
    undoing.before.push_back(fmt::format("SET @start_{0}= @@GLOBAL.{0}", name));
    undoing.after.push_back(fmt::format("SET GLOBAL {0}= @start_{0}", name));
  }
  undoing.after.insert(undoing.after.end(), drops.begin(), drops.end());
  return undoing;
}

}  // namespace esox
